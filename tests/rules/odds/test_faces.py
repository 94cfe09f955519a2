"""Deals counted by suits, ranks and single cards: as counted by points, and as chances worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from thirdcard.rules.odds.enumeration import plans_of
from thirdcard.rules.odds.faces import count_facts_of_faces
from thirdcard.rules.odds.odds import _count_facts
from thirdcard.rules.rulebook.parse import usual_table

PLANS = plans_of(usual_table(None))
DECKS = 2
CARDS = 52 * DECKS


def counted(*asked: str) -> dict[frozenset[str], int]:
    return {facts: n for facts, n in count_facts_of_faces(DECKS, PLANS, frozenset(asked)).items() if n}


def chance(*asked: str) -> Fraction:
    counts = counted(*asked)
    return Fraction(counts.get(frozenset(asked), 0), sum(counts.values()))


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(("winner=tie", "banker_points=7", "banker_cards=3"), id="points"),
        pytest.param(("player_pair=any", "banker_pair=any", "winner=player"), id="pairs"),
        pytest.param(("player_pair=mixed", "player_pair=perfect", "banker_pair=coloured"), id="kinds of pairs"),
        pytest.param(("player_triple=true", "banker_pair=perfect", "banker_triple=true"), id="triples"),
    ],
)
def test_counts_are_those_of_the_count_by_points(asked: tuple[str, ...]) -> None:
    expected: dict[frozenset[str], int] = {}
    for facts, ways in _count_facts(DECKS, PLANS).items():
        key = facts & frozenset(asked)
        expected[key] = expected.get(key, 0) + ways
    assert counted(*asked) == expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param("player_suited=true", Fraction(26 - 1, CARDS - 1), id="one suit"),
        pytest.param("banker_first_suit=H", Fraction(1, 4), id="suit of a card"),
        pytest.param("player_second_rank=Q", Fraction(1, 13), id="rank of a card"),
        pytest.param("banker_second_colour=red", Fraction(1, 2), id="colour of a card"),
        pytest.param("player_first_points=0", Fraction(4, 13), id="points of a card"),
        pytest.param("player_pair_rank=8", Fraction(8 * 7, CARDS * (CARDS - 1)), id="rank of a pair"),
        pytest.param(
            "pairs_alike=true",
            Fraction(13 * 8 * 7 * 6 * 5, CARDS * (CARDS - 1) * (CARDS - 2) * (CARDS - 3)),
            id="both pairs of one rank",
        ),
    ],
)
def test_chance_is_that_of_the_first_cards(asked: str, expected: Fraction) -> None:
    assert chance(asked) == expected


def test_red_and_black_hands_are_as_frequent_and_one_suit_is_rarer_than_one_colour() -> None:
    red, black = chance("player_colour=red"), chance("player_colour=black")
    assert red == black
    assert chance("player_flush=true") < 2 * red


def test_third_cards_facts_hold_only_where_there_is_one() -> None:
    has_third = chance("player_cards=3")
    assert sum(chance(f"player_third_suit={suit}") for suit in "CDHS") == has_third
    assert sum(chance(f"player_third_points={points}") for points in range(10)) == has_third
    assert chance("banker_three_alike=true") < chance("banker_pair=any") * chance("banker_cards=3")
