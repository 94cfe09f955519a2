"""Chips that the detector missed are found where the cloth was bare before."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.plane.test_change_gate import SIZE_MM, picture, straight_down
from thirdcard.vision.chips.missed_chips import LATELY_S, BareChips
from thirdcard.vision.detections import CHIPS, Detections, concatenate
from thirdcard.vision.frames import Frame
from thirdcard.vision.plane.change_gate import ChangeGate
from thirdcard.vision.plane.occlusion import Cover
from thirdcard.vision.plane.rectify import Rectifier

AREA = np.array([[400.0, 500], [520, 500], [520, 600], [400, 600]])
NONE = Detections.empty()


class Table:
    """One wagering region under a camera that looks straight down."""

    def __init__(self) -> None:
        self.gate = ChangeGate(straight_down(), SIZE_MM)
        self.change = self.gate.update(picture(), 0.0)
        self.chips = BareChips({"area": AREA}, Rectifier(straight_down(), SIZE_MM), self.gate.grid, 40.0)

    def add(
        self,
        *discs_mm: tuple[float, float, float],
        seen: Detections = NONE,
        doubtful: Detections = NONE,
        covered: bool = False,
        hidden_mm: tuple[int, int, int, int] | None = None,
        t: float = 0.0,
        still_s: float = np.inf,
    ) -> Detections:
        """Discs on the cloth, of a negative radius white; what lies in `hidden_mm`, a box, looks like the cloth."""
        image = np.full((1080, 1920, 3), (60, 90, 40), np.uint8)
        for x, y, radius in discs_mm:
            colour = (40, 40, 210) if radius > 0 else (230, 230, 230)
            cv2.circle(image, (round(x + 60), round(y + 90)), round(abs(radius)), colour, -1)
        if hidden_mm is not None:
            x0, y0, x1, y1 = hidden_mm
            image[y0 + 90 : y1 + 90, x0 + 60 : x1 + 60] = (60, 90, 40)
        change = replace(self.change, still_s=np.full(self.gate.grid.shape_hw, still_s))
        cover = Cover(self.gate.grid, change, np.full(self.gate.grid.shape_hw, covered))
        return self.chips.add(seen, doubtful, Frame(0, t, image), cover, [(0.0, 0.0, *SIZE_MM)])


def stack(x: float, y: float) -> Detections:
    corners = np.array([[[-20, -20], [20, -20], [20, 20], [-20, 20]]], np.float64) + np.array([x, y])
    return Detections(corners, np.array([CHIPS]), np.array([0.9]))


def test_chip_that_was_missed_is_found_where_it_lies() -> None:
    table = Table()
    assert len(table.add().label) == 0
    found = table.add((450, 550, 20))
    assert found.label.tolist() == [CHIPS]
    assert found.centres_mm[0].tolist() == pytest.approx([450, 550], abs=2)


def test_chip_of_which_a_stripe_looks_like_the_print_below_it_is_found_as_one() -> None:
    table = Table()
    table.add()
    found = table.add((450, 550, 20), hidden_mm=(400, 546, 500, 554))
    assert len(found.label) == 1
    assert found.centres_mm[0].tolist() == pytest.approx([450, 550], abs=2)
    assert len(table.add((450, 550, 20), hidden_mm=(400, 540, 500, 560)).label) == 0


@pytest.mark.parametrize(
    "disc", [(450, 550, 7), (450, 550, 60), (600, 550, 20)], ids=["too-small", "too-large", "outside"]
)
def test_what_has_no_chip_s_shape_or_place_is_not_taken_for_one(disc: tuple[float, float, float]) -> None:
    table = Table()
    table.add()
    assert len(table.add(disc).label) == 0


def test_what_lay_there_when_the_region_was_first_seen_is_no_news() -> None:
    table = Table()
    assert len(table.add((450, 550, 20)).label) == 0
    assert len(table.add((450, 550, 20)).label) == 0


def test_region_in_which_the_detector_sees_chips_is_left_to_it() -> None:
    table = Table()
    table.add()
    assert len(table.add((450, 550, 20), seen=stack(450, 550)).label) == 1


def test_nothing_is_said_while_the_region_is_covered() -> None:
    table = Table()
    table.add()
    assert len(table.add((450, 550, 20), covered=True).label) == 0


def test_doubtful_chip_counts_where_the_cloth_is_no_longer_bare() -> None:
    table = Table()
    table.add()
    odd = (450, 550, 60), (470, 560, 60)  # no chip's shape: another's shadow and a stack run into one
    assert len(table.add(*odd).label) == 0
    assert len(table.add(*odd, doubtful=stack(450, 550)).label) == 1
    assert len(table.add(doubtful=stack(450, 550)).label) == 0


RIM = (450, 550, 20)
GREY_ON_GREY = (436, 530, 464, 570)
"""Of such a chip only the rims on two sides are to be seen."""


def test_chip_that_was_surely_seen_a_moment_ago_is_still_there_where_little_shows_it() -> None:
    table = Table()
    table.add()
    doubtful = stack(450, 550)
    assert len(table.add(RIM, hidden_mm=GREY_ON_GREY, doubtful=doubtful).label) == 0
    table.add(RIM, hidden_mm=GREY_ON_GREY, seen=stack(454, 554), t=1.0)
    found = table.add(RIM, hidden_mm=GREY_ON_GREY, doubtful=doubtful, t=1.0 + LATELY_S)
    assert found.centres_mm.tolist() == [[450, 550]]
    assert len(table.add(RIM, hidden_mm=GREY_ON_GREY, doubtful=doubtful, t=1.1 + LATELY_S).label) == 0


def test_chip_that_was_surely_seen_is_gone_where_the_cloth_is_bare_or_it_is_seen_elsewhere() -> None:
    table = Table()
    table.add()
    table.add(RIM, seen=stack(450, 550))
    assert len(table.add(doubtful=stack(450, 550), t=0.5).label) == 0
    assert len(table.add(RIM, hidden_mm=GREY_ON_GREY, doubtful=stack(490, 550), t=1.0, still_s=0.4).label) == 0


def test_chip_that_was_surely_seen_is_there_still_where_nothing_moved_since() -> None:
    table = Table()
    table.add()
    both = (430, 550, 20), (490, 550, 20)
    one, other = stack(430, 550), stack(490, 550)
    table.add(*both, seen=concatenate([one, other]), t=0.1)
    assert len(table.add(*both, seen=one, t=0.5).label) == 2
    assert len(table.add(both[0], seen=one, t=0.7).label) == 1
    assert len(table.add(*both, seen=one, t=0.9, still_s=0.6).label) == 1
    assert len(table.add(*both, seen=one, t=2.2).label) == 1


def test_box_that_showed_a_stack_twice_over_is_not_kept() -> None:
    table = Table()
    table.add()
    tall = (430, 550, 20), (448, 565, 20)
    table.add(*tall, seen=concatenate([stack(430, 550), stack(450, 570)]), t=0.1)
    assert len(table.add(*tall, seen=stack(430, 550), t=0.2).label) == 1


def test_doubtful_chip_beside_a_sure_one_counts_where_it_was_sure_a_moment_ago() -> None:
    table = Table()
    table.add()
    both = (430, 550, 20), (490, 550, 20)
    one, other = stack(430, 550), stack(490, 550)
    assert len(table.add(*both, seen=one, doubtful=other).label) == 1
    table.add(*both, seen=concatenate([one, other]), t=0.1)
    assert len(table.add(*both, seen=one, doubtful=other, t=0.2).label) == 2
    assert len(table.add(*both, seen=one, doubtful=stack(436, 550), t=0.6, still_s=0.4).label) == 1


FAINT = (450, 550, 20)
"""A chip in the cloth's colour: less than 30 grey levels apart, which the detector finds only at times."""


def look_at_faint_chip(
    table: Table, t: float, *, seen: Detections = NONE, covered: bool = False, chip: bool = True, x: int = FAINT[0]
) -> int:
    """How many chips stand there."""
    image = np.full((1080, 1920, 3), (60, 90, 40), np.uint8)
    if chip:
        cv2.circle(image, (x + 60, FAINT[1] + 90), FAINT[2], (75, 72, 58), -1)
    cover = Cover(table.gate.grid, table.change, np.full(table.gate.grid.shape_hw, covered))
    return len(table.chips.add(seen, NONE, Frame(0, t, image), cover, [(0.0, 0.0, *SIZE_MM)]).label)


@pytest.mark.parametrize(
    ("sure_looks", "is_taken", "left"),
    [
        pytest.param(3, False, 1, id="not-touched"),
        pytest.param(3, True, 0, id="taken-by-the-hand"),
        pytest.param(1, False, 0, id="one-look-may-have-erred"),
    ],
)
def test_chip_in_the_cloth_s_colour_stands_on_under_a_hand_where_the_picture_is_the_same(
    sure_looks: int, is_taken: bool, left: int
) -> None:
    table = Table()
    look_at_faint_chip(table, 0.0, chip=False)
    for i in range(sure_looks):
        assert look_at_faint_chip(table, 0.1 * (i + 1), seen=stack(450, 550)) == 1
    for t in (4.0, 9.0):
        look_at_faint_chip(table, t, covered=True)
    assert look_at_faint_chip(table, 9.5, chip=not is_taken) == left
    assert look_at_faint_chip(table, 20.0, chip=not is_taken) == left
    assert look_at_faint_chip(table, 21.0, chip=False) == 0
    assert look_at_faint_chip(table, 22.0) == 0


@pytest.mark.parametrize(("x", "left"), [(462, 1), (490, 0)], ids=["pushed", "elsewhere"])
def test_chip_in_the_cloth_s_colour_that_a_hand_pushed_stands_beside(x: int, left: int) -> None:
    table = Table()
    look_at_faint_chip(table, 0.0, chip=False)
    for i in range(3):
        look_at_faint_chip(table, 0.1 * (i + 1), seen=stack(450, 550))
    look_at_faint_chip(table, 4.0, covered=True)
    for t in (9.0, 9.1):
        assert look_at_faint_chip(table, t, x=x) == left


PRINT = (450, 550, 20), (445, 545, -8)
"""A disc as large as a chip, with something in it."""
CHIP = (450, 550, 21), (453, 556, -12)


def test_print_that_the_detector_takes_for_chips_now_and_then_is_no_chip() -> None:
    table = Table()
    table.add(*PRINT)
    assert table.chips.print_mm == []
    assert len(table.add(*PRINT, seen=stack(450, 550)).label) == 0
    assert [at.tolist() for at in table.chips.print_mm] == [[450, 550]]
    assert len(table.add(*PRINT, seen=stack(450, 550), covered=True).label) == 0
    assert len(table.add(*PRINT, *CHIP, seen=stack(450, 550)).label) == 1
    assert table.chips.print_mm == []


def test_chip_under_a_hand_is_not_compared_with_the_cloth() -> None:
    table = Table()
    table.add(*PRINT)
    hand = (460, 560, -25)
    assert len(table.add(*PRINT, hand, seen=stack(450, 550), covered=True).label) == 1


@pytest.mark.parametrize("covered", [False, True])
def test_print_beside_which_a_chip_lies_is_no_chip_either(covered: bool) -> None:
    table = Table()
    table.add(*PRINT)
    chip, both = (450, 578, -20), concatenate([stack(450, 550), stack(450, 578)])
    found = table.add(*PRINT, chip, seen=both, covered=covered)
    assert found.centres_mm.tolist() == [[450, 578]]
    found = table.add(*PRINT, (450, 545, -18), chip, seen=both)
    assert len(found.label) == 2


def test_print_that_a_chip_mostly_covers_is_not_compared_with_the_cloth() -> None:
    table = Table()
    table.add(*PRINT)
    both = concatenate([stack(450, 550), stack(450, 562)])
    assert len(table.add(*PRINT, (450, 562, -20), seen=both).label) == 2
