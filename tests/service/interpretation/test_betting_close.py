"""The call is known by signal, lamp, gesture or first card, in this order, each with what it is sure to within."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from thirdcard.calibration.layout import load_layout
from thirdcard.rules.log.events import UNSEEN, BetsOpened, Event, NoMoreBets, RoundClosed, Source
from thirdcard.service.interpretation.interpreter import Interpreter
from thirdcard.service.interpretation.sensors import LineKind, reliability
from thirdcard.vision.observations import CardRested, LampChanged, LampCovered, Observation, Reading, RegionsSwept

LAYOUT = load_layout("mini-7", Path())
BOX = next(area.id for area in LAYOUT.of_kind("hand"))
SIGNAL, LAMP = NoMoreBets(t=4.1), LampChanged(region="lamp", t=4.3, t_earliest=4.2, lit=True)
SWEPT = RegionsSwept(t=4.2, t_began=3.6, t_ended=4.7, share=0.7)


def card(t: float) -> CardRested:
    seven = Reading(label="7H", confidence=1.0)
    return CardRested(track_id=int(10 * t), t=t, region=BOX, at_mm=(0.0, 0.0), face_up=True, reading=seven, score=0.9)


def first_calls(*items: Event | Observation, devices: frozenset[type[Event]]) -> list[NoMoreBets]:
    """The calls of a watch in which that came in first."""
    interpreter = Interpreter(LAYOUT, devices)
    for item in items:
        if isinstance(item, Event):
            interpreter.signal(item)
        else:
            interpreter.observe(item)
    return [line for line in interpreter.finish() if isinstance(line, NoMoreBets)]


def calls_of(*items: Event | Observation, devices: frozenset[type[Event]] = frozenset()) -> list[NoMoreBets]:
    return first_calls(BetsOpened(t=0.0), *items, devices=devices | {RoundClosed})


@pytest.mark.parametrize(
    ("items", "source", "within_s"),
    [
        pytest.param((SIGNAL, SWEPT, LAMP, card(6.0)), Source.SIGNAL, 0.1, id="signal"),
        pytest.param((LAMP, card(6.0)), Source.CAMERA, 0.25, id="lamp"),
        pytest.param((SWEPT, card(6.0)), Source.CAMERA, 0.7, id="gesture"),
        pytest.param((card(6.0),), Source.INFERRED, 1.5, id="first card"),
    ],
)
def test_call_says_how_it_is_known_and_within_what(
    items: tuple[Event | Observation, ...], source: Source, within_s: float
) -> None:
    devices = frozenset({type(item) for item in items if isinstance(item, Event)})

    (call,) = calls_of(*items, devices=devices)

    assert (call.source, call.within_s) == (source, within_s)


def test_gesture_has_its_confidence_and_is_halfway_at_its_time() -> None:
    (call,) = calls_of(SWEPT)

    assert (call.t, call.confidence) == (4.2, reliability(LineKind.GESTURE))


def test_signal_that_knows_its_own_doubt_keeps_it() -> None:
    (call,) = calls_of(NoMoreBets(t=4.1, within_s=0.02), devices=frozenset({NoMoreBets}))

    assert call.within_s == 0.02


@pytest.mark.parametrize(
    "items",
    [
        pytest.param((card(3.0), SWEPT), id="after the first card"),
        pytest.param((RoundClosed(t=2.0), SWEPT), id="between two rounds"),
    ],
)
def test_sweep_where_no_call_is_due_is_none(items: tuple[Event | Observation, ...]) -> None:
    assert [call for call in calls_of(*items) if call.source is Source.CAMERA] == []


def test_sweep_after_a_lamp_was_ever_lit_is_not_the_call() -> None:
    later = RegionsSwept(t=24.2, t_began=23.6, t_ended=24.7, share=0.7)

    calls = calls_of(LAMP, RoundClosed(t=20.0), BetsOpened(t=21.0), later)

    assert [call.t for call in calls] == [4.3]


def test_round_without_the_gesture_at_a_table_that_makes_it_has_no_call() -> None:
    calls = calls_of(SWEPT, card(6.0), RoundClosed(t=20.0), BetsOpened(t=21.0), card(26.0))

    assert [call.t for call in calls] == [4.2]


def test_call_may_have_been_made_by_an_arm_that_crossed_otherwise() -> None:
    crossed = RegionsSwept(t=24.2, t_began=22.6, t_ended=24.2, share=0.7, is_sure=False)
    next_round = (BetsOpened(t=21.0), crossed, card(26.0))

    _, call = calls_of(SWEPT, card(6.0), RoundClosed(t=20.0), *next_round)
    assert (call.source, call.confidence) == (Source.INFERRED, UNSEEN)

    third = (RoundClosed(t=40.0), BetsOpened(t=41.0), card(46.0))
    assert len(calls_of(SWEPT, card(6.0), RoundClosed(t=20.0), *next_round, *third)) == 2
    assert calls_of(SWEPT, crossed, card(26.0))[1:] == [], "the call was seen"


NEXT = (RoundClosed(t=20.0), BetsOpened(t=21.0))


def lamp(t: float, *, lit: bool, since_t: float | None = None) -> LampChanged:
    return LampChanged(region="lamp", t=t, t_earliest=t - 0.1 if since_t is None else since_t, lit=lit)


def test_round_whose_lamp_stays_dark_in_plain_sight_has_no_call() -> None:
    calls = calls_of(LAMP, card(6.0), lamp(20.5, lit=False), *NEXT, card(26.0))

    assert [call.t for call in calls] == [4.3]


def test_first_lamp_shows_that_the_one_round_before_had_no_call() -> None:
    first, second = (card(6.0), *NEXT), (RoundClosed(t=40.0), BetsOpened(t=41.0))

    assert [call.was_missing for call in calls_of(*first, lamp(24.0, lit=True))] == [False, True]
    again = calls_of(*first, lamp(24.0, lit=True), card(26.0), lamp(39.0, lit=False), *second, lamp(44.0, lit=True))
    assert [call.was_missing for call in again] == [False, True, False], "it is reported once"
    both = calls_of(*first, card(26.0), *second, lamp(44.0, lit=True))
    assert not any(call.was_missing for call in both), "after two rounds the lamp was probably not in use"
    unsure = calls_of(replace(SWEPT, is_sure=False), *first, lamp(24.0, lit=True))
    assert not any(call.was_missing for call in unsure), "the dealer may have called by a gesture"


def test_lamp_that_was_lit_under_an_arm_is_known_from_when_it_was_covered() -> None:
    (call,) = calls_of(lamp(6.0, lit=True, since_t=4.0), card(7.0))

    assert (call.t, call.within_s, call.confidence) == (4.0, 2.0, reliability(LineKind.LAMP))


@pytest.mark.parametrize(
    "items",
    [
        pytest.param(
            (lamp(20.5, lit=False), *NEXT, LampCovered(region="lamp", t=24.0, covered=True)), id="an arm lies over it"
        ),
        pytest.param(NEXT, id="it stays lit from the round before"),
    ],
)
def test_lamp_that_cannot_tell_leaves_the_call_open(items: tuple[Event | Observation, ...]) -> None:
    *_, call = calls_of(LAMP, card(6.0), *items, card(26.0))

    assert (call.source, call.confidence) == (Source.INFERRED, UNSEEN)


def test_lamp_that_is_in_sight_again_tells_as_before() -> None:
    covered = [LampCovered(region="lamp", t=t, covered=t < 23) for t in (22.0, 24.0)]
    calls = calls_of(LAMP, card(6.0), lamp(20.5, lit=False), *NEXT, *covered, card(26.0))

    assert [call.t for call in calls] == [4.3]


@pytest.mark.parametrize(
    ("items", "devices", "is_open"),
    [
        pytest.param((card(9.0),), {NoMoreBets, BetsOpened}, True, id="the opening was not seen"),
        pytest.param((BetsOpened(t=1.0), card(9.0)), {NoMoreBets, BetsOpened}, False, id="the opening was seen"),
        pytest.param((card(3.0),), {NoMoreBets}, True, id="the card came at once"),
        pytest.param((card(9.0),), {NoMoreBets}, False, id="there was time for the call"),
    ],
)
def test_call_before_the_watch_began_is_left_open(
    items: tuple[Event | Observation, ...], devices: set[type[Event]], is_open: bool
) -> None:
    calls = first_calls(*items, devices=frozenset(devices))

    assert [(call.source, call.confidence) for call in calls] == [(Source.INFERRED, UNSEEN)] * is_open


@pytest.mark.parametrize(
    ("confidence", "calls"),
    [
        pytest.param(reliability(LineKind.LAMP), [], id="by a lamp"),
        pytest.param(reliability(LineKind.GESTURE), [], id="by a gesture"),
        pytest.param(UNSEEN, [Source.INFERRED], id="by nothing that was seen"),
    ],
)
def test_watch_that_goes_on_knows_how_calls_were_made(confidence: float, calls: list[Source]) -> None:
    interpreter = Interpreter(LAYOUT, frozenset({RoundClosed}))
    for line in (
        BetsOpened(t=0.0),
        NoMoreBets(t=4.0, source=Source.CAMERA, confidence=confidence),
        RoundClosed(t=20.0),
    ):
        interpreter.skip(line)
    interpreter.signal(BetsOpened(t=21.0))
    interpreter.observe(card(26.0))
    found = [line for line in interpreter.finish() if isinstance(line, NoMoreBets)]
    assert [line.source for line in found] == calls
