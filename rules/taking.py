"""Note in the running round what an event says of it; judges nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rules.events import (
    BetsOpened,
    CardDealt,
    CardMoved,
    CardPassed,
    CardTurned,
    Event,
    NoMoreBets,
    ResultAnnounced,
    RoundClosed,
    VoidHandAnnounced,
    WagerSettled,
)
from rules.round import INITIAL_CARDS, Call, DealtCard, Round, confidence_of, value_confidence_of
from rules.words import DEALER, SettleAction, Source

_RETURNED = SettleAction.RETURNED


def take_deal(event: CardDealt, running: Round) -> None:
    """A card left the shoe."""
    running.has_news = True
    cards, t, hand = running.cards, event.t, event.hand
    index, is_shown, first_t = len(cards), event.face_up, running.hand_first_t
    sure, shown_t = value_confidence_of(event), t if is_shown else None
    card = cards[event.card_id] = DealtCard(event, index, event.card, hand, sure, shown_t)
    running.placements.append((card, event))
    if event.together_with is not None:
        running.has_pairs = True
    if running.first_card is None:
        running.first_card = event
        for kept in list(cards.values())[:index]:
            if kept.place is not None:
                first_t[kept.place] = t
    if hand is not None and hand not in first_t:
        first_t[hand] = t
    if running.seen_t is None and (is_shown or index >= INITIAL_CARDS):
        running.seen_t = t


def take_turn(event: CardTurned, running: Round) -> None:
    """A card was turned: its face may be read now."""
    running.has_news = True
    card = running.cards.get(event.card_id)
    if card is None:
        return
    if event.card is not None and card.card is None:
        card.card = event.card
        running.faces_read += 1
        card.confidence = value_confidence_of(event)  # a face that was read says that a card lies there, too
    if event.face_up:
        running.note_seen(event.t)
        if card.shown_t is None:
            card.shown_t = event.t


def take_move(event: CardMoved, running: Round) -> None:
    """A card came to another box, or from the round before."""
    running.has_news = True
    card = running.cards.get(event.card_id)
    if card is not None:
        card.place = event.hand
        running.placements.append((card, event))
    elif running.first_card is None:
        known = running.kept.get(event.card_id)
        kept = DealtCard(event, len(running.cards), None if known is None else known.card, event.hand)
        running.cards[event.card_id] = kept
        running.placements.append((kept, event))


def take_call(event: NoMoreBets, running: Round) -> None:
    """Betting was called closed."""
    if running.call is None:
        running.call = Call(event.t, event.source is Source.INFERRED, confidence_of(event), event.within_s)


def take_opening(_event: BetsOpened, running: Round) -> None:
    """Wagers were asked for."""
    running.bets_reopened = running.is_decided


def take_void(_event: VoidHandAnnounced, running: Round) -> None:
    """The round is to be played without wagers, unless it is over."""
    running.is_void = running.is_void or not running.is_decided


def take_pass(event: CardPassed, running: Round) -> None:
    """A card was handed over."""
    if event.to != DEALER:
        running.note_seen(event.t)


def take_result(event: ResultAnnounced, running: Round) -> None:
    """The result was announced; the first announcement counts."""
    running.has_news = True
    running.result = running.result or event
    if running.deadline_t is None:
        running.reach_deadline(event.t)


def take_settlement(event: WagerSettled, running: Round) -> None:
    """A wager was settled, maybe without a result; before one, a wager that is given back says nothing."""
    if running.deadline_t is None and (running.result is not None or event.action is not _RETURNED):
        running.reach_deadline(event.t)


def take_close(event: RoundClosed, running: Round) -> None:
    """The round is over."""
    running.has_news = running.has_news or not running.is_faultless
    running.closed_t = event.t
    running.untouched = frozenset(event.untouched or ())
    if running.deadline_t is None:
        running.reach_deadline(event.t)


TAKERS: Mapping[type[Event], Callable[[Any, Round], None]] = {
    CardDealt: take_deal,
    CardTurned: take_turn,
    CardMoved: take_move,
    NoMoreBets: take_call,
    BetsOpened: take_opening,
    VoidHandAnnounced: take_void,
    CardPassed: take_pass,
    ResultAnnounced: take_result,
    WagerSettled: take_settlement,
    RoundClosed: take_close,
}
"""What to do with each type of event. A changed wager is noted as it is judged; the others say nothing of a round."""
