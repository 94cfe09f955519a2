"""Keep the state of one table's cloth: what changed, what lies where, and how long each place has been covered.

Examines only the parts that changed, or that a caller asks for. Knows objects by their labels, not what they mean.
Layout millimetres, seconds of stream time; masks are in the change gate's cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.detections import Detections
from thirdcard.vision.frames import Frame, Image
from thirdcard.vision.plane.change_gate import Change, ChangeGate, Mask
from thirdcard.vision.plane.occlusion import Cover, CoverMemory, everything_covered
from thirdcard.vision.plane.rectify import Rectifier
from thirdcard.vision.plane.stale_regions import Freshness
from thirdcard.vision.plane.tiling import Rect

SHIFTS_MM = ((0.0, 0.0), (14.0, -6.0), (-6.0, 14.0), (8.0, 8.0))
"""Shifts of the tiles from look to look: whether a doubtful thing is detected depends on its place in the tile."""


class Detects(Protocol):
    """Detects objects in parts of the cloth."""

    def detect_regions(
        self,
        image: Image,
        rectifier: Rectifier,
        rects_mm: Sequence[Rect],
        *,
        shift_mm: tuple[float, float] = (0.0, 0.0),
    ) -> Detections:
        """Return the objects whose centre lies in one of the boxes, and perhaps others.

        The tiles are moved by the shift.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ClothLook:
    """The state of the cloth at one look."""

    frame: Frame
    cover: Cover
    """What covers the cloth, and what changed there."""
    found: Detections
    """All that the detector last found, except hands."""
    looked_mm: Sequence[Rect]
    """Boxes that the detector examined at this look."""


class ClothWatch:
    """The cloth as one camera shows it."""

    def __init__(self, calibration: Calibration, size_mm: tuple[float, float], detector: Detects) -> None:
        self._gate = ChangeGate(calibration, size_mm)
        self.grid = self._gate.grid
        self.rectifier = Rectifier(calibration, size_mm)
        self._detector = detector
        self._freshness = Freshness(size_mm, self.grid)
        self._cover_memory = CoverMemory(self.grid)
        self._looks = 0
        self._whole_mm: Rect = (0.0, 0.0, float(size_mm[0]), float(size_mm[1]))

    def recalibrate(self, calibration: Calibration) -> None:
        """Use another calibration: the camera moved, the things on the cloth did not."""
        self._gate.recalibrate(calibration)
        self.rectifier.recalibrate(calibration)

    @property
    def hands(self) -> Mask:
        """(H, W) cells under a hand, as of the last look at each part."""
        return self._freshness.hands

    def changed(self, small_hw3: Image, t: float) -> Change:
        """Take the next picture, scaled down, and return what changed."""
        return self._gate.update(small_hw3, t)

    def look(self, frame: Frame, change: Change, asked_mm: Iterable[NDArray[np.float64]]) -> ClothLook:
        """Examine again what changed, and the points, (2,) mm each, that callers ask for."""
        fields = self._freshness.stale_fields(change, asked_mm)
        boxes = self._freshness.boxes(fields)
        if boxes:
            shift_mm = SHIFTS_MM[self._looks % len(SHIFTS_MM)]
            found = self._detector.detect_regions(frame.image, self.rectifier, boxes, shift_mm=shift_mm)
            self._looks += 1
            self._freshness.renew(fields, found, change)
        cover = Cover(self.grid, change, self._freshness.hands)
        return ClothLook(frame=frame, cover=cover, found=self._freshness.found, looked_mm=boxes)

    def detected(self, image: Image) -> Detections:
        """Return all objects on the cloth in a still picture, without remembering it."""
        return self._detector.detect_regions(image, self.rectifier, [self._whole_mm])

    def note_cover(self, cover: Cover) -> None:
        """Record what is covered at a look."""
        self._cover_memory.update(cover.mask, cover.change.t)

    def look_blind(self, t: float) -> Cover:
        """Record a look at which everything is covered, and return that cover."""
        cover = everything_covered(self.grid, t)
        self.note_cover(cover)
        return cover

    def hidden_s(self, corners_mm: NDArray[np.float64], t: float) -> float:
        """Return for how many seconds a place, (4, 2) mm, was covered until just now."""
        return self._cover_memory.hidden_s(corners_mm, t)
