"""Every type of line survives being written and read, and says which field is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from thirdcard.rules.errors import EventError, UnknownEventError
from thirdcard.rules.game.words import Side
from thirdcard.rules.log.events import EVENT_TYPES, CardDealt, WagerChanged, format_event, parse_event, seat_of

LINES: list[dict[str, Any]] = [
    {"t": 0.5, "type": "shoe_opened", "decks": 8},
    {"t": 0.5, "type": "card_burned", "card": None},
    {"t": 0.5, "type": "card_burned", "card": "10H"},
    {"t": 0.5, "type": "cut_card_drawn", "confidence": 0.0},
    {"t": 0.5, "type": "last_round_announced"},
    {"t": 0.5, "type": "shoe_closed"},
    {"t": 0.5, "type": "dealer_changed", "dealer": "Kim"},
    {"t": 0.5, "type": "dealer_changed", "dealer": None},
    {"t": 0.5, "type": "bets_opened", "source": "signal"},
    {"t": 0.5, "type": "no_more_bets", "confidence": 0.9, "source": "inferred"},
    {"t": 0.5, "type": "no_more_bets", "within_s": 0.6, "confidence": 0.9, "source": "camera"},
    {
        "t": 0.5, "type": "wager_changed", "area": "s3-banker", "seat": 3, "bet": "banker", "before": 0, "after": None,
        "chips_before": 0, "chips_after": 4, "by": "seat:3",
    },
    {
        "t": 0.5, "type": "wager_changed", "area": "s3-banker", "seat": 3, "bet": "banker", "before": 100, "after": 0,
        "chips_before": 4, "chips_after": 0, "by": "seat:3", "earlier_s": 0.3, "later_s": 0.4,
    },
    {"t": 0.5, "type": "card_dealt", "card_id": "c1", "hand": None, "card": None, "face_up": False},
    {
        "t": 0.5, "type": "card_dealt", "card_id": "c2", "hand": "player", "card": "AS", "face_up": True,
        "together_with": "c1", "found_face_up": True, "confidence": 0.98, "source": "camera",
    },
    {"t": 0.5, "type": "void_hand_announced"},
    {"t": 0.5, "type": "round_voided"},
    {"t": 0.5, "type": "round_voided", "reason": "power failure", "source": "person"},
    {"t": 0.5, "type": "return_ordered", "area": "s3-player", "seat": 3, "bet": "player", "reason": "no insurance"},
    {"t": 0.5, "type": "card_shown", "card": None, "where": "discard"},
    {"t": 0.5, "type": "card_shown", "card": "KD", "where": "burn", "source": "person"},
    {"t": 0.5, "type": "card_replaced", "card_id": "c1"},
    {"t": 0.5, "type": "card_replaced", "card_id": "c1", "reason": "damaged"},
    {"t": 0.5, "type": "handling_declined", "seat": 4, "hand": "banker"},
    {"t": 0.5, "type": "nominee_named", "seat": 4, "nominee": 2},
    {"t": 0.5, "type": "nominee_named", "seat": 4, "nominee": None, "source": "person"},
    {"t": 0.5, "type": "limits_changed", "seat": None, "minimum": 50},
    {
        "t": 0.5, "type": "limits_changed", "seat": 1, "minimum": 5, "maximum": 5000, "differential": 9,
        "collective": 7, "bets": {"tie": {"maximum": 100}, "player_pair": {"minimum": 1, "maximum": 2}},
    },
    {
        "t": 0.5, "type": "wager_changed", "area": "s3-banker", "seat": 3, "bet": "banker", "before": 0, "after": 50,
        "chips_before": 0, "chips_after": 1, "by": "seat:3", "promotional": True,
    },
    {"t": 0.5, "type": "card_turned", "card_id": "c1", "card": "KD", "face_up": True, "by": "dealer"},
    {"t": 0.5, "type": "card_moved", "card_id": "c1", "hand": "banker"},
    {"t": 0.5, "type": "card_passed", "card_id": "c1", "to": "seat:4"},
    {"t": 0.5, "type": "card_removed", "card_id": "c1", "to": "off_table"},
    {"t": 0.5, "type": "result_announced", "player": 9, "banker": 9, "winner": "tie"},
    {
        "t": 0.5, "type": "wager_settled", "area": "tie-1", "seat": None, "bet": "tie", "action": "paid",
        "amount": None,
    },
    {"t": 0.5, "type": "round_closed"},
    {"t": 0.5, "type": "camera_lost", "camera": "overhead"},
    {"t": 0.5, "type": "camera_back", "camera": "overhead"},
    {"t": 0.5, "type": "camera_moved", "camera": "overhead"},
    {"t": 0.5, "type": "camera_obstructed", "camera": "overhead"},
    {"t": 0.5, "type": "camera_obstructed", "camera": "overhead", "fault": "glare"},
]  # fmt: skip


@pytest.mark.parametrize("line", [pytest.param(line, id=f"{i}-{line['type']}") for i, line in enumerate(LINES)])
def test_line_survives_being_read_and_written(line: dict[str, Any]) -> None:
    event = parse_event(line)
    assert format_event(event) == line
    assert parse_event(json.loads(json.dumps(format_event(event)))) == event


def test_every_type_has_a_line_here() -> None:
    assert {line["type"] for line in LINES} == set(EVENT_TYPES)


def test_fields_that_a_type_lacks_are_ignored() -> None:
    event = parse_event({"t": 1, "type": "round_closed", "at": "2026-01-01T00:00:00Z"})
    assert format_event(event) == {"t": 1.0, "type": "round_closed"}


@pytest.mark.parametrize(
    ("line", "field", "text"),
    [
        pytest.param({"type": "round_closed"}, "t", "t is missing", id="no-t"),
        pytest.param({"t": 1.0}, "type", "type is missing", id="no-type"),
        pytest.param({"t": True, "type": "round_closed"}, "t", "t = True; allowed: seconds", id="t-no-number"),
        pytest.param({"t": float("nan"), "type": "round_closed"}, "t", "t = nan", id="t-nan"),
        pytest.param({"t": 1.0, "type": 3}, "type", "type = 3", id="type-no-text"),
        pytest.param({"card": "1S"}, "card", "card = 1S; allowed: a rank", id="impossible-card"),
        pytest.param({"hand": "dealer"}, "hand", "hand = dealer; allowed: player, banker, null", id="no-hand"),
        pytest.param({"face_up": 1}, "face_up", "face_up = 1; allowed: true, false", id="no-flag"),
        pytest.param({"card_id": ""}, "card_id", "card_id = ; allowed: a text", id="no-id"),
        pytest.param({"confidence": 1.5}, "confidence", "confidence = 1.5; allowed: 0 to 1", id="confidence"),
        pytest.param(
            {"t": 1.0, "type": "no_more_bets", "within_s": -1},
            "within_s",
            "within_s = -1; allowed: 0 to 60 seconds",
            id="doubt",
        ),
        pytest.param({"source": "rumour"}, "source", "source = rumour; allowed: camera, signal", id="source"),
    ],
)
def test_wrong_field_is_named(line: dict[str, Any], field: str, text: str) -> None:
    dealt = {"t": 1.0, "type": "card_dealt", "card_id": "c1", "hand": "player", "card": "AS", "face_up": True}
    mapping = line if set(line) & {"t", "type"} else dealt | line
    with pytest.raises(EventError) as caught:
        parse_event(mapping)
    assert caught.value.field == field
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "fields", "text"),
    [
        ("card_moved", {"card_id": "c1", "hand": None}, "hand = None; allowed: anything but null"),
        ("card_moved", {"hand": "player"}, "card_moved: card_id is missing"),
        ("card_passed", {"card_id": "c1", "to": "moon"}, "to = moon; allowed: seat:N"),
        ("wager_changed", {"area": "a", "bet": "Red 5"}, "bet = Red 5; allowed: a name of a bet"),
        ("wager_changed", {"area": "a", "bet": "tie", "before": -1}, "before = -1; allowed: a whole number"),
        ("wager_changed", {"area": "a", "bet": "tie", "seat": 0}, "seat = 0; allowed: a seat number"),
        ("result_announced", {"player": 10}, "player = 10; allowed: a point count"),
        ("wager_settled", {"area": "a", "bet": "tie", "action": "kept"}, "action = kept; allowed: paid"),
    ],
)
def test_wrong_value_is_refused(kind: str, fields: dict[str, Any], text: str) -> None:
    with pytest.raises(EventError, match=text):
        parse_event({"t": 1.0, "type": kind, **fields})


def test_unknown_type_is_told_apart() -> None:
    with pytest.raises(UnknownEventError, match="type = tea_served; allowed: shoe_opened"):
        parse_event({"t": 1.0, "type": "tea_served"})


def test_what_is_left_out_is_not_known() -> None:
    changed = parse_event({"t": 1, "type": "wager_changed", "area": "a", "bet": "tie"})
    dealt = parse_event({"t": 1, "type": "card_dealt", "card_id": "c1"})
    assert changed == WagerChanged(t=1.0, area="a", bet="tie")  # type: ignore[arg-type]
    assert dealt == CardDealt(t=1.0, card_id="c1")


@pytest.mark.parametrize(("party", "seat"), [("seat:3", 3), ("seat:14", 14), ("dealer", None), ("unknown", None)])
def test_seat_of_a_party(party: str, seat: int | None) -> None:
    assert seat_of(party) == seat


def test_other_side() -> None:
    assert (Side.PLAYER.other, Side.BANKER.other) == (Side.BANKER, Side.PLAYER)
