"""The chips of a table, joined from what was detected, missed, and printed on a card's back."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.plane.test_change_gate import SIZE_MM, picture, straight_down
from thirdcard.vision.chips.stack_optics import StackOptics
from thirdcard.vision.chips.table_chips import ChipKinds, StackEyes, TableChips
from thirdcard.vision.detections import CHIPS, Detections
from thirdcard.vision.frames import Frame
from thirdcard.vision.inference.chip_samples import NO_CHIPS
from thirdcard.vision.observations import StacksChanged
from thirdcard.vision.plane.change_gate import ChangeGate
from thirdcard.vision.plane.cloth_watch import ClothLook, ClothWatch
from thirdcard.vision.plane.occlusion import Cover
from thirdcard.vision.stage_clock import StageClock

AREA = np.array([[400.0, 500], [520, 500], [520, 600], [400, 600]])
CHIP = np.array([[440.0, 530], [480, 530], [480, 570], [440, 570]])
CARD = np.array([[430.0, 508], [493, 508], [493, 596], [430, 596]])


class NoDetector:
    """The looks bring what was detected."""

    tile_px = 320

    def detect(self, tiles: np.ndarray) -> list[Detections]:
        raise AssertionError("nothing is to be detected")


class Table:
    """One wagering region, looked at ten times a second; every look examines the whole cloth."""

    def __init__(self) -> None:
        calibration, self.gate, self.t = straight_down(), ChangeGate(straight_down(), SIZE_MM), 0.0
        eyes = StackEyes(calibration, 40.0, None, None, StageClock(lambda: 0.0, ("read",)))
        optics = StackOptics.of(calibration, diameter_mm=40.0, thickness_mm=3.3)
        cloth = ClothWatch(calibration, SIZE_MM, NoDetector())  # type: ignore[arg-type]
        self.chips = TableChips({"area": AREA}, cloth, optics, eyes=eyes, kinds=ChipKinds(None, NO_CHIPS))

    def look(
        self, looks: int, *, has_thing: bool = False, covered: bool = False, backs_mm: tuple[np.ndarray, ...] = ()
    ) -> list[StacksChanged]:
        image = np.full((1080, 1920, 3), (60, 90, 40), np.uint8)
        if has_thing:
            cv2.circle(image, (520, 640), 20, (40, 40, 210), -1)
        found = Detections(CHIP[None], np.array([CHIPS]), np.array([0.9])) if has_thing else Detections.empty()
        told: list[StacksChanged] = []
        for _ in range(looks):
            self.t = round(self.t + 0.1, 3)
            cover = Cover(
                self.gate.grid, self.gate.update(picture(), self.t), np.full(self.gate.grid.shape_hw, covered)
            )
            frame, whole = Frame(0, self.t, image), (0.0, 0.0, *SIZE_MM)
            look = ClothLook(frame=frame, cover=cover, found=found, looked_mm=[whole])
            told += self.chips.update(look, backs_mm=backs_mm)
        return told


@pytest.mark.parametrize(
    ("backs_mm", "is_told"),
    [
        pytest.param((), True, id="a chip"),
        pytest.param((CARD + np.array([300.0, 0.0]),), True, id="a chip far from a card"),
        pytest.param((CARD,), False, id="part of a card's back"),
    ],
)
def test_chips_that_are_part_of_a_back_s_picture_are_no_wager(
    backs_mm: tuple[np.ndarray, ...], *, is_told: bool
) -> None:
    table = Table()
    table.look(20)
    table.look(5, has_thing=True, covered=True)
    told = table.look(20, has_thing=True, backs_mm=backs_mm)
    assert bool(told) == is_told
