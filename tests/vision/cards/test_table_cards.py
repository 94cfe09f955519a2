"""Where to look under hands, and how often."""

from __future__ import annotations

import numpy as np
import pytest

from thirdcard.vision.cards.table_cards import UNDER_HANDS_S, UnderHands, unnoticed_s, without
from thirdcard.vision.detections import CARD_BACK, CUT_CARD, Detections
from thirdcard.vision.plane.change_gate import Change, GridFrame
from thirdcard.vision.plane.occlusion import Cover

LEFT = np.array([[0.0, 0], [200, 0], [200, 100], [0, 100]])
RIGHT = LEFT + np.array([400.0, 0])
GRID = GridFrame((0.0, 0.0), (20, 80))


def test_regions_under_hands_are_asked_for_all_over_and_not_at_every_look() -> None:
    under = UnderHands([LEFT, RIGHT], GRID)
    hands = GRID.mask_of(RIGHT)
    asked = [under.asked_mm(hands, t) for t in (1.0, 1.0 + UNDER_HANDS_S / 2, 1.01 + UNDER_HANDS_S)]
    assert [len(points) for points in asked] == [4, 0, 4]
    assert {(float(x), float(y)) for x, y in asked[0]} == {(450.0, 25.0), (550.0, 25.0), (550.0, 75.0), (450.0, 75.0)}


def test_where_no_hand_lies_nothing_is_asked_for() -> None:
    assert UnderHands([LEFT], GRID).asked_mm(GRID.mask_of(RIGHT), 1.0) == []


@pytest.mark.parametrize(
    ("still_s", "unnoticed"), [(0.0, 0.0), (0.3, 0.0), (0.9, 0.9), (60.0, 0.0)], ids=["new", "soon", "late", "print"]
)
def test_what_was_found_late_may_have_lain_there_since_its_place_was_still(still_s: float, unnoticed: float) -> None:
    cells, nowhere = np.zeros((20, 80)), np.zeros((20, 80), bool)
    cells[GRID.mask_of(LEFT)] = still_s
    picture = np.zeros((20, 80, 3), np.float32)
    change = Change(t=9.0, picture=picture, moving=nowhere, foreground=nowhere, strange=nowhere, still_s=cells)
    assert unnoticed_s(Cover(GRID, change, nowhere), LEFT) == unnoticed


def test_cutting_cards_at_a_place_are_left_out_but_nothing_else() -> None:
    corners = np.array([[0.0, 0], [63, 0], [63, 88], [0, 88]]) + np.array([[[100.0, 0]], [[100.0, 4]], [[400.0, 0]]])
    found = Detections(corners, np.array([CUT_CARD, CARD_BACK, CUT_CARD]), np.full(3, 0.8))
    left = without(found, CUT_CARD, [np.array([130.0, 50.0])])
    assert left.label.tolist() == [CARD_BACK, CUT_CARD]
    assert left.centres_mm[-1, 0] == 431.5
    assert len(without(found, CUT_CARD, [])) == 3
