"""Observations and signals become the table log, in order of time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from thirdcard.calibration.layout import load_layout
from thirdcard.rules.game.cards import parse_card
from thirdcard.rules.log.events import (
    Bet,
    BetsOpened,
    CameraLost,
    CardDealt,
    CardMoved,
    CardRemoved,
    CardReplaced,
    CardShown,
    CardTurned,
    DealerChanged,
    Event,
    HidingPlace,
    LimitsChanged,
    NomineeNamed,
    NoMoreBets,
    Outcome,
    ResultAnnounced,
    ReturnOrdered,
    RoundClosed,
    RoundVoided,
    SettleAction,
    Side,
    Source,
    WagerChanged,
    WagerSettled,
)
from thirdcard.rules.rulebook.model import Phase
from thirdcard.service.interpretation.dealing import UnseenBacks
from thirdcard.service.interpretation.device_watchdog import device_events_of
from thirdcard.service.interpretation.interpreter import HOLD_S, Interpreter
from thirdcard.service.interpretation.sensors import LineKind, reliability
from thirdcard.service.interpretation.visibility import TRAVEL_S
from thirdcard.vision.observations import CardFlipped as SeenTurned
from thirdcard.vision.observations import CardLeft, CardRested, CardShifted, LampChanged, Reading, Stack, StacksChanged

LAYOUT = load_layout("mini-7", Path())
REGIONS = {area.hand: area.id for area in LAYOUT.of_kind("hand")}
AREA = next(area for area in LAYOUT.of_kind("wager") if area.bet == "banker" and area.seat == 3)
DEALER_EDGE, SEAT_EDGE = (800.0, -40.0), (800.0, 1200.0)


def rested(track: int, t: float, hand: str = "player", label: str | None = "7H", *, up: bool = True) -> CardRested:
    reading = Reading(label=label, confidence=0.98 if label else 0.4)
    return CardRested(
        track_id=track, t=t, region=REGIONS[hand], at_mm=(0.0, 0.0), face_up=up, reading=reading, score=0.9
    )


def chips(
    t: float, before: int | None, after: int, growth: int | None, *entries: tuple[float, float] | None
) -> StacksChanged:
    stacks = [Stack(at_mm=(0.0, 0.0), height_mm=3.3 * n, count=float(n)) for n in range(12)]
    return StacksChanged(
        region=AREA.id,
        t=t,
        t_earliest=t - 0.4,
        t_latest=t + 0.4,
        before=None if before is None else (stacks[before],) * (before > 0),
        after=(stacks[after],) * (after > 0),
        growth=growth,
        entries_mm=entries,
    )


def log_of(
    *items: object, devices: frozenset[type[Event]] = frozenset({RoundClosed}), calm_t: float = 1000.0
) -> list[Event]:
    interpreter = Interpreter(LAYOUT, devices)
    interpreter.see_calm([area.id for area in LAYOUT.of_kind("wager")], calm_t)
    for item in items:
        if isinstance(item, Event):
            interpreter.signal(item)
        else:
            interpreter.observe(item)  # type: ignore[arg-type]
    return interpreter.finish()


def types(lines: list[Event]) -> list[str]:
    return [line.type for line in lines]


def test_card_that_rested_is_dealt_when_it_left_the_shoe() -> None:
    (call, dealt) = log_of(rested(1, 5.0))
    assert isinstance(dealt, CardDealt)
    assert (dealt.t, dealt.hand, dealt.card, dealt.card_id) == (5.0 - TRAVEL_S, Side.PLAYER, parse_card("7H"), "c1")
    assert isinstance(call, NoMoreBets) and call.source is Source.INFERRED


def test_card_that_was_not_read_is_null_not_a_guess() -> None:
    dealt = log_of(rested(1, 5.0, label=None, up=False))[-1]
    assert isinstance(dealt, CardDealt)
    assert dealt.card is None
    assert not dealt.face_up


def test_call_is_not_inferred_where_a_device_reports_it() -> None:
    assert types(log_of(rested(1, 8.0), devices=frozenset({NoMoreBets}))) == ["card_dealt"]


def test_call_from_the_lamp_says_so_and_is_not_inferred_again() -> None:
    lines = log_of(
        LampChanged(region="lamp", t=4.0, t_earliest=3.9, lit=True),
        rested(1, 5.0),
        LampChanged(region="lamp", t=9, t_earliest=8.9, lit=False),
    )
    assert types(lines) == ["no_more_bets", "card_dealt"]
    assert lines[0].source is Source.CAMERA


def test_log_is_in_order_of_time_however_things_come_to_be_known() -> None:
    interpreter = Interpreter(LAYOUT)
    interpreter.signal(NoMoreBets(t=4.0))
    interpreter.observe(rested(2, 7.0, "banker", "KS"))
    interpreter.observe(rested(1, 6.0))
    lines = interpreter.release(20.0)
    assert [line.t for line in lines] == sorted(line.t for line in lines)
    assert [line.card_id for line in lines if isinstance(line, CardDealt)] == ["c1", "c2"]
    assert [line.hand for line in lines if isinstance(line, CardDealt)] == [Side.PLAYER, Side.BANKER]


def test_release_waits_for_what_may_still_be_told() -> None:
    interpreter = Interpreter(LAYOUT)
    interpreter.signal(NoMoreBets(t=4.0))
    assert interpreter.release(4.0 + HOLD_S / 2) == []
    assert interpreter.release(30.0, waiting_since_t=4.0) == []
    assert types(interpreter.release(30.0, waiting_since_t=10.0)) == ["no_more_bets"]


def test_turned_and_shifted_cards_keep_their_id() -> None:
    lines = log_of(
        rested(1, 5.0, label=None, up=False),
        SeenTurned(track_id=1, t=8.0, face_up=True, reading=Reading(label="KS", confidence=0.99)),
        CardShifted(track_id=1, t=9.0, region=REGIONS["banker"]),
    )
    turned, moved = lines[-2:]
    assert isinstance(turned, CardTurned) and turned.card == parse_card("KS") and turned.card_id == "c1"
    assert isinstance(moved, CardMoved) and moved.hand is Side.BANKER and moved.card_id == "c1"


def test_other_face_where_a_card_of_a_closed_round_seemed_to_lie_is_a_new_card() -> None:
    down = SeenTurned(track_id=1, t=8.0, face_up=False, reading=Reading(label=None, confidence=0.02))
    for label, then in (("KS", ["card_removed", "no_more_bets", "card_dealt"]), ("7H", ["card_turned"])):
        up = SeenTurned(track_id=1, t=20.0, face_up=True, reading=Reading(label=label, confidence=0.99))
        lines = log_of(rested(1, 5.0), down, RoundClosed(t=10.0), up)
        assert types(lines) == ["no_more_bets", "card_dealt", "card_turned", "round_closed", *then]
    lines = log_of(rested(1, 5.0), down, replace(up, reading=Reading(label="KS", confidence=0.99)))
    assert types(lines)[-1] == "card_turned"  # within its round it is one card, misread once


def test_card_lost_before_the_result_and_found_again_is_no_second_card() -> None:
    lines = log_of(rested(1, 5.0), rested(2, 6.0, "banker", "KS"), CardLeft(track_id=1, t=8.0), rested(3, 9.0))
    assert types(lines) == ["no_more_bets", "card_dealt", "card_dealt"]


def test_card_lost_in_one_hand_and_found_in_the_other_was_moved() -> None:
    lines = log_of(
        rested(1, 5.0), rested(2, 6.0, "banker", "KS"), CardLeft(track_id=1, t=8.0), rested(3, 9.0, "banker")
    )
    assert types(lines)[-1] == "card_moved"


def test_cards_collected_after_the_result_are_removed_and_the_round_closes() -> None:
    lines = log_of(
        rested(1, 5.0),
        rested(2, 6.0, "banker", "KS"),
        ResultAnnounced(t=8.0),
        CardLeft(track_id=1, t=10.0),
        CardLeft(track_id=2, t=11.0),
        devices=frozenset({ResultAnnounced}),
    )
    assert types(lines)[-3:] == ["card_removed", "card_removed", "round_closed"]
    assert lines[-1].source is Source.INFERRED


def test_card_that_a_hand_hid_after_the_result_is_not_dealt_again() -> None:
    lines = log_of(
        rested(1, 5.0),
        rested(2, 6.0, "banker", "KS"),
        ResultAnnounced(t=8.0),
        CardLeft(track_id=1, t=10.0),
        rested(3, 12.0),
        devices=frozenset({ResultAnnounced}),
    )
    assert types(lines).count("card_dealt") == 2


@pytest.mark.parametrize(
    ("again", "dealt"),
    [
        pytest.param(rested(3, 9.0), 2, id="after-the-result"),
        pytest.param(rested(3, 7.0), 3, id="before-the-result"),
        pytest.param(rested(3, 9.0, "banker"), 3, id="in-the-other-hand"),
        pytest.param(rested(3, 9.0, label="2C"), 3, id="another-face"),
    ],
)
def test_card_that_shows_twice_in_its_hand_after_the_result_is_one(again: CardRested, dealt: int) -> None:
    lines = log_of(
        rested(1, 5.0), rested(2, 6.0, "banker", "KS"), ResultAnnounced(t=8.0), again,
        devices=frozenset({ResultAnnounced}),
    )  # fmt: skip
    assert types(lines).count("card_dealt") == dealt


def test_face_that_was_collected_after_its_round_was_closed_may_be_dealt_in_the_next() -> None:
    lines = log_of(
        rested(1, 5.0),
        ResultAnnounced(t=8.0),
        RoundClosed(t=9.0),
        CardLeft(track_id=1, t=10.0),
        rested(2, 20.0),
        devices=frozenset({ResultAnnounced, RoundClosed}),
    )
    assert types(lines).count("card_dealt") == 2


@pytest.mark.parametrize(
    "late",
    [
        BetsOpened(t=2.0),
        NoMoreBets(t=2.0), DealerChanged(t=2.0, dealer="Ben"), RoundClosed(t=2.0),
        ResultAnnounced(t=2.0, player=7, banker=5, winner=Outcome.PLAYER),
        WagerSettled(t=2.0, area=AREA.id, seat=3, bet=Bet.BANKER, action=SettleAction.COLLECTED, amount=100),
    ],
    ids=lambda line: line.type,
)  # fmt: skip
def test_report_that_comes_after_later_lines_were_written_is_dated_when_it_came(late: Event) -> None:
    interpreter = Interpreter(LAYOUT, frozenset({type(late)}))
    interpreter.signal(DealerChanged(t=1.0, dealer="Ann"))
    interpreter.lose_sight(9.0)
    interpreter.signal(CameraLost(t=9.0, camera="overhead", fault="overloaded"))
    written = interpreter.release(10.0)
    interpreter.signal(late)
    written += interpreter.finish()
    assert late.type in types(written)
    assert [line.t for line in written] == sorted(line.t for line in written)
    assert written[-1].t == 9.0


def test_round_is_not_closed_by_guess_where_a_device_reports_it() -> None:
    lines = log_of(rested(1, 5.0), ResultAnnounced(t=8.0), CardLeft(track_id=1, t=10.0))
    assert isinstance(lines[-1], CardRemoved)


@pytest.mark.parametrize(
    ("entries", "by"),
    [
        pytest.param([SEAT_EDGE] * 3, "seat:3", id="player"),
        pytest.param([DEALER_EDGE] * 3, "dealer", id="dealer"),
        pytest.param([DEALER_EDGE, SEAT_EDGE], "unknown", id="both"),
        pytest.param([], "unknown", id="nobody-seen"),
        pytest.param([None, None, None, None, SEAT_EDGE], "unknown", id="hardly-seen"),
    ],
)
def test_change_of_chips_says_who_reached_in(entries: list[tuple[float, float] | None], by: str) -> None:
    (line,) = log_of(chips(3.0, 0, 4, 1, *entries))
    assert isinstance(line, WagerChanged)
    assert (line.area, line.by, line.before, line.after) == (AREA.id, by, 0, None)
    assert (line.chips_before, line.chips_after) == (0, 4)


def test_counts_differ_the_way_the_stack_grew() -> None:
    (line,) = log_of(chips(3.0, 5, 5, -1, SEAT_EDGE))
    assert isinstance(line, WagerChanged)
    assert (line.chips_before, line.chips_after) == (5, 4)


def test_print_that_passed_for_chips_is_gone_by_nobody_and_not_surely() -> None:
    (line,) = log_of(replace(chips(9.0, 2, 0, -1), was_print=True))
    assert isinstance(line, WagerChanged)
    assert (line.by, line.chips_after, line.confidence) == ("unknown", 0, 0.5)


def test_stack_pushed_aside_is_no_change_of_the_wager() -> None:
    assert log_of(chips(3.0, 5, 5, 0, SEAT_EDGE)) == []


@pytest.mark.parametrize(
    ("sureness", "opposite", "confidence", "alternatives"),
    [
        pytest.param(1.0, 0.0, reliability(LineKind.CHANGED), None, id="the-number-of-stacks-tells"),
        pytest.param(0.8, 0.15, 0.8, {"fewer": 0.15}, id="likely"),
        pytest.param(0.5, 0.45, 0.5, {"fewer": 0.45}, id="a-change-and-hardly-a-direction"),
    ],
)
def test_change_is_as_sure_as_its_direction_and_names_the_other(
    sureness: float, opposite: float, confidence: float, alternatives: dict[str, float] | None
) -> None:
    change = replace(chips(2.0, 3, 3, 1, SEAT_EDGE), sureness=sureness, opposite=opposite)
    (line,) = (line for line in log_of(change) if isinstance(line, WagerChanged))
    assert (line.chips_before, line.chips_after) == (3, 4)
    assert line.confidence == pytest.approx(confidence)
    assert line.alternatives == alternatives


@pytest.mark.parametrize(
    ("after", "growth", "action"), [(0, -1, SettleAction.COLLECTED), (9, 1, SettleAction.PAID)], ids=["taken", "added"]
)
def test_dealer_s_change_after_the_result_settles(after: int, growth: int, action: SettleAction) -> None:
    lines = log_of(
        rested(1, 5.0),
        ResultAnnounced(t=8.0),
        chips(9.0, 4, after, growth, DEALER_EDGE),
        devices=frozenset({ResultAnnounced}),
    )
    settled, changed = lines[-2:]
    assert isinstance(settled, WagerSettled) and settled.action is action and settled.amount is None
    assert isinstance(changed, WagerChanged) and changed.by == "dealer"


@pytest.mark.parametrize(
    ("earliest_t", "confidence"), [(6.0, 1.0), (1.8, 0.675)], ids=["after the deal", "perhaps before it"]
)
def test_settling_is_less_sure_where_it_may_have_come_before_the_cards(earliest_t: float, confidence: float) -> None:
    seen = replace(chips(9.0, 4, 9, 1, DEALER_EDGE), t_earliest=earliest_t, t_latest=9.8)
    lines = log_of(rested(1, 5.0), ResultAnnounced(t=8.0), seen, devices=frozenset({ResultAnnounced}))
    (settled,) = (line for line in lines if isinstance(line, WagerSettled))
    assert settled.confidence == pytest.approx(confidence)


def test_change_says_between_which_moments_it_came() -> None:
    seen = chips(3.3, 0, 4, 1, SEAT_EDGE)
    (_, change) = log_of(NoMoreBets(t=3.1), seen)
    assert isinstance(change, WagerChanged)
    assert change.t - (change.earlier_s or 0.0) == pytest.approx(seen.t_earliest)
    assert change.t + (change.later_s or 0.0) == pytest.approx(seen.t_latest)
    assert change.confidence == reliability(LineKind.CHANGED)


def test_device_events_are_known_from_the_signals() -> None:
    assert device_events_of([NoMoreBets(t=1), RoundClosed(t=9)]) == {NoMoreBets, RoundClosed}


def test_wager_taken_after_the_dealer_was_there_is_nobody_s_in_particular() -> None:
    items = [rested(1, 5.0), ResultAnnounced(t=8.0), chips(9.0, 4, 4, 0, DEALER_EDGE), chips(11.0, 4, 0, -1, SEAT_EDGE)]
    taken = log_of(*items, devices=frozenset({ResultAnnounced}))[-1]
    assert isinstance(taken, WagerChanged)
    assert taken.by == "unknown"


@pytest.mark.parametrize(
    ("later", "untouched"),
    [
        pytest.param((), (AREA.id,), id="nobody was there since the result"),
        pytest.param((chips(9.0, 4, 4, 0, DEALER_EDGE),), (), id="the dealer reached over it"),
        pytest.param((chips(9.0, 4, 0, -1, SEAT_EDGE),), (), id="the chips are gone"),
    ],
)
def test_close_names_the_chips_that_nobody_reached_for(
    later: tuple[StacksChanged, ...], untouched: tuple[str, ...]
) -> None:
    items = [chips(2.0, 0, 4, 1, SEAT_EDGE), rested(1, 5.0), ResultAnnounced(t=8.0), *later, RoundClosed(t=20.0)]
    closed = log_of(*items, devices=frozenset({ResultAnnounced, RoundClosed}))[-1]
    assert isinstance(closed, RoundClosed) and closed.untouched == untouched


def test_chips_that_were_reached_over_before_the_last_card_was_dealt_are_untouched() -> None:
    cards = [rested(k, 3.0 + k) for k in range(1, 5)]
    items = [chips(2.0, 0, 4, 1, SEAT_EDGE), *cards, chips(8.0, 4, 4, 0, SEAT_EDGE), rested(5, 10.0)]
    assert isinstance(closed := log_of(*items, RoundClosed(t=20.0), devices=frozenset({RoundClosed}))[-1], RoundClosed)
    assert closed.untouched == (AREA.id,)
    late = [*items, chips(12.0, 4, 4, 0, SEAT_EDGE), RoundClosed(t=20.0)]
    assert isinstance(closed := log_of(*late, devices=frozenset({RoundClosed}))[-1], RoundClosed)
    assert closed.untouched == ()


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(chips(0.2, None, 4, None), id="print, from the beginning"),
        pytest.param(chips(2.0, 0, 4, 1), id="nobody put them there"),
    ],
)
def test_close_names_no_chips_that_no_player_was_seen_to_put_down(first: StacksChanged) -> None:
    items = [first, rested(1, 5.0), ResultAnnounced(t=8.0), RoundClosed(t=20.0)]
    closed = log_of(*items, devices=frozenset({ResultAnnounced, RoundClosed}))[-1]
    assert isinstance(closed, RoundClosed) and closed.untouched == ()


def test_lamp_that_was_lit_once_is_awaited_in_the_next_round() -> None:
    lamp = LampChanged(region="lamp", t=4.0, t_earliest=3.9, lit=True)
    dark = LampChanged(region="lamp", t=8.4, t_earliest=8.3, lit=False)
    items = [lamp, rested(1, 5.0), RoundClosed(t=8.0), dark, rested(2, 12.0)]
    lines = log_of(*items)
    assert types(lines) == ["no_more_bets", "card_dealt", "round_closed", "card_dealt"]


def test_lamp_is_not_listened_to_where_a_device_calls() -> None:
    lines = log_of(LampChanged(region="lamp", t=4.0, t_earliest=3.9, lit=True), devices=frozenset({NoMoreBets}))
    assert lines == []


def test_face_first_seen_after_a_long_cover_was_not_seen_dealt_face_up() -> None:
    lines = log_of(replace(rested(1, 8.0), hidden_s=2.0), devices=frozenset({NoMoreBets}))
    dealt, turned = lines
    assert isinstance(dealt, CardDealt) and isinstance(turned, CardTurned)
    assert (dealt.face_up, dealt.card) == (False, None)
    assert (turned.card, turned.t, turned.card_id) == (parse_card("7H"), 8.0, dealt.card_id)


def _sureness_of_two(first: CardRested, second: CardRested) -> list[bool]:
    lines = log_of(first, second, devices=frozenset({NoMoreBets}))
    return [(line.confidence or 0.0) > 0.6 for line in lines if isinstance(line, CardDealt)]


@pytest.mark.parametrize(
    ("second", "are_sure"),
    [
        pytest.param(replace(rested(2, 5.4), hidden_s=2.0), [True, False], id="long hidden"),
        pytest.param(replace(rested(2, 5.7), hidden_s=0.8), [True, False], id="hidden when the first came"),
        pytest.param(replace(rested(2, 6.0), hidden_s=0.9), [True, True], id="in sight when the first came"),
        pytest.param(replace(rested(2, 5.0, "banker"), hidden_s=0.33), [False, False], id="one look showed both"),
        pytest.param(replace(rested(2, 5.0, "banker"), hidden_s=0.2), [True, True], id="at once"),
    ],
)
def test_order_of_cards_is_doubted_where_nobody_saw_it(second: CardRested, are_sure: list[bool]) -> None:
    assert _sureness_of_two(rested(1, 5.0), second) == are_sure


@pytest.mark.parametrize(("label", "is_sure"), [("2C", True), (None, False)])
def test_card_that_is_found_after_the_result_and_cannot_be_read_is_doubted(label: str | None, is_sure: bool) -> None:
    result = ResultAnnounced(t=9.0)
    lines = log_of(rested(1, 5.0), result, rested(2, 12.0, label=label), devices=frozenset({ResultAnnounced}))
    assert [(line.confidence or 0.0) > 0.6 for line in lines if isinstance(line, CardDealt)] == [True, is_sure]


@pytest.mark.parametrize("face_down", [frozenset(), frozenset(Phase)])
def test_cards_whose_backs_are_not_seen_are_told_of_when_they_are_turned(face_down: frozenset[Phase]) -> None:
    interpreter = Interpreter(LAYOUT, frozenset({NoMoreBets, RoundClosed}), backs=UnseenBacks(face_down))
    for track, t, hand in ((1, 9.0, "player"), (2, 12.0, "player"), (3, 15.0, "banker"), (4, 15.0, "banker")):
        interpreter.observe(rested(track, t, hand))
    lines = interpreter.finish()
    dealt = [line for line in lines if isinstance(line, CardDealt)]
    turned = [line for line in lines if isinstance(line, CardTurned)]
    if not face_down:
        assert [line.face_up for line in dealt] == [True] * 4 and dealt[-1].together_with == "c3" and not turned
        return
    assert [(line.face_up, line.confidence) for line in dealt] == [(True, 0.98)] + [(False, 0.5)] * 3
    assert not any(line.together_with for line in dealt)
    assert [(line.t, line.card, line.by) for line in turned] == [(t, parse_card("7H"), "unknown") for t in (12, 15, 15)]


@pytest.mark.parametrize("source", [Source.PERSON, Source.SIGNAL])
@pytest.mark.parametrize(
    "event",
    [
        RoundVoided(t=5.0, reason="power failure"),
        ReturnOrdered(t=5.0, area="s3-player", seat=3, bet=Bet.PLAYER),
        CardShown(t=5.0, where=HidingPlace.BURN),
        CardReplaced(t=5.0, card_id="c1", reason="damaged"),
        NomineeNamed(t=5.0, seat=3, nominee=4),
        LimitsChanged(t=5.0, minimum=50),
    ],
    ids=lambda event: event.type,
)
def test_what_somebody_said_stands_in_the_log_as_it_was_said(event: Event, source: Source) -> None:
    interpreter = Interpreter(LAYOUT)
    interpreter.signal(replace(event, source=source))
    assert interpreter.finish() == [replace(event, source=source)]


@pytest.mark.parametrize("is_faint", [False, True])
def test_order_of_backs_that_are_hardly_seen_stays_open(is_faint: bool) -> None:
    first, second = (rested(n, 4.0 + n, hand, None, up=False) for n, hand in enumerate(("banker", "player")))
    lines = log_of(NoMoreBets(t=3.0), first, replace(second, is_faint=is_faint))
    dealt = [line for line in lines if isinstance(line, CardDealt)]
    assert [line.order_unseen for line in dealt] == [False, is_faint]
