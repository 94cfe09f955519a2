"""Decks counted from rows: what is missing, twice, strange, and what could not be seen."""

from __future__ import annotations

from typing import Any

import pytest

from thirdcard.service.watch.spread_count import (
    CountedSpread,
    SpreadFinding,
    SpreadPlace,
    count_decks,
    format_spread,
    spread_text,
)

SUITS, RANKS = "CDHS", ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]


def laid(name: str, **more: Any) -> SpreadPlace:
    settings: dict[str, Any] = {"card": name, "expected": name, "confidence": 0.99, "corners_mm": ((0.0, 0.0),)}
    return SpreadPlace(**(settings | more))


def deck(**changed: SpreadPlace | list[SpreadPlace] | None) -> list[SpreadPlace]:
    """A row of 52, some cards replaced by others or left out; a name may begin with an underscore."""
    row: list[SpreadPlace] = []
    swaps = {name.lstrip("_"): value for name, value in changed.items()}
    for card in (rank + suit for suit in SUITS for rank in RANKS):
        value = swaps.get(card, laid(card))
        row += value if isinstance(value, list) else [] if value is None else [value]
    return row


def spread_of(*rows: list[SpreadPlace]) -> CountedSpread:
    lying = tuple(tuple(row) for row in rows)
    return CountedSpread(from_t=11.9, to_t=15.0, rows=lying, decks=count_decks(lying), is_ordered=True)


def test_whole_decks_are_complete() -> None:
    spread = spread_of(deck(), deck())

    assert [each.is_complete for each in spread.decks] == [True, True]
    assert spread_text(spread) == "Spread of 2 decks: every card is there once."


def test_deck_in_four_rows_is_one_deck() -> None:
    row = deck()

    assert [each.is_complete for each in spread_of(*(row[n : n + 13] for n in range(0, 52, 13))).decks] == [True]


@pytest.mark.parametrize(
    ("row", "finding", "text"),
    [
        pytest.param(deck(_7C=None), SpreadFinding.MISSING, "deck 1 lacks 7C", id="missing"),
        pytest.param(deck(AC=None), SpreadFinding.MISSING, "deck 1 lacks AC", id="first missing"),
        pytest.param(deck(QH=[laid("QH"), laid("QH")]), SpreadFinding.DOUBLED, "has QH twice", id="doubled"),
        pytest.param(
            deck(QH=[laid("QH", is_sure=False), laid("QH")]),
            SpreadFinding.ONE_TOO_MANY,
            "card too many, QH or",
            id="too many",
        ),
        pytest.param(deck(_5D=laid("5D", is_foreign=True)), SpreadFinding.FOREIGN, "place of 5D", id="foreign face"),
        pytest.param(deck(_2S=laid("2S", card=None)), SpreadFinding.FOREIGN, "in the place of 2S", id="joker"),
        pytest.param(
            deck(JC=laid("JC", card=None, is_back=True)), SpreadFinding.FACE_DOWN, "a back in", id="face down"
        ),
        pytest.param(
            deck(JC=laid("JC", is_sure=False)), SpreadFinding.COULD_NOT_SEE, "not be seen at JC", id="doubtful"
        ),
        pytest.param(
            deck(_6C=laid("6C", hides=True), _7C=None), SpreadFinding.COULD_NOT_SEE, "not be seen at 7C", id="hidden"
        ),
        pytest.param(
            deck(_6C=laid("6C", is_sure=False), _7C=None), SpreadFinding.COULD_NOT_SEE, "6C", id="unsure place"
        ),
    ],
)
def test_card_that_is_not_as_it_should_be_is_told(row: list[SpreadPlace], finding: SpreadFinding, text: str) -> None:
    spread = spread_of(row)

    assert {doubt.finding for doubt in spread.doubts} == {finding}
    assert text in spread_text(spread)


def test_suit_that_does_not_lie_there_could_not_be_seen() -> None:
    doubts = spread_of(deck()[13:]).doubts

    assert {doubt.finding for doubt in doubts} == {SpreadFinding.COULD_NOT_SEE}
    assert [doubt.card[-1] for doubt in doubts] == ["C"] * 13


def test_falling_suit_names_the_card_before_the_gap() -> None:
    row = list(reversed(deck(_7C=None)[:12]))

    assert count_decks([row])[0].doubts[0].place == laid("8C")


def test_stray_card_of_another_suit_does_not_end_its_suit() -> None:
    row = deck(_5D=laid("KS"))

    assert [each.found for each in count_decks([row])] == [52]


def test_line_names_every_card_by_deck() -> None:
    line = format_spread(spread_of(deck(), deck(_7C=None)))

    assert [each["missing"] for each in line["decks"]] == [[], ["7C"]]  # type: ignore[attr-defined]
    assert [each["found"] for each in line["decks"]] == [52, 51]  # type: ignore[attr-defined]
    assert set(line["decks"][0]) == {"deck", "found", *SpreadFinding}  # type: ignore[index]
    assert line["rows"][1][6] == {"card": "8C", "expected": "8C", "confidence": 0.99, "at": [0.0, 0.0]}  # type: ignore[index]


def test_strange_card_at_the_end_of_a_row_stays_with_its_deck() -> None:
    counts = count_decks([[*deck(), laid("KC", card=None)], deck()])

    assert [each.found for each in counts] == [53, 52]
    assert counts[0].cards(SpreadFinding.FOREIGN) and not counts[1].doubts
