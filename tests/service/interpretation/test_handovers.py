"""Cards that are passed to players and back, as the log reports them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.service.interpretation.test_interpreter import DEALER_EDGE, REGIONS, SEAT_EDGE, log_of, rested
from thirdcard.calibration.layout import load_layout
from thirdcard.rules.log.events import (
    DEALER,
    UNKNOWN,
    UNSEEN,
    CardDealt,
    CardPassed,
    CardRemoved,
    CardTurned,
    Event,
    NoMoreBets,
    ResultAnnounced,
    RoundClosed,
)
from thirdcard.service.interpretation.handovers import is_before_a_seat, places_before_seats
from thirdcard.service.interpretation.sensors import LineKind, reliability
from thirdcard.vision.observations import CardFlipped as SeenTurned
from thirdcard.vision.observations import CardLeft, CardRested, CardShifted, CardTakenOff, Reading

LAYOUT = load_layout("mini-7", Path())
SEEN = reliability(LineKind.PASSED)


def back(track: int, t: float, hand: str = "player") -> CardRested:
    return rested(track, t, hand, None, up=False)


def shifted(track: int, t: float, region: str, *, margin_mm: float = 90.0) -> CardShifted:
    return CardShifted(track_id=track, t=t, region=region, margin_mm=margin_mm)


def turned(track: int, t: float, *entries: tuple[float, float] | None) -> SeenTurned:
    reading = Reading(label="7H", confidence=0.98)
    return SeenTurned(track_id=track, t=t, face_up=True, reading=reading, entries_mm=entries)


def passings(lines: list[Event]) -> list[tuple[float, str]]:
    return [(line.t, line.to) for line in lines if isinstance(line, CardPassed)]


def test_card_goes_to_a_seat_is_turned_there_and_comes_back() -> None:
    lines = log_of(back(1, 5.0), shifted(1, 8.0, "seat:3"), turned(1, 11.0), shifted(1, 13.0, REGIONS["player"]))
    assert passings(lines) == [(8.0, "seat:3"), (13.0, DEALER)]
    assert [line.by for line in lines if isinstance(line, CardTurned)] == ["seat:3"]


def test_card_that_is_turned_on_its_way_back_was_turned_by_nobody_known() -> None:
    lines = log_of(back(1, 5.0), shifted(1, 8.0, "seat:3"), shifted(1, 13.0, REGIONS["player"]), turned(1, 13.0))
    assert [line.by for line in lines if isinstance(line, CardTurned)] == [UNKNOWN]


@pytest.mark.parametrize(
    ("entry", "by"),
    [
        pytest.param(DEALER_EDGE, DEALER, id="over the dealer's edge"),
        pytest.param(SEAT_EDGE, UNKNOWN, id="over another edge"),
        pytest.param(None, UNKNOWN, id="not seen"),
    ],
)
def test_card_in_its_box_was_turned_by_whose_arm_was_over_it(entry: tuple[float, float] | None, by: str) -> None:
    lines = log_of(back(1, 5.0), turned(1, 9.0, entry, entry))
    assert [line.by for line in lines if isinstance(line, CardTurned)] == [by]


def test_card_between_two_seats_is_doubtful() -> None:
    near, far = (
        next(
            line
            for line in log_of(back(1, 5.0), shifted(1, 8.0, "seat:3", margin_mm=margin))
            if isinstance(line, CardPassed)
        )
        for margin in (10.0, 60.0)
    )
    assert (near.confidence, far.confidence) == (UNSEEN, SEEN)
    assert (near.passing_confidence, far.passing_confidence) == (SEEN, None)


@pytest.mark.parametrize(
    ("calm_t", "sure"),
    [
        pytest.param(7.0, SEEN, id="since the call"),
        pytest.param(3.0, UNSEEN, id="not since the call"),
    ],
)
def test_passing_to_a_seat_whose_wagers_were_hidden_is_doubtful(calm_t: float, sure: float) -> None:
    lines = log_of(NoMoreBets(t=4.0), back(1, 6.0), shifted(1, 8.0, "seat:3"), calm_t=calm_t)
    assert [line.confidence for line in lines if isinstance(line, CardPassed)] == [sure]


def test_passing_while_the_other_hand_is_out_of_sight_is_doubtful() -> None:
    lines = log_of(
        back(1, 5.0),
        back(2, 6.0, "banker"),
        shifted(1, 8.0, "seat:3"),
        CardLeft(track_id=1, t=9.0),
        shifted(2, 12.0, "seat:5"),
    )
    assert [line.confidence for line in lines if isinstance(line, CardPassed)] == [SEEN, UNSEEN]
    assert [line.passing_confidence for line in lines if isinstance(line, CardPassed)] == [None, None]


def test_card_before_another_seat_than_the_rest_of_its_hand_is_doubtful() -> None:
    lines = log_of(back(1, 5.0), back(2, 6.0), shifted(1, 8.0, "seat:3"), shifted(2, 8.2, "seat:4"))
    assert [line.confidence for line in lines if isinstance(line, CardPassed)] == [SEEN, UNSEEN]


def test_card_that_left_face_down_is_not_removed_before_the_result() -> None:
    lines = log_of(back(1, 5.0), CardLeft(track_id=1, t=8.0), shifted(1, 20.0, REGIONS["player"]))
    assert not [line for line in lines if isinstance(line, CardRemoved)]
    assert [line.card_id for line in lines if isinstance(line, CardDealt)] == ["c1"]


def test_card_that_did_not_come_back_is_removed_with_the_result() -> None:
    lines = log_of(back(1, 5.0), CardLeft(track_id=1, t=8.0), ResultAnnounced(t=20.0, player=7, banker=3))
    assert [line.t for line in lines if isinstance(line, CardRemoved)] == [20.0]


def test_each_seat_has_its_own_place_before_and_behind_its_areas() -> None:
    places = places_before_seats(LAYOUT)
    assert list(places) == [f"seat:{n}" for n in range(1, 8)]
    assert all(is_before_a_seat(name) for name in places)
    assert not is_before_a_seat(REGIONS["player"])
    areas = np.concatenate([area.polygon_mm for area in LAYOUT.of_kind("wager") if area.seat == 4])
    assert places["seat:4"][:, 1].min() < areas[:, 1].min() - 100
    assert places["seat:4"][:, 1].max() > areas[:, 1].max() + 100


def test_card_out_of_sight_when_the_round_closes_is_none_of_the_next() -> None:
    lines = log_of(back(1, 5.0), back(2, 6.0, "banker"), CardLeft(track_id=1, t=8.0), RoundClosed(t=9.0), back(3, 15.0))
    assert [line.card_id for line in lines if isinstance(line, CardRemoved)] == ["c1"]
    assert [line.card_id for line in lines if isinstance(line, CardDealt)] == ["c1", "c2", "c3"]


def test_card_that_is_seen_gone_when_the_round_is_over_is_none_of_the_next() -> None:
    lines = log_of(back(1, 5.0), back(2, 6.0, "banker"), RoundClosed(t=9.0), CardLeft(track_id=1, t=9.1), back(3, 15.0))
    assert [line.card_id for line in lines if isinstance(line, CardRemoved)] == ["c1"]
    assert [line.card_id for line in lines if isinstance(line, CardDealt)] == ["c1", "c2", "c3"]


def taken_off(track: int, t: float, entry: tuple[float, float]) -> CardTakenOff:
    return CardTakenOff(track_id=track, t=t, region="seat:3", entries_mm=(entry, entry, entry))


def removals(lines: list[Event]) -> list[tuple[float, str]]:
    return [(line.t, line.to) for line in lines if isinstance(line, CardRemoved)]


def test_card_that_its_player_took_over_the_edge_left_the_table() -> None:
    gone = (back(1, 5.0), shifted(1, 8.0, "seat:3"), taken_off(1, 9.0, SEAT_EDGE))
    lines = log_of(*gone, shifted(1, 12.0, "seat:3"), turned(1, 14.0))
    assert removals(lines) == [(9.0, "off_table")]
    assert passings(lines) == [(8.0, "seat:3")]
    assert [line.by for line in lines if isinstance(line, CardTurned)] == ["seat:3"]


def test_card_that_was_taken_off_as_it_was_passed_was_passed() -> None:
    lines = log_of(back(1, 5.0), taken_off(1, 9.0, SEAT_EDGE))
    assert passings(lines) == [(9.0, "seat:3")]
    assert removals(lines) == [(9.0, "off_table")]


def test_card_that_went_out_of_sight_under_the_dealers_hand_did_not_leave_the_table() -> None:
    assert removals(log_of(back(1, 5.0), shifted(1, 8.0, "seat:3"), taken_off(1, 9.0, DEALER_EDGE))) == []


def test_card_that_is_face_up_in_its_box_cannot_be_taken_off_by_a_player() -> None:
    assert removals(log_of(rested(1, 5.0, "player", "7H"), taken_off(1, 9.0, SEAT_EDGE))) == []
