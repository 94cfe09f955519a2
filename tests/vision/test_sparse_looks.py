"""A table that is looked at only a few times a second: cards that are seen briefly between hands, and not for long."""

from __future__ import annotations

import pytest

from tests.vision.card_table import Table, sight
from thirdcard.vision.observations import CardRested


def rested_of(table: Table) -> list[tuple[float, float]]:
    """When cards came to rest, and for how long they had been hidden."""
    return [(round(one.t, 3), round(one.hidden_s, 3)) for one in table.told if isinstance(one, CardRested)]


@pytest.mark.parametrize(
    ("covered_s", "rested_t", "hidden_s"),
    [
        pytest.param(0.2, 0.1, 0.0, id="a short cover"),
        pytest.param(0.9, 0.1, 0.0, id="a hand deals the next card over it"),
        pytest.param(1.6, 1.8, 1.7, id="another may lie there after so long, or the same since it was seen first"),
    ],
)
def test_card_that_was_seen_free_for_a_moment_waits_under_a_hand(
    covered_s: float, rested_t: float, hidden_s: float
) -> None:
    table = Table()
    table.look()
    table.look(sight(100, face_up=False))
    table.covered = lambda x: True
    table.look(looks=round(10 * covered_s))
    table.covered = lambda x: False
    table.look(sight(102, face_up=False), looks=8)
    assert rested_of(table) == [(rested_t, hidden_s)]


def test_card_that_was_seen_under_a_hand_only_is_on_its_way() -> None:
    table = Table(covered=lambda x: True)
    table.look(looks=1)
    table.look(sight(100, face_up=False))
    table.look(looks=7)
    table.covered = lambda x: False
    table.look(sight(100, face_up=False), looks=8)
    assert rested_of(table) == [(0.9, 0.0)]


def test_card_that_waited_under_a_hand_is_not_taken_for_the_one_beside_it() -> None:
    table = Table()
    table.look(sight(100, face_up=False))
    table.covered = lambda x: True
    table.look(looks=6)
    table.covered = lambda x: x < 150
    table.look(sight(160, face_up=False), looks=8)
    assert rested_of(table) == [(0.7, 0.0)]


@pytest.mark.parametrize(("gap_s", "hidden_s"), [(0.1, 0.0), (0.4, 0.4)])
def test_what_came_between_two_looks_may_have_come_at_any_moment(gap_s: float, hidden_s: float) -> None:
    table = Table()
    table.look()
    table.t = gap_s
    table.look(sight(100, face_up=False), looks=8)
    assert rested_of(table) == [(gap_s, hidden_s)]
