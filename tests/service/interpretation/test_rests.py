"""A table that is not looked at for a while: what happened meanwhile is not alleged of the rounds before and after."""

from __future__ import annotations

import pytest

from tests.endurance.rests import Resting, watch_resting
from tests.repository import DEMO_TABLE
from tests.service.interpretation.test_visibility import FROZEN, LAYOUT, interpreter_of, log_of, placed, rested
from tests.vision.card_table import Table, sight
from thirdcard.rules.log.events import UNSEEN, CardDealt, Event, NoMoreBets, ResultAnnounced, RoundClosed, WagerChanged
from thirdcard.service.interpretation.round_tracker import CardOnTable, RunningRound
from thirdcard.vision.observations import (
    CardFlipped,
    CardLeft,
    CardRested,
    Observation,
    PictureCleared,
    PictureFaulted,
    Reading,
)

BACK = Reading(label=None, confidence=0.0)


def dealt_sureness(*items: Event | Observation) -> list[bool]:
    """Of each card that was dealt, whether it is sure that it left the shoe when it was seen."""
    lines = log_of(*items)
    return [(line.confidence or 0.0) > UNSEEN for line in lines if isinstance(line, CardDealt)]


def test_after_a_card_that_came_unseen_no_card_of_its_round_is_sure() -> None:
    first, later = rested(1, 20.3, "player", "7H"), rested(2, 24.0, "banker", "KD")
    assert dealt_sureness(*FROZEN, first, later) == [False, False]
    assert dealt_sureness(*FROZEN, first, RoundClosed(t=23.0), later) == [False, True]
    assert dealt_sureness(*FROZEN, later) == [True]


def test_after_a_face_turned_to_its_back_no_card_is_sure_where_something_was_unseen() -> None:
    face, later = rested(1, 5.0, "player", "7H"), rested(2, 24.0, "banker", "KD")
    back = CardFlipped(track_id=1, t=20.5, face_up=False, reading=BACK)
    assert dealt_sureness(face, *FROZEN, back, later) == [True, False]
    assert dealt_sureness(face, back, later) == [True, True]


def test_change_that_is_logged_in_a_later_round_is_not_alleged_of_it() -> None:
    """It was seen before the picture was gone, and reported when it was back: the log had gone on."""
    table = interpreter_of(RoundClosed)
    table.observe(PictureFaulted(t=10.0, fault=FROZEN[0].fault))
    table.signal(RoundClosed(t=15.0))
    table.release(18.0)
    told = log_of(PictureCleared(t=20.0), placed(8.0, 9.0), interpreter=table)
    assert [line.confidence for line in told if isinstance(line, WagerChanged)] == [UNSEEN]


@pytest.mark.parametrize(
    ("signalled", "is_sure"),
    [
        pytest.param((), False, id="nobody would say"),
        pytest.param((RoundClosed,), False, id="nobody would say that it was settled"),
        pytest.param((RoundClosed, ResultAnnounced), True, id="devices would have said so"),
    ],
)
def test_wager_after_a_gap_may_be_of_the_next_round(signalled: tuple[type[Event], ...], *, is_sure: bool) -> None:
    table = interpreter_of(NoMoreBets, *signalled)
    told = log_of(NoMoreBets(t=5.0), *FROZEN, placed(22.0, 23.0), interpreter=table)
    (changed,) = [line for line in told if isinstance(line, WagerChanged)]
    assert ((changed.confidence or 0.0) > UNSEEN) is is_sure


def test_cards_that_went_while_nothing_was_seen_end_their_round_where_no_device_does() -> None:
    back = CardRested(track_id=1, t=5.0, region="player-box", at_mm=(0.0, 0.0), face_up=False, reading=BACK, score=0.9)
    assert any(
        isinstance(line, RoundClosed) for line in log_of(back, *FROZEN, left(20.1), interpreter=interpreter_of())
    )
    assert not any(isinstance(line, RoundClosed) for line in log_of(back, left(20.1), interpreter=interpreter_of()))


def left(t: float) -> CardLeft:
    return CardLeft(track_id=1, t=t)


@pytest.mark.parametrize(
    ("t", "called_t", "forgotten"),
    [
        pytest.param(31.5, None, [], id="it may still lie there"),
        pytest.param(34.0, None, [1], id="long after"),
        pytest.param(31.0, 30.9, [1], id="the next round is called"),
    ],
)
def test_cards_of_a_round_that_ended_are_forgotten(t: float, called_t: float | None, forgotten: list[int]) -> None:
    state = RunningRound(is_open=True)
    side = next(iter(LAYOUT.of_kind("hand"))).hand
    assert side is not None
    state.cards[1] = CardOnTable(card_id="c1", side=side, card=None)  # type: ignore[arg-type]
    assert state.forget_left_over(99.0) == []
    state.apply(RoundClosed(t=30.0))
    state.called_t = called_t
    assert state.forget_left_over(t) == forgotten
    assert list(state.cards) == [track for track in [1] if track not in forgotten]


def test_what_lies_in_a_forgotten_card_s_place_is_told_of_as_new() -> None:
    table = Table()
    table.look(sight(100, face_up=False), looks=10)
    (first,) = [one for one in table.told if isinstance(one, CardRested)]
    table.watch.forget([first.track_id])
    table.t += 5.0
    told = table.look(sight(102, face_up=False), looks=10)
    (again,) = [one for one in told if isinstance(one, CardRested)]
    assert again.track_id != first.track_id
    assert again.hidden_s > 4.9


@pytest.mark.parametrize("is_silent", [False, True], ids=["devices", "no_devices"])
def test_round_that_was_dealt_in_a_rest_is_not_taken_for_the_one_before(*, is_silent: bool) -> None:
    """The shipped recording from 16 to 42 s, not looked at while the second round ends and the third is dealt."""
    told = watch_resting(DEMO_TABLE, Resting(rests=[(29.9, 34.1)], part=(16.0, 42.0), is_silent=is_silent))
    assert [alert.code for alert in told] in ([], ["late_bet.placed"])
