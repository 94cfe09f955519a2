"""Decide when insurance is offered, and find insurance that could pay more than it insures.

Insurance is bet between cards: it is offered while the points of the open cards are in the rulebook's table, until the
next card leaves the shoe. Money in minor units.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from thirdcard.rules.findings.findings import Finding, name_of
from thirdcard.rules.game.words import DEALER, Bet, Side
from thirdcard.rules.log.events import CardDealt, CardPassed, CardTurned, Event, ResultAnnounced, WagerChanged
from thirdcard.rules.round.drawing import Drawing
from thirdcard.rules.round.round import INITIAL_CARDS, DealtCard, Round, Wager, confidence_of, is_by_dealer
from thirdcard.rules.rulebook.model import InsuranceRow, InsuranceRule, WindowStart
from thirdcard.rules.rulebook.options import Rules
from thirdcard.rules.wagers.late_bets import ChangeKind, Close, kind_of

INSURANCE = {Bet.INSURANCE_PLAYER: Side.PLAYER, Bet.INSURANCE_BANKER: Side.BANKER}
"""The insurance bets and the hand that each insures."""
_CODE = "limit.above_maximum"


class Offer(StrEnum):
    """Whether insurance may be bet at this moment."""

    OPEN = "open"
    UNKNOWN = "unknown"
    """Depends on a card that was not read."""
    NOT_OFFERED = "not_offered"
    """The cards are not all open yet, or their points are in no row."""
    CLOSED = "closed"
    """The next card has left the shoe."""


@dataclass(frozen=True, slots=True)
class InsuranceWindow:
    """The offer of insurance on a bet at one moment of the round."""

    offer: Offer
    since_t: float
    """When this state began, seconds."""
    row: InsuranceRow | None = None
    was_offered: bool = False
    """Whether it was offered after the four cards, but no longer is."""


def window_of(bet: Bet, running: Round, drawing: Drawing, rule: InsuranceRule) -> InsuranceWindow:
    """The offer of that insurance with the present cards."""
    cards = sorted(running.dealt.cards.values(), key=lambda card: card.index)
    further = cards[INITIAL_CARDS:]
    if len(cards) < INITIAL_CARDS or any(card.shown_t is None for card in cards[:INITIAL_CARDS]):
        return (
            InsuranceWindow(Offer.CLOSED, further[-1].t)
            if further
            else InsuranceWindow(Offer.NOT_OFFERED, running.opened_t)
        )
    if not further:
        after, since_t = WindowStart.FOUR_CARDS, max(card.shown_t or card.t for card in cards)
    elif _is_open_third(further, drawing):
        after, since_t = WindowStart.PLAYER_THIRD, further[0].shown_t or further[0].t
    else:
        return InsuranceWindow(Offer.CLOSED, further[-1].t)
    points = {side: drawing.total(side) for side in Side}
    player, banker = points[Side.PLAYER], points[Side.BANKER]
    if player is None or banker is None or not drawing.can_judge:
        return InsuranceWindow(Offer.UNKNOWN, since_t)
    row = _row_of(bet, after, player, banker, rule)
    if row is not None:
        return InsuranceWindow(Offer.OPEN, since_t, row)
    was_offered = after is WindowStart.PLAYER_THIRD and _was_offered(bet, drawing, rule)
    return InsuranceWindow(Offer.NOT_OFFERED, since_t, was_offered=was_offered)


def _row_of(bet: Bet, after: WindowStart, player: int, banker: int, rule: InsuranceRule) -> InsuranceRow | None:
    fitting = (row for row in rule.rows if row.bet is bet and row.after is after)
    return next((row for row in fitting if player in row.player and banker in row.banker), None)


def _was_offered(bet: Bet, drawing: Drawing, rule: InsuranceRule) -> bool:
    """Whether the insurance was offered after the first four cards."""
    player, banker = drawing.points(Side.PLAYER), drawing.points(Side.BANKER)
    if player is None or banker is None:
        return False
    return _row_of(bet, WindowStart.FOUR_CARDS, player, banker, rule) is not None


def _is_open_third(further: list[DealtCard], drawing: Drawing) -> bool:
    """Whether the only further card is the Player's third and lies open."""
    return len(further) == 1 and drawing.third.get(Side.PLAYER) is further[0] and further[0].shown_t is not None


@dataclass(frozen=True, slots=True)
class Promise:
    """The amount that an insurance wager can win, in minor units; None where it was not read."""

    on_loss: Fraction | None
    """Winnings if the insured hand loses."""
    on_tie: Fraction | None
    """Winnings on a Tie, where the rulebook pays that; 0 where a Tie returns the wager."""
    is_some: bool = False
    """Whether it surely wins something, even if the amount is unknown."""


NOTHING = Promise(Fraction(0), Fraction(0))


@dataclass(frozen=True, slots=True)
class Fixed:
    """The part of an insurance wager that may not be taken back, since its window has ended."""

    t: float
    """When the next card or the result came, seconds."""
    stake: int | None
    """In minor units; None where it was not read."""
    promise: Promise


NOT_FIXED = Fixed(0.0, 0, NOTHING)


class InsuranceJudge:
    """Adds up what the insurance of a round could pay and compares it with the insured wagers."""

    def __init__(self, rules: Rules) -> None:
        self._rule = rules.insurance
        self._round = 0
        self._promised: dict[str, Promise] = {}
        """By area: what its insurance could pay, if bet while it was offered."""
        self._fixed: dict[str, Fixed] = {}
        """By area: the part that the end of a window has fixed."""
        self._waived_in = 0
        """The latest round in which the Banker's third card was handled or seen before the Player's was open."""

    @property
    def rule(self) -> InsuranceRule | None:
        """The rulebook's rule on insurance; None where it is not offered."""
        return self._rule

    @property
    def listens_to(self) -> Collection[type[Event]]:
        """The event types that may end an offer; none where insurance is not offered."""
        return () if self._rule is None else (CardDealt, CardTurned, CardPassed, ResultAnnounced)

    def close_of(self, event: WagerChanged, running: Round, window: InsuranceWindow) -> Close | None:
        """When betting on the insurance closed for this change; None while it is open.

        A wager from an ended window stays fixed, even while another window is open.
        """
        assert self._rule is not None, "without windows nothing is open or closed"
        kind, offer, result = kind_of(event), window.offer, running.result
        adds = kind is not None and kind.adds
        if kind is not None and not adds and event.area in self._fixed_in(running):
            fixed = self._fixed[event.area]
            is_reduced = is_by_dealer(event) and not running.is_decided
            if is_reduced or (offer is Offer.OPEN and result is None and not _is_below(event, kind, fixed.stake)):
                return None
            return Close(fixed.t, self._rule.withdrawal_rule, False, 1.0)
        if result is not None and (adds or is_by_dealer(event)):
            return Close(result.t, self._rule_against(window, running), False, 1.0)
        if offer is Offer.UNKNOWN or offer is Offer.OPEN or (offer is Offer.NOT_OFFERED and not adds):
            return None
        return Close(window.since_t, self._rule_against(window, running), False, 1.0)

    def _rule_against(self, window: InsuranceWindow, running: Round) -> str | None:
        """The rule that a bet breaks while insurance is not offered."""
        assert self._rule is not None, "without windows there is none that is not open"
        if window.offer is not Offer.CLOSED and not window.was_offered:
            return self._rule.rule
        return self._rule.waiver_rule if self._waived_in == running.number else self._rule.closing_rule

    def promises(self, running: Round) -> Mapping[str, Promise]:
        """By area: what its insurance could pay, for wagers made in a window of this round."""
        return dict(self._promised) if self._round == running.number else {}

    def note(self, event: WagerChanged, running: Round, window: InsuranceWindow) -> None:
        """Take in a change of an insurance wager that was in time; changes after the round is decided are ignored."""
        self._begin(running)
        if running.is_decided:
            return
        before, after = event.before, event.after
        promised = self._promised.get(event.area, NOTHING)
        fixed = self._fixed.get(event.area, NOT_FIXED)
        if is_by_dealer(event):
            fixed = NOT_FIXED  # the dealer may reduce even the fixed part
            self._fixed.pop(event.area, None)
        if after == 0 or event.chips_after == 0:
            self._promised.pop(event.area, None)
        elif before is None or after is None or promised.on_loss is None or window.offer is Offer.UNKNOWN:
            was_some = promised.is_some or bool(promised.on_loss)
            is_some = bool(after or event.chips_after) and (was_some or window.row is not None)
            self._promised[event.area] = Promise(None, None, is_some)
        elif after < before or window.row is not None:
            self._promised[event.area] = _promise(promised, fixed, before, after, window.row)

    def observe(
        self, event: CardDealt | CardTurned | CardPassed | ResultAnnounced, running: Round
    ) -> Iterator[Finding]:
        """Find insurance that is too large when the next card or the result ends the offer; fixes the wagers."""
        if isinstance(event, CardPassed | CardTurned) and _is_waived_by(event, running):
            self._waived_in = running.number
        if not self._promised or not isinstance(event, CardDealt | ResultAnnounced):
            return
        self._begin(running)
        for area, promise in self._promised.items():
            promised = promise.on_loss
            wager = running.betting.stakes.get(area)
            if wager is None:
                continue
            if not wager.is_empty:
                self._fixed[area] = Fixed(event.t, wager.value, promise)
            insured = [
                one.value
                for one in running.betting.stakes.values()
                if one.seat == wager.seat and one.bet == str(INSURANCE[wager.bet])
            ]
            is_unseen = not insured and (wager.seat is None or running.was_camera_lost)
            if promise.is_some and not is_unseen and not any(value != 0 for value in insured):
                yield _above(event, wager, None)
            elif promised is None or is_unseen or None in insured:
                running.doubt(_CODE, f"the wager on {area} or the one that it insures was not read")
            elif promised > sum(value for value in insured if value is not None):
                yield _above(event, wager, promised)

    def _begin(self, running: Round) -> None:
        if self._round != running.number:
            self._round = running.number
            self._promised.clear()
            self._fixed.clear()

    def _fixed_in(self, running: Round) -> Mapping[str, Fixed]:
        return self._fixed if self._round == running.number else {}


def _is_below(event: WagerChanged, kind: ChangeKind, stake: int | None) -> bool:
    """Whether a change leaves less than that stake; an unread value counts as enough."""
    if kind is ChangeKind.REMOVED:
        return True
    return event.after is not None and stake is not None and event.after < stake


def _is_waived_by(event: CardPassed | CardTurned, running: Round) -> bool:
    """Whether the Banker's third card is handled or seen while the Player's lies face down."""
    thirds = {card.place: card for card in running.dealt.cards.values() if card.index >= INITIAL_CARDS}
    player, banker = thirds.get(Side.PLAYER), thirds.get(Side.BANKER)
    if player is None or banker is None or player.shown_t is not None or event.card_id != banker.card_id:
        return False
    return event.face_up if isinstance(event, CardTurned) else event.to != DEALER


def _promise(old: Promise, fixed: Fixed, before: int, after: int, row: InsuranceRow | None) -> Promise:
    """The amount that the changed wager can win: reduced in proportion to the part that is not fixed, or increased by
    the open row."""
    assert old.on_loss is not None and old.on_tie is not None
    if after < before:
        stake, promise = fixed.stake or 0, fixed.promise
        share = Fraction(after - stake, before - stake) if after >= stake else Fraction(0)
        on_loss, on_tie = promise.on_loss or Fraction(0), promise.on_tie or Fraction(0)
        return Promise(on_loss + (old.on_loss - on_loss) * share, on_tie + (old.on_tie - on_tie) * share)
    more = (after - before) * row.pays if row is not None else Fraction(0)
    wins_on_tie = row is not None and row.wins_on_tie
    return Promise(old.on_loss + more, old.on_tie + (more if wins_on_tie else 0))


def _above(event: Event, wager: Wager, promised: Fraction | None) -> Finding:
    whose = "A" if wager.seat is None else f"Seat {wager.seat}'s"
    worth = "something" if promised is None else f"{float(promised):g}"
    if promised is not None and promised.denominator == 1:
        worth = str(promised)
    return Finding(
        code=_CODE,
        t=event.t,
        key=(_CODE, wager.area),
        message=f"{whose} {name_of(wager.bet)} could pay {worth}, more than the wager that it insures.",
        facts=frozenset({"insurance"}),
        seat=wager.seat,
        bet=wager.bet,
        area=wager.area,
        amount=wager.value,
        confidence=wager.confidence * confidence_of(event),
    )
