"""What a house's own bets may ask of a hand."""

from __future__ import annotations

import pytest

from thirdcard.rules.game.cards import parse_card
from thirdcard.rules.game.hand_marks import KINDS, marks_asked, marks_of

CASES = [
    pytest.param("KH 3H", {"suited=true", "flush=true", "colour=red", "first_rank=K", "second_points=3"}, id="a suit"),
    pytest.param("KH 3D 5H", {"colour=red", "third_suit=H", "second_colour=red"}, id="red"),
    pytest.param("7C 7S 7C", {"colour=black", "pair_rank=7", "three_alike=true"}, id="three of a rank"),
    pytest.param("10C JC 2H", {"suited=true", "first_points=0", "third_colour=red"}, id="suited pair of zeros"),
]  # fmt: skip


@pytest.mark.parametrize(("cards", "expected"), CASES)
def test_hand_states_what_it_is(cards: str, expected: set[str]) -> None:
    found = marks_of([parse_card(text) for text in cards.split()], KINDS)
    assert expected <= found
    assert not {"flush=true"} & found or "flush=true" in expected


def test_third_card_that_is_not_there_states_nothing() -> None:
    found = marks_of([parse_card("KH"), parse_card("3D")], KINDS)
    assert not [mark for mark in found if mark.startswith("third_")]


def test_pairs_and_points_are_no_marks() -> None:
    assert marks_asked(["player_pair=any", "winner=tie", "banker_points=6"]) == frozenset()
    assert marks_asked(["pairs_alike=true", "player_first_suit=H"]) == {"pair_rank", "first_suit"}
