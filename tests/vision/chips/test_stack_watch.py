"""Which parts of the cloth the watch of chips wants to see."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.plane.test_change_gate import SIZE_MM, picture, straight_down
from thirdcard.vision.chips.stack_optics import StackOptics
from thirdcard.vision.chips.stack_region import MEASURE_LOOKS, SETTLE_LOOKS
from thirdcard.vision.chips.stack_watch import StackWatch
from thirdcard.vision.detections import CHIPS, Detections
from thirdcard.vision.plane.change_gate import ChangeGate
from thirdcard.vision.plane.occlusion import Cover

AREA = np.array([[400.0, 500], [520, 500], [520, 800], [400, 800]])

STACK = Detections(np.array([[[440.0, 630], [480, 630], [480, 670], [440, 670]]]), np.array([CHIPS]), np.array([0.9]))


class Table:
    """One long region, looked at ten times a second."""

    def __init__(self) -> None:
        self.gate, self.t = ChangeGate(straight_down(), SIZE_MM), 0.0
        optics = StackOptics(camera_mm=None, diameter_mm=40.0, thickness_mm=3.3)
        self.watch = StackWatch({"area": AREA}, self.gate.grid, optics)

    def look(self, looks: int, *, covered: bool = False, chips: Detections = STACK) -> None:
        for _ in range(looks):
            self.t += 0.1
            change = self.gate.update(picture(), self.t)
            cover = Cover(self.gate.grid, change, np.full(self.gate.grid.shape_hw, covered))
            self.watch.update(chips, cover, self.t)

    def asked(self) -> set[tuple[float, float]]:
        return {(float(x), float(y)) for x, y in self.watch.asked_mm()}


@pytest.fixture
def table() -> Table:
    return Table()


def test_empty_region_that_is_settled_is_not_asked_for(table: Table) -> None:
    table.look(SETTLE_LOOKS - 1, chips=Detections.empty())
    before = table.asked()
    table.look(2, chips=Detections.empty())
    assert (before, table.asked()) == ({(460.0, 650.0)}, set())


def test_region_that_was_seen_often_enough_is_not_asked_for(table: Table) -> None:
    table.look(MEASURE_LOOKS + 4)
    assert table.asked() == set()


def test_all_of_a_region_is_asked_for_once_a_hand_was_there(table: Table) -> None:
    """A stack beyond the middle's field was once taken for gone: its field had last been seen under the hand."""
    table.look(MEASURE_LOOKS + 4)
    table.look(3, covered=True)
    table.look(1)
    assert table.asked() == {(460.0, 650.0), *((float(x), float(y)) for x, y in AREA)}


def test_nothing_is_asked_for_while_a_hand_lies_there(table: Table) -> None:
    """What moves is looked at anyway; looking again under a hand that rests tells nothing, and costs a lot."""
    table.look(MEASURE_LOOKS + 4)
    table.look(3, covered=True)
    assert table.asked() == set()


def test_region_that_is_only_measured_is_asked_for_by_its_middle(table: Table) -> None:
    table.look(MEASURE_LOOKS - 2)
    assert table.asked() == {(460.0, 650.0)}
