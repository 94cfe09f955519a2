"""Spreads in the comparison: cards in their place, and what is said against a deck."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from thirdcard.service.evaluate.spreads import PACK, SpreadCounts, compare_spreads, spreads_sheet

NOTHING: dict[str, Any] = {
    key: [] for key in ("missing", "doubled", "one_too_many", "foreign", "face_down", "could_not_see")
}


def lay(*decks: Sequence[str | None], t: float = 6.0) -> dict[str, Any]:
    """What lay there, a row a deck."""
    rows = [[{"deck": n, "card": card} for card in cards] for n, cards in enumerate(decks, start=1)]
    return {"t": t, "to": t + 5.0, "rows": rows}


def told(*decks: dict[str, Any], cards: Sequence[Sequence[str | None]] = (PACK,), t: float = 6.3) -> dict[str, Any]:
    """What was said of it."""
    rows = [[{"card": card} for card in row] for row in cards]
    return {"t": t, "to": t + 6.0, "rows": rows, "decks": [NOTHING | deck for deck in decks]}


def without(*cards: str) -> list[str]:
    return [card for card in PACK if card not in cards]


def test_whole_deck_that_was_read_whole() -> None:
    assert compare_spreads([lay(PACK)], [told({})]) == SpreadCounts(lays=1, lays_found=1, cards=52, right=52)


@pytest.mark.parametrize(
    ("laid", "said", "expected"),
    [
        pytest.param(without("7C"), {"missing": ["7C"]}, {"missing": 1, "missing_found": 1}, id="missing"),
        pytest.param(without("7C"), {"missing": ["8C"]}, {"missing": 1, "false": 1}, id="another_missing"),
        pytest.param(without("7C"), {"could_not_see": ["7C"]}, {"missing": 1, "could_not_see": 1}, id="not_seen"),
        pytest.param([*PACK, "5S"], {"doubled": ["5S"]}, {"doubled": 1, "doubled_found": 1}, id="doubled"),
        pytest.param([*PACK, "5S"], {"one_too_many": ["6S"]}, {"doubled": 1, "doubled_found": 1}, id="one_too_many"),
        pytest.param([*PACK, "5S"], {"one_too_many": ["9S"]}, {"doubled": 1, "false": 1}, id="too_far_off"),
        pytest.param(
            [*without("JH"), None], {"foreign": ["JH"]}, {"strange": 1, "strange_found": 1}, id="foreign"
        ),
        pytest.param(PACK, {"foreign": ["JH"]}, {"false": 1}, id="none_is_foreign"),
    ],
)  # fmt: skip
def test_what_is_said_against_a_deck(laid: list[str | None], said: dict[str, Any], expected: dict[str, int]) -> None:
    counts = compare_spreads([lay(laid)], [told(said, cards=[laid])])
    faces = sum(card is not None for card in laid)
    assert counts == SpreadCounts(lays=1, lays_found=1, cards=faces, right=faces, **expected)


def test_card_told_as_another_is_not_right() -> None:
    read = ["AC" if card == "4H" else card for card in PACK]
    assert compare_spreads([lay(PACK)], [told({}, cards=[read])]).right == 51


def test_rows_may_be_told_in_another_order() -> None:
    counts = compare_spreads([lay(PACK, PACK[::-1])], [told({}, {}, cards=[PACK[::-1], PACK])])
    assert (counts.cards, counts.right) == (104, 104)


def test_lay_that_was_not_told_and_one_that_did_not_lie_there() -> None:
    counts = compare_spreads([lay(PACK, t=6.0)], [told({}, t=40.0)])
    assert (counts.lays, counts.lays_found, counts.right, counts.false) == (1, 0, 0, 1)


def test_sheet_names_each_recording() -> None:
    counts = compare_spreads([lay(without("7C"))], [told({"missing": ["7C"]}, cards=[without("7C")])])
    (row,) = spreads_sheet([("spread-nz", counts)]).rows
    assert row == ("spread-nz", "1 of 1", "51 of 51 (100 %)", "1 of 1", "0 of 0", "0 of 0", "0", "0")
