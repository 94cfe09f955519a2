"""Where to look under hands, and how often."""

from __future__ import annotations

import numpy as np

from thirdcard.vision.cards.table_cards import UNDER_HANDS_S, UnderHands
from thirdcard.vision.plane.change_gate import GridFrame

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
