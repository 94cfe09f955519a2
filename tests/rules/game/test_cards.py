"""All 52 cards, their points and pairs."""

from __future__ import annotations

import pytest

from thirdcard.rules.errors import CardError
from thirdcard.rules.game.cards import PACK, Card, format_card, parse_card
from thirdcard.rules.game.hand import is_triple_match, known_point_count, pair_kind, point_count


def test_every_card_survives_being_written_and_read() -> None:
    assert [parse_card(format_card(card)) for card in PACK] == list(PACK)
    assert len({format_card(card) for card in PACK}) == 52


@pytest.mark.parametrize("text", ["1S", "11H", "AX", "", "10", "as", "S10"])
def test_parse_card_refuses_what_is_no_card(text: str) -> None:
    with pytest.raises(CardError, match=f"card = {text}; allowed"):
        parse_card(text)


def test_card_refuses_a_rank_that_is_none() -> None:
    with pytest.raises(CardError, match="card = 1S"):
        Card("1", "S")


@pytest.mark.parametrize(
    ("rank", "points", "face_count"),
    [("A", 1, 1), ("2", 2, 2), ("9", 9, 9), ("10", 0, 10), ("J", 0, 10), ("Q", 0, 10), ("K", 0, 10)],
)
def test_points_of_each_rank(rank: str, points: int, face_count: int) -> None:
    assert (Card(rank, "H").point_value, Card(rank, "H").face_count) == (points, face_count)


def test_point_count_is_modulo_ten() -> None:
    assert point_count([Card("9", "H"), Card("8", "S"), Card("7", "D")]) == 4
    assert known_point_count([Card("9", "H"), None]) is None


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [("QH", "QH", "perfect"), ("QH", "QD", "coloured"), ("QH", "QS", "mixed"), ("QH", "KH", None), ("10H", "JH", None)],
)
def test_pair_kinds(first: str, second: str, kind: str | None) -> None:
    assert pair_kind(parse_card(first), parse_card(second)) == kind


def test_triple_match_needs_rank_and_suit() -> None:
    assert is_triple_match([Card("Q", "H")] * 3)
    assert not is_triple_match([Card("Q", "H"), Card("Q", "H"), Card("Q", "D")])
    assert not is_triple_match([Card("Q", "H")] * 2)
