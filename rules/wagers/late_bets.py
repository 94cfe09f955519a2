"""Find wagers that changed when the rulebook forbids it.

A change that may be half of a move, or a payment that is not logged yet, is judged a moment later. A change of unknown
direction never makes an alert.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from thirdcard.rules.findings.findings import Finding, name_of
from thirdcard.rules.game.words import Bet, Severity, Side, seat_of
from thirdcard.rules.log.events import (
    UNSEEN,
    CardDealt,
    CardPassed,
    CardTurned,
    Event,
    NoMoreBets,
    ResultAnnounced,
    Source,
    WagerChanged,
    WagerSettled,
)
from thirdcard.rules.round.round import (
    INITIAL_CARDS,
    Call,
    Round,
    Wager,
    confidence_of,
    is_by_dealer,
    is_by_nobody_known,
)
from thirdcard.rules.rulebook.model import ClosingCase, Moment
from thirdcard.rules.rulebook.options import Rules
from thirdcard.rules.wagers.change_times import Span, shipped_change_times


class ChangeKind(StrEnum):
    """The kinds of change of a wager."""

    PLACED = "placed"
    INCREASED = "increased"
    REDUCED = "reduced"
    REMOVED = "removed"

    @property
    def adds(self) -> bool:
        return self in (ChangeKind.PLACED, ChangeKind.INCREASED)


class Close(NamedTuple):
    """When betting on a bet closed."""

    t: float
    rule: str | None
    is_inferred: bool
    confidence: float
    within_s: float = 0.0
    """The most that `t` can be from the true close, in seconds."""


@dataclass(frozen=True, slots=True)
class LateChange:
    """A late change that may still turn out to be half of a move, or a payment."""

    event: WagerChanged
    kind: ChangeKind
    finding: Finding
    close: Close
    is_by_dealer: bool = False


_PLACED, _INCREASED, _REDUCED, _REMOVED = ChangeKind


def kind_of(event: WagerChanged) -> ChangeKind | None:
    """The direction of a change; None where nothing changed or it is unknown."""
    was_empty = event.before == 0 or event.chips_before == 0
    is_empty = event.after == 0 or event.chips_after == 0
    if was_empty or is_empty:
        if was_empty and is_empty:
            return None
        return _PLACED if was_empty else _REMOVED
    before, after = event.before, event.after
    if before is None or after is None:
        before, after = event.chips_before, event.chips_after
    if before is None or after is None or before == after:
        return None
    return _INCREASED if after > before else _REDUCED


def span_of(event: WagerChanged) -> Span:
    """The bounds of the time of the change, in seconds."""
    return event.t - (event.earlier_s or 0.0), event.t + (event.later_s or 0.0)


def moment_of(event: WagerChanged, kind: ChangeKind) -> float:
    """The likeliest time of the change, in seconds: that of its line, unless a hand covered the chips for long.

    Then they were put down soon after the hand came, but seen only after other lines were written.
    """
    times = shipped_change_times()
    if not kind.adds or event.earlier_s is None or event.earlier_s <= times.usual_cover_s:
        return event.t
    return span_of(event)[0] + times.put_down_s


def amount_of(event: WagerChanged) -> int | None:
    """The change of the value, in minor units; None where unknown."""
    before = 0 if event.chips_before == 0 else event.before
    after = 0 if event.chips_after == 0 else event.after
    return None if before is None or after is None else abs(after - before)


_CALL, _FIRST_CARD, _HAND_FIRST_CARD, _FIRST_SEEN, _RESULT = Moment
_CLOSERS: Mapping[Moment, tuple[type[Event], ...]] = {
    _CALL: (NoMoreBets,),
    _FIRST_CARD: (),
    _HAND_FIRST_CARD: (CardDealt,),
    _FIRST_SEEN: (CardDealt, CardTurned, CardPassed),
    _RESULT: (ResultAnnounced,),
}


def closers_of(cases: Iterable[ClosingCase]) -> frozenset[type[Event]]:
    """The event types that may close betting in these cases, besides the round's first card."""
    return frozenset(kind for case in cases for kind in _CLOSERS[case.moment])


def close_of(bet: Bet, running: Round, rules: Rules, case: ClosingCase | None = None) -> Close | None:
    """When betting on that bet closed; None while it is open. The first card overrides a call inferred from it.

    Args:
        bet: The bet.
        running: The running round.
        rules: The rulebook and the house's options.
        case: What closes it, if different from what closes placing.
    """
    first, call, result = running.dealt.first, running.betting.call, running.result
    if first is None and call is None and result is None and running.dealt.seen_t is None:
        return None
    case = rules.closings[bet] if case is None else case
    moment, rule = case.moment, case.rule
    close: Close | None = None
    if moment is _CALL and call is not None and not (call.is_inferred and first is not None):
        close = Close(call.t, rule, call.is_inferred, call.confidence, _within_s(call))
    if (moment is _CALL or moment is _FIRST_CARD) and first is not None and (close is None or first.t < close.t):
        close = Close(first.t, rule, False, confidence_of(first), _card_within_s(first))
    elif moment is _HAND_FIRST_CARD and str(bet) in running.dealt.hand_first_t:
        close = Close(running.dealt.hand_first_t[Side(bet)], rule, False, 1.0, _card_within_s(first))
    elif moment is _FIRST_SEEN and running.dealt.seen_t is not None:
        close = Close(running.dealt.seen_t, rule, False, 1.0, _card_within_s(first))
    if result is not None and (close is None or result.t < close.t):
        close = Close(result.t, rule, False, 1.0)
    return close


def _card_within_s(first: CardDealt | None) -> float:
    is_seen = first is not None and first.source is Source.CAMERA
    return shipped_change_times().card_within_s if is_seen else 0.0


def _within_s(call: Call) -> float:
    if call.within_s is not None:
        return call.within_s
    return shipped_change_times().inferred_close_within_s if call.is_inferred else 0.0


def find_late_change(
    event: WagerChanged, running: Round, rules: Rules, *, close: Close, is_losing: bool
) -> LateChange | None:
    """The fault of a change after the close; None where its direction is unknown or the dealer only took chips."""
    kind = kind_of(event)
    if kind is None or (is_by_dealer(event) and not kind.adds):
        return None
    seat = event.seat if seat_of(event.by) is None else seat_of(event.by)
    facts = {"losing"} if is_losing and kind is not ChangeKind.PLACED else set()
    amount, t = amount_of(event), moment_of(event, kind)
    is_critical = running.result is not None or len(running.dealt.cards) >= INITIAL_CARDS
    finding = Finding(
        code=f"late_bet.{kind}",
        t=t,
        key=("late_bet", event.area, event.t, kind),
        message=_message(event, kind, seat, t - close.t, is_losing=bool(facts)),
        facts=frozenset(facts),
        source_rule=close.rule,
        seat=seat,
        bet=event.bet,
        area=event.area,
        amount=amount,
        severity=Severity.CRITICAL if is_critical else Severity.HIGH,
        confidence=_confidence(event, close, span_of(event), adds=kind.adds),
    )
    return LateChange(event, kind, finding, close, is_by_dealer(event))


def find_frozen_change(event: WagerChanged) -> Finding | None:
    """A finding for a change of a wager that may not be changed even before betting closes; None otherwise."""
    kind = kind_of(event)
    seat = seat_of(event.by)
    if seat is None or kind is None or kind is ChangeKind.PLACED:
        return None
    amount = amount_of(event)
    worth = "a wager" if amount is None else str(amount)
    verb = {ChangeKind.INCREASED: "added", ChangeKind.REDUCED: "took back part of", ChangeKind.REMOVED: "took back"}
    return Finding(
        code=f"late_bet.{kind}",
        t=event.t,
        key=("late_bet", event.area, event.t, kind),
        message=f"Seat {seat} {verb[kind]} {worth} on {name_of(event.bet)} though wagers may not be altered.",
        facts=frozenset({"frozen"}),
        seat=seat,
        bet=event.bet,
        area=event.area,
        amount=amount,
        confidence=confidence_of(event),
    )


class HeldChanges:
    """Late changes that wait for their other half."""

    def __init__(self) -> None:
        self.changes: list[LateChange] = []
        self._placed: dict[int, WagerChanged] = {}
        """The last placement of each seat."""

    def add(self, change: LateChange, wagers: Iterable[Wager]) -> list[Finding]:
        """Take a late change; returns the faults that are certain at once.

        Args:
            change: The late change.
            wagers: The table's wagers; a seat without another one cannot have moved its chips.
        """
        change = _taken_before(change, self._placed.get(change.finding.seat or 0))
        for other in self.changes:
            if is_one_move(change, other):
                self.changes.remove(other)
                return [_moved(change, other)]
        if not change.is_by_dealer and not _may_be_half_of_a_move(change, wagers):
            return [change.finding]
        self.changes.append(change)
        return []

    def note_placed(self, event: WagerChanged) -> None:
        """Note that a seat put chips down, in time or not."""
        seat = seat_of(event.by)
        if seat is not None:
            self._placed[seat] = event
            if self.changes:
                self.changes = [_taken_before(one, event) if one.finding.seat == seat else one for one in self.changes]

    def pay(self, payment: WagerSettled, result_t: float | None) -> None:
        """Drop changes that were the dealer's payment: chips that the dealer just put there may be the winnings.

        They are not if the result came after them, or if their value differs.

        Args:
            payment: The logged payment.
            result_t: When the result was announced, seconds; None if it was not.
        """
        self.changes = [one for one in self.changes if not _is_payment(one, payment, result_t)]

    def release(self, t: float | None) -> list[Finding]:
        """The faults whose changes can no longer be half of a move at time `t`, in seconds; None releases all."""
        if not self.changes:
            return []
        ripe = [one for one in self.changes if t is None or t - one.event.t > shipped_change_times().move_s]
        self.changes = [one for one in self.changes if one not in ripe]
        return [one.finding for one in ripe]


def _is_payment(change: LateChange, payment: WagerSettled, result_t: float | None) -> bool:
    """Whether the chips that the dealer put there can be this payment."""
    if not change.is_by_dealer or change.event.area != payment.area:
        return False
    if result_t is not None and span_of(change.event)[1] < result_t:
        return False
    added = change.finding.amount
    return added is None or payment.amount is None or added == payment.amount


def _taken_before(change: LateChange, placed: WagerChanged | None) -> LateChange:
    """The removal with its confidence limited to the time before the same hand put chips down elsewhere."""
    if change.kind is not _REMOVED or placed is None or placed.area == change.event.area or placed.earlier_s is None:
        return change
    (low_t, high_t), (put_t, _) = span_of(change.event), span_of(placed)
    if not low_t < put_t < high_t:
        return change
    sure = _confidence(change.event, change.close, (low_t, put_t), adds=False)
    return replace(change, finding=replace(change.finding, confidence=sure))


def _may_be_half_of_a_move(change: LateChange, wagers: Iterable[Wager]) -> bool:
    """Whether the seat may still place elsewhere what it took, or take elsewhere what it placed."""
    if change.kind is ChangeKind.PLACED:
        seat, area = change.finding.seat, change.event.area
        return any(wager.seat == seat and wager.area != area and not wager.is_empty for wager in wagers)
    return change.kind is ChangeKind.REMOVED


def is_one_move(one: LateChange, other: LateChange) -> bool:
    """Whether a removal and a placement are one move of a seat's wager to another area."""
    if {one.kind, other.kind} != {ChangeKind.PLACED, ChangeKind.REMOVED} or one.is_by_dealer or other.is_by_dealer:
        return False
    seat = one.finding.seat
    if seat is None or seat != other.finding.seat or one.event.area == other.event.area:
        return False
    if abs(one.event.t - other.event.t) > shipped_change_times().move_s:
        return False
    if one.finding.amount is not None and other.finding.amount is not None:
        return one.finding.amount == other.finding.amount
    chips = _chips(one), _chips(other)
    if one.event.source is not Source.CAMERA or other.event.source is not Source.CAMERA:
        return chips[0] is not None and chips[0] == chips[1]
    return None in chips or _are_about_as_many(chips[0] or 0, chips[1] or 0)


def _are_about_as_many(one: int, other: int) -> bool:
    """Whether two camera counts may be of the same chips; each may be wrong by one chip and a quarter."""
    return abs(one - other) <= 2 + max(one, other) / 2


def _chips(change: LateChange) -> int | None:
    return change.event.chips_after if change.kind is ChangeKind.PLACED else change.event.chips_before


def _moved(one: LateChange, other: LateChange) -> Finding:
    """The fault of a move: the move, or its late half, where the other half was probably in time.

    The chips were taken first. If that was late, a player who hurries put them down late; the close of the other area
    may still have come later.
    """
    placed, removed = (one, other) if one.kind is ChangeKind.PLACED else (other, one)
    placed_late, removed_late = placed.finding.confidence, removed.finding.confidence
    both = min(
        removed_late * _confidence(placed.event, placed.close, span_of(placed.event), adds=True, is_known_late=True),
        max(placed_late, removed_late),
    )
    late = placed if placed_late > removed_late else removed
    sure = late.finding.confidence
    if both < sure - both:
        return late.finding
    amounts = [change.finding.amount for change in (placed, removed) if change.finding.amount is not None]
    worth = f"{amounts[0]}" if amounts else "a wager"
    origin, target = name_of(removed.event.bet), name_of(placed.event.bet)
    return replace(
        placed.finding,
        code="late_bet.moved",
        t=removed.event.t,
        key=("late_bet", placed.event.area, removed.event.t, "moved"),
        message=f"Seat {placed.finding.seat} moved {worth} from {origin} to {target} after betting closed.",
        facts=removed.finding.facts,
        amount=amounts[0] if amounts else None,
        confidence=sure,
    )


def _confidence(event: WagerChanged, close: Close, span: Span, *, adds: bool, is_known_late: bool = False) -> float:
    """The confidence that the change was late, and made by somebody who may not make it."""
    confidence = confidence_of(event) * close.confidence
    if is_by_nobody_known(event) and event.source not in (Source.PERSON, Source.SIGNAL):
        confidence *= UNSEEN  # it may have been the dealer; a change reported by a person means a player's
    times = shipped_change_times()
    return confidence * times.lateness(close.t, close.within_s, span, adds=adds, is_known_late=is_known_late)


def _message(event: WagerChanged, kind: ChangeKind, seat: int | None, after_s: float, *, is_losing: bool) -> str:
    who = "The dealer" if is_by_dealer(event) else "Somebody" if seat is None else f"Seat {seat}"
    amount = amount_of(event)
    worth = "chips" if amount is None else str(amount)
    bet = name_of(event.bet)
    when = f"{max(after_s, 0.0):.1f} s after betting closed"
    if is_losing:
        did = {ChangeKind.INCREASED: "added to", ChangeKind.REDUCED: "took back part of"}.get(kind, "took back")
        return f"{who} {did} a losing {worth} on {bet} before it was collected."
    phrases = {
        ChangeKind.PLACED: f"placed {worth} on {bet}",
        ChangeKind.INCREASED: f"added {worth} to {bet}",
        ChangeKind.REDUCED: f"took {worth} of the wager on {bet} back",
        ChangeKind.REMOVED: f"took {worth} back from {bet}",
    }
    return f"{who} {phrases[kind]} {when}."
