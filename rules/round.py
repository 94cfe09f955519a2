"""What lies on the table in the running round: cards, wagers, calls.

Takes events as facts and judges none. Wagers outlive a round; cards do not, but for their faces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple

from rules.cards import Card
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
    WagerChanged,
    WagerSettled,
)
from rules.words import DEALER, UNKNOWN, Bet, SettleAction, Side, Source

INITIAL_CARDS = 4
_PAID, _RETURNED = SettleAction.PAID, SettleAction.RETURNED


class RoundPhase(StrEnum):
    """How far a round is."""

    IDLE = "idle"
    """No round runs."""
    BETTING = "betting"
    CALLED = "called"
    """"No more bets" was called; no card is out."""
    DEALING = "dealing"
    DRAWING = "drawing"
    """The four cards are out."""
    DECIDED = "decided"
    """The result was announced."""


@dataclass(slots=True, kw_only=True)
class DealtCard:
    """One card of the round and all that was seen of it so far."""

    card_id: str
    t: float
    """When it left the shoe, or came from the round before."""
    index: int
    """Its place in the order in which the round got its cards, from 0."""
    is_kept: bool = False
    """Whether it came from the round before."""
    card: Card | None = None
    confidence: float = 1.0
    """Of its place and its face together."""
    dealt_face_up: bool = False
    was_found_face_up: bool = False
    shown_t: float | None = None
    """When its face was first to be seen."""
    place: Side | None = None
    """The hand in whose box it lies."""
    together_with: str | None = None


class Placement(NamedTuple):
    """A card came to a hand's box, from the shoe or from elsewhere."""

    t: float
    card: DealtCard
    side: Side | None
    is_deal: bool
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Wager:
    """What lies on one wagering area."""

    area: str
    seat: int | None
    bet: Bet
    value: int | None
    """0 is empty, None not known."""
    chips: int | None
    is_settled: bool = False
    """Whether the dealer has dealt with it in this round."""
    confidence: float = 1.0
    """Of what was last seen of it."""

    @property
    def is_empty(self) -> bool:
        return self.value == 0

    @property
    def is_seen(self) -> bool:
        """Whether chips are known to lie there."""
        return bool(self.value) or bool(self.chips)


@dataclass(frozen=True, slots=True)
class Call:
    """When betting was called closed and how far that is known."""

    t: float
    is_inferred: bool
    confidence: float
    within_s: float | None = None
    """How far at most `t` is from the true call; None where nobody estimated it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundState:
    """A round as it stands, for whoever shows it."""

    round: int
    phase: RoundPhase
    player: tuple[Card | None, ...]
    banker: tuple[Card | None, ...]
    wagers: Mapping[str, Wager]


def confidence_of(event: Event) -> float:
    """How sure the event is; what nobody estimated counts as sure."""
    return 1.0 if event.confidence is None else event.confidence


@dataclass(slots=True)
class Round:
    """One round while it runs."""

    number: int
    opened_t: float
    cards: dict[str, DealtCard] = field(default_factory=dict)
    placements: list[Placement] = field(default_factory=list)
    call: Call | None = None
    first_card: CardDealt | None = None
    """The first card out of the shoe."""
    hand_first_t: dict[Side, float] = field(default_factory=dict)
    """When each hand's first card left the shoe."""
    seen_t: float | None = None
    """When a card was first shown or passed, or a third one left the shoe."""
    is_void: bool = False
    """Whether it is played without wagers, as announced or as the rulebook orders."""
    void_rule: str | None = None
    """The rule that orders it without wagers, where one does."""
    is_annulled: bool = False
    """Whether it is void since a misdeal came: its wagers are void, but nobody was forbidden to place them."""
    shoe_empty_t: float | None = None
    """When the shoe had no more cards."""
    result: ResultAnnounced | None = None
    deadline_t: float | None = None
    """When every due card should have come: the result, a settlement or the close."""
    deadline_placements: int = 0
    """How many placements had been by then."""
    closed_t: float | None = None
    bets_reopened: bool = False
    """Whether wagers were asked for after the result."""
    was_camera_lost: bool = False
    camera_lost_t: float | None = None
    """Since when something may have happened unseen."""
    has_news: bool = False
    """Whether something was seen of the cards, or the deadline came, that has not been judged yet."""
    has_pairs: bool = False
    """Whether a card is said to have left the shoe together with another."""
    faces_read: int = 0
    """Counts the cards that were read after they were dealt."""
    doubts: dict[tuple[str, str], None] = field(default_factory=dict)
    """Codes that could not be judged and why, in order."""

    @property
    def is_decided(self) -> bool:
        """Whether the result was announced, or wagers were settled without it."""
        return self.deadline_t is not None

    @property
    def phase(self) -> RoundPhase:
        if self.is_decided:
            return RoundPhase.DECIDED
        if len(self.cards) >= INITIAL_CARDS:
            return RoundPhase.DRAWING
        if self.cards:
            return RoundPhase.DEALING
        return RoundPhase.BETTING if self.call is None else RoundPhase.CALLED

    def hand(self, side: Side) -> tuple[DealtCard, ...]:
        """The cards that lie in a hand's box, in the order in which they left the shoe."""
        return tuple(card for card in self.cards.values() if card.place is side)

    def take(self, event: Event, faces: Mapping[str, Card]) -> None:
        """Note what an event says of this round; `faces` are the cards of the round before."""
        take = self.TAKES.get(type(event))
        if take is not None:
            take(self, event, faces)

    def doubt(self, code: str, why: str) -> None:
        """Whether that code's fault happened cannot be told."""
        self.doubts[code, why] = None

    def note_seen(self, t: float) -> None:
        """A card was shown or passed to a player."""
        if self.seen_t is None:
            self.seen_t = t

    def note_empty_shoe(self, t: float) -> None:
        """No further card comes from the shoe."""
        if self.shoe_empty_t is None:
            self.shoe_empty_t = t
            self.has_news = True

    def _reach_deadline(self, t: float) -> None:
        if self.deadline_t is None:
            self.has_news = True
            self.deadline_t = t
            self.deadline_placements = len(self.placements)

    def _deal(self, event: CardDealt, _faces: Mapping[str, Card]) -> None:
        self.has_news = True
        t, hand, card_id, confidence = event.t, event.hand, event.card_id, confidence_of(event)
        card = DealtCard(
            card_id=card_id,
            t=t,
            index=len(self.cards),
            card=event.card,
            confidence=confidence,
            dealt_face_up=event.face_up,
            was_found_face_up=event.found_face_up,
            shown_t=t if event.face_up else None,
            place=hand,
            together_with=event.together_with,
        )
        self.cards[card_id] = card
        self.placements.append(Placement(t, card, hand, True, confidence))
        if card.together_with is not None:
            self.has_pairs = True
        if self.first_card is None:
            self.first_card = event
            for kept in self.cards.values():
                if kept.place is not None:
                    self.hand_first_t.setdefault(kept.place, t)
        elif hand is not None:
            self.hand_first_t.setdefault(hand, t)
        if card.dealt_face_up or card.index >= INITIAL_CARDS:
            self.note_seen(t)

    def _turn(self, event: CardTurned, _faces: Mapping[str, Card]) -> None:
        self.has_news = True
        card = self.cards.get(event.card_id)
        if card is None:
            return
        if event.card is not None and card.card is None:
            card.card = event.card
            self.faces_read += 1
            card.confidence = confidence_of(event)  # a face that was read says that a card lies there, too
        if event.face_up:
            self.note_seen(event.t)
            if card.shown_t is None:
                card.shown_t = event.t

    def _move(self, event: CardMoved, faces: Mapping[str, Card]) -> None:
        self.has_news = True
        card = self.cards.get(event.card_id)
        if card is not None:
            card.place = event.hand
            self.placements.append(Placement(event.t, card, event.hand, False, confidence_of(event)))
            return
        if self.first_card is not None:
            return
        kept = DealtCard(
            card_id=event.card_id,
            t=event.t,
            index=len(self.cards),
            is_kept=True,
            card=faces.get(event.card_id),
            place=event.hand,
        )
        self.cards[kept.card_id] = kept
        self.placements.append(Placement(event.t, kept, event.hand, True, confidence_of(event)))

    def _call(self, event: NoMoreBets, _faces: Mapping[str, Card]) -> None:
        if self.call is None:
            self.call = Call(event.t, event.source is Source.INFERRED, confidence_of(event), event.within_s)

    def _reopen(self, _event: BetsOpened, _faces: Mapping[str, Card]) -> None:
        self.bets_reopened = self.is_decided

    def _void(self, _event: VoidHandAnnounced, _faces: Mapping[str, Card]) -> None:
        self.is_void = self.is_void or not self.is_decided

    def _pass(self, event: CardPassed, _faces: Mapping[str, Card]) -> None:
        if event.to != DEALER:
            self.note_seen(event.t)

    def _announce(self, event: ResultAnnounced, _faces: Mapping[str, Card]) -> None:
        self.has_news = True
        self.result = self.result or event
        self._reach_deadline(event.t)

    def _settle(self, event: WagerSettled, _faces: Mapping[str, Card]) -> None:
        if self.deadline_t is None and (self.result is not None or event.action is not _RETURNED):
            self._reach_deadline(event.t)

    def _close(self, event: RoundClosed, _faces: Mapping[str, Card]) -> None:
        self.has_news = True
        self.closed_t = event.t
        self._reach_deadline(event.t)

    TAKES: ClassVar[Mapping[type[Event], Callable[[Round, Any, Mapping[str, Card]], None]]] = {
        CardDealt: _deal,
        CardTurned: _turn,
        CardMoved: _move,
        NoMoreBets: _call,
        BetsOpened: _reopen,
        VoidHandAnnounced: _void,
        CardPassed: _pass,
        ResultAnnounced: _announce,
        WagerSettled: _settle,
        RoundClosed: _close,
    }
    """What to do with each type of event; the others say nothing of a round."""


def changed_wager(event: WagerChanged, old: Wager | None, *, is_settled: bool) -> Wager:
    """The area after its chips changed."""
    is_empty = event.after == 0 or event.chips_after == 0
    return Wager(
        area=event.area,
        seat=event.seat,
        bet=event.bet,
        value=0 if is_empty else event.after,
        chips=0 if is_empty else event.chips_after,
        is_settled=is_settled or (old is not None and old.is_settled),
        confidence=confidence_of(event),
    )


def settled_wager(event: WagerSettled, old: Wager | None) -> Wager:
    """The area after the dealer paid, collected or returned: what he took is gone, a paid stake stays."""
    stays = event.action is _PAID
    value = old.value if old is not None and stays else None if stays else 0
    chips = old.chips if old is not None and stays else None if stays else 0
    return Wager(area=event.area, seat=event.seat, bet=event.bet, value=value, chips=chips, is_settled=True)


def freed_wager(wager: Wager) -> Wager:
    """What lies on the area when the next round begins."""
    return Wager(
        area=wager.area,
        seat=wager.seat,
        bet=wager.bet,
        value=wager.value,
        chips=wager.chips,
        confidence=wager.confidence,
    )


def is_by_dealer(event: WagerChanged) -> bool:
    """Whether the dealer changed the wager, as far as it is known."""
    return event.by == DEALER


def is_by_nobody_known(event: WagerChanged) -> bool:
    """Whether it is not known who changed the wager."""
    return event.by == UNKNOWN
