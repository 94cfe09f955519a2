"""Watch the chips of one table: which stacks stand where, what became of them, and what lies on top.

Puts together what finds chips, measures, compares and names them. Knows regions and kinds of chips by their colours,
not what they mean. Layout millimetres, seconds of stream time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

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
"""What the detector finds with a lower score may be chips; it counts where the cloth there does not look bare."""
CHIP_WIDTHS = (0.72, 1.5)
"""A stack's silhouette is this many chip diameters wide, its own enlargement by height included."""
CARDS = 40
"""So many of the last looks at cards say what white is."""
LEAST_LEVEL = 40.0
"""Paper that looks darker than this, of 255, tells nothing of colours."""


class ChipKinds:
    """Names the chips on top of stacks in this camera's light, which the paper of the cards tells.

    Nothing is named before a card was seen face up.
    """

    def __init__(self, reader: ChipFaceReader | None, looks: ChipLooks) -> None:
        """Takes the kinds of chips; without a reader nothing is named."""
        self._reader, self._looks = reader, looks
        self._whites: deque[NDArray[np.float64]] = deque(maxlen=CARDS)

    def see_card(self, card: Image) -> None:
        """Take in the crop of a card that lies face up."""
        self._whites.append(white_of(card))

    def name(self, faces: Sequence[Image]) -> list[tuple[float, ...]]:
        """How likely each kind lies on top, one row a face; empty rows where that is unknown."""
        white = np.median(self._whites, axis=0) if self._whites else np.zeros(3)
        if self._reader is None or not len(self._looks) or white.min() < LEAST_LEVEL:
            return [()] * len(faces)
        return [tuple(row.tolist()) for row in self._reader.read(faces, self._looks, white)]


@dataclass(frozen=True, slots=True)
class StackEyes:
    """The open models that look at stacks, and the camera whose picture they look at."""

    calibration: Calibration
    diameter_mm: float
    """Of a chip."""
    gauge: StackGauge | None
    """None: stacks are measured by the length of their boxes."""
    comparer: StackComparer | None
    """None: what became of a stack is distinguished from its measures."""
    stages: StageClock

    def measure(self, frame: Frame, centres_mm: Sequence[NDArray[np.float64]]) -> list[Gauging | None]:
        """The stacks whose silhouettes' middles are given, (2,) each."""
        if self.gauge is None:
            return [None] * len(centres_mm)
        with self.stages.stage("read"):
            return self.gauge.measure(frame.image, self.calibration, centres_mm, diameter_mm=self.diameter_mm)

    def cut(self, frame: Frame, places: Sequence[CropFrame]) -> list[Image | None]:
        """Places in the picture, as wide as the comparer takes its looks after."""
        return [stack_crop(frame.image, self.calibration, each, size_wh_px=WIDE_WH_PX) for each in places]

    def compare(self, pairs: Sequence[tuple[Image, Image]]) -> list[NDArray[np.float64]]:
        """What became of stacks, each by a look before and a wide one after."""
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
        """Takes the stack regions' polygons, (N, 2) mm each."""
        sureness = None if eyes.gauge is None else eyes.gauge.sureness
        judging = AS_TOLD if eyes.comparer is None else eyes.comparer.judging
        self._eyes, self._kinds = eyes, kinds
        self._watch = StackWatch(regions, cloth.grid, optics, sureness=sureness, judging=judging)
        self._bare = BareChips(regions, cloth.rectifier, cloth.grid, eyes.diameter_mm)
        self._carried = CarriedChips()
        self._seen = Detections.empty()
        """What counts as seen, as of the last look at each part of the cloth."""

    def recalibrate(self, calibration: Calibration) -> None:
        """The camera hangs otherwise; the stacks stand where they stood."""
        self._eyes = replace(self._eyes, calibration=calibration)
        self._watch.recalibrate(calibration)

    def update(self, look: ClothLook) -> list[StacksChanged]:
        """Take one look in and say what became of the stacks."""
        frame, chips = look.frame, self._of_size(look.found)
        gone: list[StacksChanged] = []
        self._carried.see(chips, frame.t)
        if look.looked_mm:
            is_sure = chips.score >= CHIPS_SCORE
            self._seen = self._bare.add(chips.take(is_sure), chips.take(~is_sure), frame, look.cover, look.looked_mm)
            gone = self._watch.forget_print(self._bare.print_mm, frame.t)
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
        """What a look tells that shows nothing."""
        return self._watch.update(self._seen, cover, cover.change.t)

    def asked_mm(self) -> list[NDArray[np.float64]]:
        """Points, (2,) each, where further looks would tell more."""
        return self._watch.asked_mm()

    def calm(self) -> list[str]:
        """The regions that nothing has covered since their chips were reported."""
        return self._watch.calm()

    def waiting_since_t(self, t: float) -> float | None:
        """The earliest moment of which something may still be reported."""
        return self._watch.waiting_since_t(t)

    def _of_size(self, found: Detections) -> Detections:
        """What may be chips and is as wide as this table's: print is often narrower."""
        chips = found.of(CHIPS)
        width_mm = sides_mm(chips.corners_mm).min(axis=1, initial=np.inf) / self._eyes.diameter_mm
        fits = (width_mm >= CHIP_WIDTHS[0]) & (width_mm <= CHIP_WIDTHS[1])
        return chips.take(fits)
