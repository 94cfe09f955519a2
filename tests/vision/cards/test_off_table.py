"""A card that is nowhere, with no hand there to hold it, is off the table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.card_table import sight
from tests.vision.cards.test_handed_cards import IN_NEAR, passed_table
from thirdcard.vision.observations import CardRested, CardShifted, CardTakenOff, Observation

EDGE = (150.0, 900.0)


def taken_off(told: list[Observation]) -> list[CardTakenOff]:
    return [each for each in told if isinstance(each, CardTakenOff)]


def test_card_with_a_player_that_is_nowhere_is_told_of_once_with_the_arm_that_was_there() -> None:
    table = passed_table()
    table.entry = EDGE
    table.covered = lambda x: x > 0
    table.look(looks=6)
    table.covered = lambda x: False
    free_t = table.t
    table.look(looks=40)
    (told,) = taken_off(table.told)
    (rested,) = [each for each in table.told if isinstance(each, CardRested)]
    assert (told.track_id, told.region, told.entries_mm) == (rested.track_id, "near", (EDGE,) * 3)
    assert free_t <= told.t < free_t + 0.5


def test_card_that_comes_back_is_the_same() -> None:
    table = passed_table()
    table.look(looks=30)
    table.look(sight(150, y_mm=IN_NEAR), looks=12)
    assert len(taken_off(table.told)) == 1
    last = [each for each in table.told if isinstance(each, CardShifted)][-1]
    assert last.track_id == taken_off(table.told)[0].track_id


def over_its_place(corners: NDArray[np.float64]) -> bool:
    return float(corners[:, 1].mean()) > 400


def over_a_region(corners: NDArray[np.float64]) -> bool:
    return len(corners) == 4 and float(np.ptp(corners[:, 0])) == 300


@pytest.mark.parametrize("covered", [over_its_place, over_a_region])
def test_hand_may_hold_it(covered: Callable[[NDArray[np.float64]], bool]) -> None:
    table = passed_table()
    table.covers = covered
    table.look(looks=40)
    assert taken_off(table.told) == []


def test_what_is_not_known_may_be_it() -> None:
    table = passed_table()
    for step in range(40):
        table.look(sight(700 + 20 * (step % 2), face_up=False, y_mm=IN_NEAR))
    assert taken_off(table.told) == []


def test_card_of_which_the_other_lies_there_was_taken_as_it_was_brought() -> None:
    table = passed_table()
    table.look(sight(150, face_up=False, y_mm=IN_NEAR), sight(100, face_up=False), looks=8)
    table.look(sight(150, face_up=False, y_mm=IN_NEAR), looks=30)
    (told,) = taken_off(table.told)
    rested = [each.track_id for each in table.told if isinstance(each, CardRested)]
    assert (told.track_id, told.region) == (rested[-1], "near")


def test_card_that_left_its_region_and_was_never_with_a_player_is_elsewhere() -> None:
    table = passed_table()
    table.look(sight(150, y_mm=IN_NEAR), looks=8)
    table.look(sight(150, y_mm=IN_NEAR), sight(450, face_up=False), looks=8)
    table.look(sight(150, y_mm=IN_NEAR), looks=30)
    assert taken_off(table.told) == []


def test_what_happened_between_looks_far_apart_nobody_saw() -> None:
    table = passed_table()
    for _ in range(6):
        table.look()
        table.t += 1.4
    table.look()
    assert taken_off(table.told) == []
