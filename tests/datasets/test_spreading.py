"""The decks spread before play: which cards lie where, what is wrong in them, and what the truth says of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.datasets.scenarios import play, script_of
from thirdcard.datasets.decks.deck import load_deck
from thirdcard.datasets.decks.mixed import JOKER, MixedDeck
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.script import parse_script
from thirdcard.datasets.script.spreading import deck_in_order, format_lays


def spread_of(**more: Any) -> Any:
    return script_of(spread={"seconds": 1.0} | more)


def names(row: Any) -> list[str]:
    return [card.card for card in row]


def test_deck_lies_in_a_ribbon_by_suit_and_sequence() -> None:
    lay = play(spread_of()).lays[0]

    assert len(lay.rows) == 1
    assert names(lay.rows[0])[:14] == [*(f"{rank}C" for rank in "A23456789"), "10C", "JC", "QC", "KC", "AD"]
    across = np.diff([card.pose.x_mm for card in lay.rows[0]])
    assert len(across) == 51 and across.min() > 15 and across.max() < 50


def test_loose_deck_lies_in_a_row_a_suit_with_room_between_the_cards() -> None:
    lay = play(spread_of(way="loose")).lays[0]

    assert [len(row) for row in lay.rows] == [13, 13, 13, 13]
    assert [row[0].card for row in lay.rows] == ["AC", "AD", "AH", "AS"]


def test_decks_that_have_no_room_at_once_lie_one_lay_after_the_other() -> None:
    performance = play(spread_of(decks=5, at_once=2))

    assert [{card.deck for row in lay.rows for card in row} for lay in performance.lays] == [{1, 2}, {3, 4}, {5}]
    assert all(
        first.to_t < second.from_t for first, second in zip(performance.lays, performance.lays[1:], strict=False)
    )


def test_all_cards_of_a_lay_are_on_the_table_while_it_is_left_and_none_after() -> None:
    performance = play(spread_of(decks=2))
    lay = performance.lays[0]

    assert len(performance.timeline.scene_at(0.5 * (lay.from_t + lay.to_t)).cards) == 104
    assert performance.timeline.scene_at(performance.timeline.end).cards == ()


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        pytest.param("missing", ["6C", "8C"], id="missing"),
        pytest.param("doubled", ["6C", "7C", "7C", "8C"], id="doubled"),
        pytest.param("foreign", ["6C", "~7C", "8C"], id="foreign"),
        pytest.param("joker", ["6C", "joker", "8C"], id="joker"),
        pytest.param("face_down", ["6C", "7C", "8C"], id="face down"),
    ],
)
def test_oddity_stands_where_its_card_is_due(kind: str, shown: list[str]) -> None:
    spread = spread_of(oddities=[{"kind": kind, "card": "7C"}]).spread
    cards = deck_in_order(spread, 1)

    assert [card for card, _ in cards[5 : 5 + len(shown)]] == shown
    assert [card for card, face_up in cards if not face_up] == (["7C"] if kind == "face_down" else [])


def test_truth_names_no_card_that_is_strange_or_face_down() -> None:
    oddities = [{"kind": "foreign", "card": "2C"}, {"kind": "joker", "card": "3C"}, {"kind": "face_down", "card": "4C"}]
    line = format_lays(play(spread_of(oddities=oddities)).lays)[0]

    told = [(card["card"], card["odd"]) for card in line["rows"][0][:5]]  # type: ignore[index]
    assert told == [("AC", None), (None, "foreign"), (None, "joker"), (None, "face_down"), ("5C", None)]


def test_fan_shaped_row_bends_towards_the_seats_in_its_middle() -> None:
    row = play(spread_of(arc_mm=60, untidy=0)).lays[0].rows[0]

    assert row[26].pose.y_mm - row[0].pose.y_mm == pytest.approx(60, abs=2)
    assert row[0].pose.angle_deg == pytest.approx(-row[-1].pose.angle_deg, abs=0.5)


@pytest.mark.parametrize(
    ("spread", "text"),
    [
        pytest.param({"suits": "CDH"}, "spread.suits = 'CDH'; must hold each of CDHS once", id="suits"),
        pytest.param({"falling": "X"}, "spread.falling = 'X'; must be some of CDHS", id="falling"),
        pytest.param({"decks": 6, "way": "loose", "at_once": 6}, "has room for", id="room"),
        pytest.param({"oddities": [{"kind": "missing", "card": "1C"}]}, "spread.oddities[0].card", id="card"),
        pytest.param({"oddities": [{"kind": "missing", "card": "AC", "deck": 2}]}, "must be 1 to 1", id="deck"),
    ],
)
def test_spread_that_cannot_be_is_refused(spread: dict[str, Any], text: str) -> None:
    with pytest.raises(ScriptError) as caught:
        play(spread_of(**spread))

    assert text in str(caught.value)


def test_script_without_rounds_and_spread_is_refused() -> None:
    with pytest.raises(ScriptError, match="rounds must hold at least one, or spread be given"):
        parse_script({"table": {"rulebook": "tas"}}, "x.yaml")


def test_mixed_deck_shows_the_stranger_and_a_joker() -> None:
    own, stranger = load_deck("machine:1"), load_deck("machine:2")
    mixed = MixedDeck(own, stranger)

    assert (mixed.face("5D") == own.face("5D")).all()
    assert (mixed.face("~5D") == stranger.face("5D")).all()
    assert mixed.face(JOKER).shape == own.face("5D").shape
    assert (mixed.back() == own.back()).all()
