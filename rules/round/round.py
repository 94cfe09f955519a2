"""The running round: cards, wagers and calls, and how each event changes it.

Judges nothing. Wagers stay from round to round; cards do not, except for their faces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.notice import TableNotice
from thirdcard.rules.game.words import DEALER, UNKNOWN, Bet, SettleAction, Side, Source
from thirdcard.rules.log.events import (
    UNSEEN,
    BetsOpened,
    CardDealt,
    CardMoved,
    CardPassed,
    CardTurned,
    Event,
    NoMoreBets,
    ResultAnnounced,
    ReturnOrdered,
    RoundClosed,
    RoundVoided,
    VoidHandAnnounced,
    WagerChanged,
    WagerSettled,
)

INITIAL_CARDS = 4
"""The number of cards that are dealt before a third card, or a result, can come."""
ROUND_OPENERS = (BetsOpened, WagerChanged, NoMoreBets, VoidHandAnnounced, CardDealt, CardMoved)
"""The events that begin a round when none runs."""
_PAID = SettleAction.PAID


class RoundPhase(StrEnum):
    """The stage of a round."""

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


@dataclass(slots=True)
class DealtCard:
    """One card of the round and everything seen of it so far."""

    came: CardDealt | CardMoved
    """The event that brought it into the round: from the shoe, or from the round before."""
    index: int
    """Its index in the order in which the round got its cards, from 0."""
    card: Card | None
    place: Side | None
    """The hand in whose box it lies."""
    confidence: float = 1.0
    """The confidence in its place and point value together, 0 to 1."""
    face_confidence: float = 1.0
    """The confidence in its face, rank and suit, 0 to 1."""
    shown_t: float | None = None
    """When its face was first visible, seconds of stream time."""

    @property
    def card_id(self) -> str:
        return self.came.card_id

    @property
    def t(self) -> float:
        """When it left the shoe, or came from the round before, seconds of stream time."""
        return self.came.t

    @property
    def is_kept(self) -> bool:
        """Whether it came from the round before."""
        return isinstance(self.came, CardMoved)

    @property
    def was_found_face_up(self) -> bool:
        """Whether it lay face up in the shoe."""
        return isinstance(self.came, CardDealt) and self.came.found_face_up

    @property
    def together_with(self) -> str | None:
        """The id of the card that left the shoe with it; None where none did."""
        return self.came.together_with if isinstance(self.came, CardDealt) else None


Placement = tuple[DealtCard, CardDealt | CardMoved]
"""A card and the event that put it into a hand's box, from the shoe or from elsewhere."""


class Wager(NamedTuple):
    """The chips on one wagering area."""

    area: str
    seat: int | None
    bet: Bet
    value: int | None
    """In minor units; 0 is empty, None unknown."""
    chips: int | None
    is_settled: bool = False
    """Whether the dealer has settled it in this round."""
    confidence: float = 1.0
    """Of the last observation of the area, 0 to 1."""
    least: int | None = None
    """A lower bound of the value, where it is unknown."""
    promotional: int | None = 0
    """The value of promotional chips in it; None where some lie there and their value was not read."""

    @property
    def is_empty(self) -> bool:
        return self.value == 0

    @property
    def is_seen(self) -> bool:
        """Whether chips are known to lie there."""
        return bool(self.value) or bool(self.chips) or bool(self.least)


class Call(NamedTuple):
    """The call that closed betting, and how well it is known."""

    t: float
    is_inferred: bool
    confidence: float
    within_s: float | None = None
    """The largest error of `t` against the true call, in seconds; None where it was not estimated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundState:
    """A snapshot of a round for display."""

    round: int
    phase: RoundPhase
    player: tuple[Card | None, ...]
    banker: tuple[Card | None, ...]
    wagers: Mapping[str, Wager]


def confidence_of(event: Event) -> float:
    """The event's confidence, 0 to 1; 1 where it was not estimated."""
    return 1.0 if event.confidence is None else event.confidence


def value_confidence_of(event: CardDealt | CardMoved | CardTurned) -> float:
    """The confidence that the card lies there with the logged point value, 0 to 1; its suit may still be in doubt."""
    sure = None if isinstance(event, CardMoved) else event.value_confidence
    return confidence_of(event) if sure is None else sure


class Void(NamedTuple):
    """Whether a round is played without wagers."""

    is_void: bool = False
    """By announcement or by order of the rulebook."""
    rule: str | None = None
    """The rule that orders it, if any."""
    is_annulled: bool = False
    """Whether the round became void while it ran: its wagers are void, but it was not forbidden to place them, and it
    need not be played to its end."""
    declared_t: float | None = None
    """When the house declared it void, in seconds; its cards are not judged from then on."""


NOT_VOID = Void()


class Deadline(NamedTuple):
    """When every due card should have come: at the result, a settlement or the close."""

    t: float
    placements: int
    """The number of placements by then."""
    at_result: int = 0
    """The number of placements at the announced result, which may come later."""


@dataclass(slots=True)
class RoundBetting:
    """The round's wagers, and when they could be placed."""

    stakes: dict[str, Wager] = field(default_factory=dict)
    """The wagers when betting closed, or so far; late changes do not alter it."""
    placed: set[str] = field(default_factory=set)
    """Areas on which a wager was placed during this round's betting."""
    call: Call | None = None
    was_opened: bool = False
    """Whether wagers were asked for."""
    may_be_taken_back: bool = False
    """Whether a fault gives the players the option to take their wagers back."""
    is_reopened: bool = False
    """Whether wagers were asked for again after the result."""
    notice: TableNotice = field(default_factory=TableNotice)
    """The limits that hold for the round: those at the close of betting, or the present ones before it."""
    lifted: dict[str, Wager] = field(default_factory=dict)
    """By area: the wager at the close, where the dealer took chips of it since."""
    ordered_back: dict[str, float] = field(default_factory=dict)
    """By area: when a supervisor ordered its wager returned, in seconds."""
    pushed_t: float | None = None
    """When the dealer returned a wager while the cards that lay there were a Tie, in seconds."""


@dataclass(slots=True)
class DealtCards:
    """The round's cards, and whether there is something about them to judge."""

    kept: Mapping[str, DealtCard] = field(default_factory=dict)
    """The previous round's cards, which may be kept for this one."""
    cards: dict[str, DealtCard] = field(default_factory=dict)
    placements: list[Placement] = field(default_factory=list)
    orderly: int = 0
    """The number of the first four cards that came in order, with nothing else happening before them."""
    first: CardDealt | None = None
    """The first card out of the shoe."""
    hand_first_t: dict[Side, float] = field(default_factory=dict)
    """When each hand's first card left the shoe."""
    seen_t: float | None = None
    """When a card was first shown or passed, or a third card left the shoe."""
    shoe_empty_t: float | None = None
    """When the shoe had no more cards."""
    has_news: bool = False
    """Whether something about the cards changed, or the deadline came, since they were last judged."""
    is_faultless: bool = False
    """Whether the cards were judged after the deadline with all faces read; only a change can bring a new fault."""
    has_pairs: bool = False
    """Whether two cards are logged as having left the shoe together."""
    faces_read: int = 0
    """Counts the cards whose faces were read after they were dealt."""

    def hand(self, side: Side) -> tuple[DealtCard, ...]:
        """The cards in a hand's box, in the order in which they left the shoe."""
        return tuple(card for card in self.cards.values() if card.place is side)

    def note_seen(self, t: float) -> None:
        """Note that a card was shown or passed to a player."""
        if self.seen_t is None:
            self.seen_t = t

    def note_empty_shoe(self, t: float) -> None:
        """Note that no further card comes from the shoe."""
        if self.shoe_empty_t is None:
            self.shoe_empty_t = t
            self.has_news = True


@dataclass(slots=True)
class RoundSight:
    """What cameras could not see of a round."""

    lost_t: float | None = None
    """The time from which something may have happened unseen, in seconds; None where no camera was lost."""
    last_lost_t: float | None = None
    """When a camera was last lost, in this round or before, in seconds; None where none was."""
    may_have_ended: bool = False
    """Whether a camera was lost after the result, so that the round may have ended unseen."""


@dataclass(slots=True)
class Round:
    """A round while it runs."""

    number: int
    opened_t: float
    dealt: DealtCards = field(default_factory=DealtCards)
    betting: RoundBetting = field(default_factory=RoundBetting)
    void: Void = NOT_VOID
    result: ResultAnnounced | None = None
    deadline: Deadline | None = None
    settled_early: WagerSettled | None = None
    """The first wager that was collected or paid before the result."""
    closed: RoundClosed | None = None
    sight: RoundSight = field(default_factory=RoundSight)
    is_misdealt: bool = False
    """Whether a misdeal was found, for which the house may stop the round and return the wagers."""
    doubts: dict[tuple[str, str], None] = field(default_factory=dict)
    """Pairs of a code that could not be judged, and the reason; in order."""

    @property
    def camera_lost_t(self) -> float | None:
        """The time from which something may have happened unseen, in seconds; None where no camera was lost."""
        return self.sight.lost_t

    @property
    def was_camera_lost(self) -> bool:
        return self.sight.lost_t is not None

    @property
    def deadline_t(self) -> float | None:
        """When every due card should have come, in seconds; None before."""
        return None if self.deadline is None else self.deadline.t

    @property
    def closed_t(self) -> float | None:
        return None if self.closed is None else self.closed.t

    @property
    def untouched(self) -> frozenset[str]:
        """Areas with chips that nobody reached over since the round was decided, according to a camera."""
        return frozenset() if self.closed is None else frozenset(self.closed.untouched or ())

    @property
    def is_decided(self) -> bool:
        """Whether the result was announced, or wagers were settled without an announcement."""
        return self.deadline is not None

    @property
    def phase(self) -> RoundPhase:
        if self.is_decided:
            return RoundPhase.DECIDED
        if len(self.dealt.cards) >= INITIAL_CARDS:
            return RoundPhase.DRAWING
        if self.dealt.cards:
            return RoundPhase.DEALING
        return RoundPhase.BETTING if self.betting.call is None else RoundPhase.CALLED

    def doubt(self, code: str, why: str) -> None:
        """Note that it is unknown whether that fault happened, and why."""
        self.doubts[code, why] = None

    def note_blind(self, t: float) -> None:
        """Note that a camera is lost: from now on something may happen unseen."""
        sight = self.sight
        if sight.lost_t is None:
            sight.lost_t = t
        sight.last_lost_t, sight.may_have_ended = t, sight.may_have_ended or self.is_decided

    @property
    def is_before_play(self) -> bool:
        """Whether wagers are being placed and no card is out, so that a settlement or a result concerns the round
        before."""
        if self.dealt.placements or not self.betting.was_opened:
            return False
        return self.betting.call is None and not self.was_camera_lost

    def forget_last(self) -> None:
        """Forget a result and settlements from before the first card: they concern the round before."""
        if self.deadline is not None and self.deadline.placements == 0 and not self.was_camera_lost:
            self.deadline = self.result = self.settled_early = None

    def reach_deadline(self, t: float) -> None:
        """Note that every due card should have come: by `t`, or when wagers were returned for a Tie before it."""
        self.dealt.has_news = True
        self.deadline = Deadline(t if self._pushed_t is None else self._pushed_t, len(self.dealt.placements))

    def note_push(self, t: float) -> None:
        """Note that the dealer returned a wager while the cards that lie there are a Tie."""
        self.betting.pushed_t = t if self._pushed_t is None else self._pushed_t

    @property
    def _pushed_t(self) -> float | None:
        """When the first wager was returned for the Tie that the cards are; None if a card came since."""
        t, placements = self.betting.pushed_t, self.dealt.placements
        return None if t is None or (placements and t < placements[-1][1].t) else t


def changed_wager(event: WagerChanged, old: Wager | None, *, is_settled: bool) -> Wager:
    """The wager on the area after its chips changed."""
    is_empty = event.after == 0 or event.chips_after == 0
    return Wager(
        event.area,
        event.seat,
        event.bet,
        0 if is_empty else event.after,
        0 if is_empty else event.chips_after,
        is_settled or (old is not None and old.is_settled),
        confidence_of(event),
        None if is_empty else event.after_low,
        _promotional_part(event, old) if event.promotional or (old is not None and old.promotional != 0) else 0,
    )


def _promotional_part(event: WagerChanged, old: Wager | None) -> int | None:
    """The promotional part of the value after the change.

    When chips are taken, ordinary chips are taken to go first; promotional chips that are gone stay gone.
    """
    before, part = (0, 0) if old is None else (old.value, old.promotional)
    before, after = before if event.before is None else event.before, event.after
    if part is not None and before is not None:
        part = min(part, before)
    if event.promotional:
        part = None if part is None or before is None or after is None else part + max(after - before, 0)
    return part if part is None or after is None else min(part, after)


def settled_wager(event: WagerSettled, old: Wager | None) -> Wager:
    """The wager after the dealer paid, collected or returned it: taken chips are gone, a paid stake stays."""
    area, seat, bet = event.area, event.seat, event.bet
    if event.action is not _PAID:
        return Wager(area, seat, bet, 0, 0, True)
    if old is None:
        return Wager(area, seat, bet, None, None, True)
    return Wager(area, seat, bet, old.value, old.chips, True, 1.0, old.least, old.promotional)


def freed_wager(wager: Wager, *, are_promotional_spent: bool) -> Wager:
    """The wager that is left for the next round.

    Without a rule about promotional chips it is unknown what is left of them.
    """
    if wager.promotional == 0:
        return Wager(*wager[:5], False, *wager[6:])  # quicker than `_replace`
    if not are_promotional_spent:
        return wager._replace(is_settled=False, value=None, chips=None, promotional=0)
    value = None if wager.value is None or wager.promotional is None else wager.value - wager.promotional
    return wager._replace(is_settled=False, value=value, chips=0 if value == 0 else None, promotional=0)


def is_by_dealer(event: WagerChanged) -> bool:
    """Whether the dealer is known to have changed the wager."""
    return event.by == DEALER


def is_by_nobody_known(event: WagerChanged) -> bool:
    """Whether it is unknown who changed the wager."""
    return event.by == UNKNOWN


def take_deal(event: CardDealt, running: Round) -> None:
    """Apply a card that left the shoe."""
    dealt = running.dealt
    dealt.has_news = True
    cards, t, hand = dealt.cards, event.t, event.hand
    index, is_shown, first_t = len(cards), event.face_up, dealt.hand_first_t
    face_sure, sure, shown_t = event.confidence, event.value_confidence, t if is_shown else None
    if face_sure is None:
        face_sure = 1.0
    if sure is None:
        sure = face_sure
    card = cards[event.card_id] = DealtCard(event, index, event.card, hand, sure, face_sure, shown_t)
    dealt.placements.append((card, event))
    if event.together_with is not None:
        dealt.has_pairs = True
    if dealt.first is None:
        dealt.first = event
        running.forget_last()
        for kept in list(cards.values())[:index] if index else ():
            if kept.place is not None:
                first_t[kept.place] = t
    if hand is not None and hand not in first_t:
        first_t[hand] = t
    if dealt.seen_t is None and (is_shown or index >= INITIAL_CARDS):
        dealt.seen_t = t


def take_turn(event: CardTurned, running: Round) -> None:
    """Apply a turned card, whose face may now be known."""
    dealt = running.dealt
    dealt.has_news = True
    card = dealt.cards.get(event.card_id)
    if card is None:
        return
    sure = value_confidence_of(event)
    if event.card is not None and (card.card is None or (card.card != event.card and sure > card.confidence)):
        card.card = event.card
        dealt.faces_read += 1
        card.confidence = sure  # a face that was read also proves that the card is there
        card.face_confidence = confidence_of(event)
    if event.face_up:
        dealt.note_seen(event.t)
        if card.shown_t is None:
            card.shown_t = event.t


def take_move(event: CardMoved, running: Round) -> None:
    """Apply a card that came to another box, or from the round before."""
    dealt = running.dealt
    dealt.has_news = True
    card = dealt.cards.get(event.card_id)
    if card is not None:
        card.place = event.hand
        dealt.placements.append((card, event))
    elif dealt.first is None:
        known = dealt.kept.get(event.card_id)
        kept = DealtCard(event, len(dealt.cards), None if known is None else known.card, event.hand)
        kept.shown_t = None if known is None or known.shown_t is None else event.t
        dealt.cards[event.card_id] = kept
        dealt.placements.append((kept, event))


def take_call(event: NoMoreBets, running: Round) -> None:
    """Apply the call that closes betting; the first one counts."""
    if running.betting.call is None:
        is_inferred = event.source is Source.INFERRED
        confidence = UNSEEN if is_inferred and event.confidence is None else confidence_of(event)
        running.betting.call = Call(event.t, is_inferred, confidence, event.within_s)


def take_opening(_event: BetsOpened, running: Round) -> None:
    """Apply a request for wagers."""
    running.betting.was_opened = True
    running.betting.is_reopened = running.is_decided


def take_void(_event: VoidHandAnnounced, running: Round) -> None:
    """Apply an announced void hand, unless the round is decided already."""
    if not running.is_decided:
        running.void = running.void._replace(is_void=True)


def take_voiding(event: RoundVoided, running: Round) -> None:
    """Apply the house's declaration that the round is void; the first one counts."""
    if running.void.declared_t is None:
        running.void = running.void._replace(is_void=True, is_annulled=True, declared_t=event.t)


def take_return_order(event: ReturnOrdered, running: Round) -> None:
    """Apply a supervisor's order to return a wager."""
    running.betting.ordered_back.setdefault(event.area, event.t)


def take_pass(event: CardPassed, running: Round) -> None:
    """Apply a passed card: its face counts as seen once a player has it."""
    if event.to != DEALER:
        running.dealt.note_seen(event.t)


def take_result(event: ResultAnnounced, running: Round) -> None:
    """Apply the announced result; the first announcement counts."""
    running.dealt.has_news = True
    if running.result is not None or running.is_before_play:
        return
    running.result = event
    count, deadline = len(running.dealt.placements), running.deadline
    running.deadline = Deadline(event.t, count, count) if deadline is None else deadline._replace(at_result=count)


def take_close(event: RoundClosed, running: Round) -> None:
    """Apply the end of the round."""
    dealt = running.dealt
    dealt.has_news = dealt.has_news or not dealt.is_faultless
    running.closed = event
    if running.deadline is None:
        running.reach_deadline(event.t)


TAKERS: Mapping[type[Event], Callable[[Any, Round], None]] = {
    CardDealt: take_deal,
    CardTurned: take_turn,
    CardMoved: take_move,
    NoMoreBets: take_call,
    BetsOpened: take_opening,
    VoidHandAnnounced: take_void,
    RoundVoided: take_voiding,
    ReturnOrdered: take_return_order,
    CardPassed: take_pass,
    ResultAnnounced: take_result,
    RoundClosed: take_close,
}
"""The function that applies each event type to the round. Wagers are noted by the wagering judge; other events do not
concern the round."""
