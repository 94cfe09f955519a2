"""Two cards that left the shoe at once are distinguished from cards that were dealt one by one, or seen late."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.service.interpretation.test_interpreter import log_of, rested
from thirdcard.rules.log.events import CardDealt


def pairs(*cards: tuple[float, str, float]) -> list[tuple[str, str | None]]:
    """Each card and its partner; cards are given as time, hand and for how long they were hidden."""
    seen = [replace(rested(i, t, hand, None, up=False), hidden_s=hidden) for i, (t, hand, hidden) in enumerate(cards)]
    return [(line.card_id, line.together_with) for line in log_of(*seen) if isinstance(line, CardDealt)]


@pytest.mark.parametrize(
    ("second", "partner"),
    [
        pytest.param((10.1, "banker", 0.0), "c1", id="same box, same moment"),
        pytest.param((10.4, "banker", 0.4), "c1", id="same box, both came within the time"),
        pytest.param((10.2, "player", 0.0), "c1", id="other box, same moment"),
        pytest.param((10.5, "player", 0.0), None, id="other box, half a second later"),
        pytest.param((10.7, "banker", 0.0), None, id="same box, as quick as dealers are"),
        pytest.param((10.1, "banker", 0.9), None, id="hidden: it may have come long before"),
    ],
)
def test_second_card_is_joined_where_both_came_at_once(second: tuple[float, str, float], partner: str | None) -> None:
    assert pairs((10.0, "banker", 0.0), second) == [("c1", None), ("c2", partner)]


def test_first_card_that_was_hidden_for_long_joins_none() -> None:
    assert pairs((10.9, "player", 1.0), (10.9, "banker", 0.0)) == [("c1", None), ("c2", None)]


def test_cards_that_lay_there_when_the_watch_began_are_no_pair() -> None:
    assert pairs((0.1, "banker", 0.0), (0.1, "banker", 0.0)) == [("c1", None), ("c2", None)]


def test_third_card_at_once_has_no_second_partner() -> None:
    assert pairs((10.0, "banker", 0.0), (10.1, "banker", 0.0), (10.2, "banker", 0.0))[2] == ("c3", None)


@pytest.mark.parametrize(("is_faint", "partner"), [(False, "c4"), (True, None)])
def test_back_that_is_hardly_recognised_beside_the_fourth_card_may_be_none(is_faint: bool, partner: str | None) -> None:
    hands = ("player", "banker", "player", "banker", "banker")
    seen = [
        rested(i, t, hand, None, up=False) for i, (t, hand) in enumerate(zip((6, 7, 8, 9, 9.1), hands, strict=True))
    ]
    seen[-1] = replace(seen[-1], is_faint=is_faint, hidden_s=0.3)
    last = [line for line in log_of(*seen) if isinstance(line, CardDealt)][-1]
    assert (last.together_with, last.order_unseen) == (partner, is_faint)
