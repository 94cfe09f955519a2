"""Watch the chips of one table: which stacks stand where, how they changed, and what lies on top.

Joins the parts that find, measure, compare and name chips. Knows regions and kinds of chips by their colours, not what
they mean. Layout millimetres, seconds of stream time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.chips.hand_contents import CarriedChips
from thirdcard.vision.chips.missed_chips import BareChips
from thirdcard.vision.chips.stack_optics import StackOptics
from thirdcard.vision.chips.stack_region import StackModels
from thirdcard.vision.chips.stack_watch import StackWatch
from thirdcard.vision.detections import CHIPS, Detections, sides_mm
from thirdcard.vision.frames import Frame, Image
from thirdcard.vision.inference.chip_faces import ChipFaceReader, white_of
from thirdcard.vision.inference.chip_samples import ChipLooks
from thirdcard.vision.inference.stack_change import AS_TOLD, WIDE_WH_PX, StackComparer
from thirdcard.vision.inference.stack_height import CropFrame, Gauging, StackGauge, stack_crop
from thirdcard.vision.observations import StacksChanged
from thirdcard.vision.plane.cloth_watch import ClothLook, ClothWatch
from thirdcard.vision.plane.occlusion import Cover
from thirdcard.vision.stage_clock import StageClock

CHIPS_SCORE = 0.65
"""Detections with a lower score may be chips; they count where the cloth there does not look bare."""
CHIP_WIDTHS = (0.72, 1.5)
"""Allowed width of a stack's silhouette in chip diameters, including its enlargement by height."""
CARDS = 40
"""How many of the last looks at cards define what white is."""
LEAST_LEVEL = 40.0
"""Grey level, of 255, below which paper is too dark to judge colours by."""


class ChipKinds:
    """Names the chips on top of stacks, in this camera's light as the paper of the cards shows it.

    Nothing is named before a card was seen face up.
    """

    def __init__(self, reader: ChipFaceReader | None, looks: ChipLooks) -> None:
        """Take the reader of faces and the kinds of chips; without a reader nothing is named."""
        self._reader, self._looks = reader, looks
        self._whites: deque[NDArray[np.float64]] = deque(maxlen=CARDS)

    def see_card(self, card: Image) -> None:
        """Take the crop of a card that lies face up."""
        self._whites.append(white_of(card))

    def name(self, faces: Sequence[Image]) -> list[tuple[float, ...]]:
        """Return for each face the probabilities of the kinds of chips; an empty row where they are unknown."""
        white = np.median(self._whites, axis=0) if self._whites else np.zeros(3)
        if self._reader is None or not len(self._looks) or white.min() < LEAST_LEVEL:
            return [()] * len(faces)
        return [tuple(row.tolist()) for row in self._reader.read(faces, self._looks, white)]


@dataclass(frozen=True, slots=True)
class StackEyes:
    """The opened models that examine stacks, and the calibration of the camera that sees them."""

    calibration: Calibration
    diameter_mm: float
    """Diameter of a chip."""
    gauge: StackGauge | None
    """None: stacks are measured by the length of their boxes."""
    comparer: StackComparer | None
    """None: changes of a stack are judged from its measures."""
    stages: StageClock

    def measure(self, frame: Frame, centres_mm: Sequence[NDArray[np.float64]]) -> list[Gauging | None]:
        """Measure the stacks with these silhouette centres, (2,) mm each; None where a stack cannot be measured."""
        if self.gauge is None:
            return [None] * len(centres_mm)
        with self.stages.stage("read"):
            return self.gauge.measure(frame.image, self.calibration, centres_mm, diameter_mm=self.diameter_mm)

    def cut(self, frame: Frame, places: Sequence[CropFrame]) -> list[Image | None]:
        """Cut places out of the picture in the comparer's wide size; None where a place is outside it."""
        return [stack_crop(frame.image, self.calibration, each, size_wh_px=WIDE_WH_PX) for each in places]

    def compare(self, pairs: Sequence[tuple[Image, Image]]) -> list[NDArray[np.float64]]:
        """Return probabilities of FATES for each stack, given a look before and a wide look after."""
        assert self.comparer is not None, "asked only where there is one"
        with self.stages.stage("read"):
            return self.comparer.compare(pairs)


class TableChips:
    """The chips of one table."""

    def __init__(
        self,
        regions: Mapping[str, NDArray[np.float64]],
        cloth: ClothWatch,
        optics: StackOptics,
        *,
        eyes: StackEyes,
        kinds: ChipKinds,
    ) -> None:
        """Take the stack regions' polygons, (N, 2) mm each, and the models."""
        sureness = None if eyes.gauge is None else eyes.gauge.sureness
        judging = AS_TOLD if eyes.comparer is None else eyes.comparer.judging
        self._eyes, self._kinds = eyes, kinds
        self._watch = StackWatch(regions, cloth.grid, optics, sureness=sureness, judging=judging)
        self._bare = BareChips(regions, cloth.rectifier, cloth.grid, eyes.diameter_mm)
        self._carried = CarriedChips()
        self._seen = Detections.empty()
        """The detections that count, each as of the last look at its part of the cloth."""

    def recalibrate(self, calibration: Calibration) -> None:
        """Use another calibration: the camera moved, the stacks did not."""
        self._eyes = replace(self._eyes, calibration=calibration)
        self._watch.recalibrate(calibration)

    def update(self, look: ClothLook, *, backs_mm: Sequence[NDArray[np.float64]] = ()) -> list[StacksChanged]:
        """Take one look and return how the stacks changed.

        Args:
            look: The present look.
            backs_mm: Where cards lie face down in sight, (4, 2) each: chips within are part of the back's picture.
        """
        frame, chips = look.frame, self._of_size(look.found)
        gone: list[StacksChanged] = []
        self._carried.see(chips, frame.t)
        if look.looked_mm:
            is_sure = chips.score >= CHIPS_SCORE
            self._seen = self._bare.add(chips.take(is_sure), chips.take(~is_sure), frame, look.cover, look.looked_mm)
            gone = self._watch.forget_print(self._bare.print_mm, frame.t)
        self._seen = _outside(self._seen, backs_mm)
        changes = self._watch.update(
            self._seen,
            look.cover,
            frame.t,
            measure=lambda places: self._eyes.measure(frame, places),
            cut=lambda places: self._eyes.cut(frame, places),
            ask=StackModels(
                compare=None if self._eyes.comparer is None else self._eyes.compare,
                name=self._kinds.name,
                carried=self._carried.told,
            ),
        )
        return [*gone, *changes]

    def wait(self, cover: Cover) -> list[StacksChanged]:
        """Take a look at which everything is covered, and return what is due to be reported."""
        return self._watch.update(self._seen, cover, cover.change.t)

    def asked_mm(self) -> list[NDArray[np.float64]]:
        """Return the points, (2,) mm each, where further looks would reveal more."""
        return self._watch.asked_mm()

    def calm(self) -> list[str]:
        """Return the regions that nothing has covered since their chips were reported."""
        return self._watch.calm()

    def waiting_since_t(self, t: float) -> float | None:
        """Return the earliest stream time about which something may still be reported; None when nothing is pending."""
        return self._watch.waiting_since_t(t)

    def _of_size(self, found: Detections) -> Detections:
        """Return the detections that may be chips and are as wide as this table's: print is often narrower."""
        chips = found.of(CHIPS)
        width_mm = sides_mm(chips.corners_mm).min(axis=1, initial=np.inf) / self._eyes.diameter_mm
        fits = (width_mm >= CHIP_WIDTHS[0]) & (width_mm <= CHIP_WIDTHS[1])
        return chips.take(fits)


def _outside(found: Detections, places_mm: Sequence[NDArray[np.float64]]) -> Detections:
    """Return what lies outside some polygons, (4, 2) mm each."""
    if not places_mm:
        return found
    polygons = [place.astype(np.float32) for place in places_mm]
    inside = [
        any(cv2.pointPolygonTest(each, (float(x), float(y)), False) > 0 for each in polygons)
        for x, y in found.centres_mm
    ]
    return found.take(~np.array(inside, bool))
