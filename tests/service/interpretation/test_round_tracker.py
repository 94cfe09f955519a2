"""The running round as the camera follows it: opened and decided as the referee has it."""

from __future__ import annotations

import pytest

from thirdcard.rules.game.words import Bet, Side
from thirdcard.rules.log.events import (
    BetsOpened,
    CardDealt,
    CardMoved,
    Event,
    NoMoreBets,
    RoundClosed,
    ShoeOpened,
    VoidHandAnnounced,
    WagerChanged,
)
from thirdcard.rules.round.round import INITIAL_CARDS, ROUND_OPENERS
from thirdcard.service.interpretation.round_tracker import CardOnTable, RunningRound

OPENERS: list[Event] = [
    BetsOpened(t=1.0), NoMoreBets(t=1.0), VoidHandAnnounced(t=1.0), CardMoved(t=1.0, card_id="c1", hand=Side.PLAYER),
    CardDealt(t=1.0, card_id="c1", hand=Side.PLAYER, card=None, face_up=False),
    WagerChanged(t=1.0, area="s1-tie", seat=1, bet=Bet.TIE, before=0, after=5),
]  # fmt: skip


def test_every_opener_is_tried() -> None:
    assert {type(event) for event in OPENERS} == set(ROUND_OPENERS)


@pytest.mark.parametrize("event", OPENERS, ids=lambda event: type(event).__name__)
def test_round_opens_with_what_opens_it_for_the_referee(event: Event) -> None:
    state, were_open = RunningRound(), []
    for each in (ShoeOpened(t=0.5), event, RoundClosed(t=9.0)):
        state.apply(each)
        were_open.append(state.is_open)
    assert were_open == [False, True, False]


def test_round_is_decided_by_its_first_cards_where_no_device_tells_the_result() -> None:
    state = RunningRound()
    for number in range(INITIAL_CARDS):
        assert not state.is_decided(False)
        state.apply(CardDealt(t=1.0 + number, card_id=f"c{number}", hand=Side.PLAYER, card=None, face_up=False))
    assert state.is_decided(False)
    assert not state.is_decided(True)


def test_wager_that_nobody_reached_over_since_the_decision_is_untouched() -> None:
    state = RunningRound()
    for area in ("s1-tie", "s2-tie"):
        placed = WagerChanged(t=1.0, area=area, seat=1, bet=Bet.TIE, before=0, after=5, by="seat:1")
        state.areas.see_chips(area, True, False)
        state.apply(placed)
    state.areas.see_chips("s2-tie", True, True)
    assert list(state.areas.untouched) == ["s1-tie"]
    state.areas.forget_reaches()
    assert list(state.areas.untouched) == ["s1-tie", "s2-tie"]
    state.areas.see_chips("s1-tie", False, False)
    assert list(state.areas.untouched) == ["s2-tie"]


def test_last_card_in_sight_is_the_one_beside_which_all_others_are_lost() -> None:
    card = CardOnTable(card_id="c1", side=Side.PLAYER, card=None)
    lost = CardOnTable(card_id="c2", side=Side.PLAYER, card=None, lost_t=3.0)
    assert RunningRound(cards={1: card, 2: lost}).is_last_in_sight(1)
    assert not RunningRound(cards={1: card, 2: card}).is_last_in_sight(1)
