"""Find chips that may not lie where they are when betting closes: on a bet that is not offered, or on both hands."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from thirdcard.rules.findings.findings import Finding, name_of
from thirdcard.rules.game.words import Bet
from thirdcard.rules.log.events import Event
from thirdcard.rules.round.round import Round, Wager
from thirdcard.rules.rulebook.options import Rules
from thirdcard.rules.wagers.insurance import INSURANCE
from thirdcard.rules.wagers.late_bets import Close, close_of, closers_of

_CODE = "wager.not_offered"
_BOTH = frozenset({"both_hands"})
_HANDS = (Bet.PLAYER, Bet.BANKER)


class OfferJudge:
    """Checks the wagers as soon as betting has surely closed."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._known = rules.known
        case = rules.fault(_CODE, _BOTH)
        self._is_one_hand_only = case is not None and case.when >= _BOTH

    @property
    def listens_to(self) -> Collection[type[Event]]:
        """The event types that may close betting, besides the round's first card, which is passed separately."""
        rules = self._rules
        cases = [case for case in rules.rulebook.closings if case.when <= rules.facts]
        if not self._is_one_hand_only:
            cases = [case for case in cases if case.bets is None or not self._known.issuperset(case.bets)]
        return closers_of(cases)

    def observe(self, _event: Event, running: Round) -> Iterable[Finding]:
        """Take an event that may have closed betting; returns the faults."""
        known = self._known
        for wager in running.betting.stakes.values():
            if wager.bet not in known and wager.value != 0:
                return self._find_strays(running)
        return self._find_both_hands(running) if self._is_one_hand_only else ()

    def _find_strays(self, running: Round) -> Iterator[Finding]:
        if running.void.is_void:
            return
        for wager in running.betting.stakes.values():
            if wager.bet not in self._known and wager.is_seen and (close := self._close_of(wager, running)) is not None:
                yield _stray(wager, close)
        if self._is_one_hand_only:
            yield from self._find_both_hands(running)

    def _find_both_hands(self, running: Round) -> Iterator[Finding]:
        """The later one of a seat's wagers on both hands."""
        if running.void.is_void:
            return
        first: dict[int, Wager] = {}
        for wager in running.betting.stakes.values():
            if wager.seat is None or wager.bet not in _HANDS or not wager.is_seen:
                continue
            other = first.setdefault(wager.seat, wager)
            if other.bet is not wager.bet and (close := self._close_of(wager, running)) is not None:
                yield _on_both_hands(wager, other, close)

    def _close_of(self, wager: Wager, running: Round) -> Close | None:
        """When betting on it surely closed; None while open or only inferred."""
        close = close_of(wager.bet, running, self._rules)
        return None if close is None or close.is_inferred else close


def _stray(wager: Wager, close: Close) -> Finding:
    whose = "Chips" if wager.seat is None else f"Chips of seat {wager.seat}"
    return Finding(
        code=_CODE,
        t=close.t,
        key=(_CODE, wager.area),
        message=f"{whose} lie on {name_of(wager.bet)}, which this table does not offer.",
        facts=frozenset({"insurance"}) if wager.bet in INSURANCE else frozenset(),
        seat=wager.seat,
        bet=wager.bet,
        area=wager.area,
        amount=wager.value,
        confidence=wager.confidence * close.confidence,
    )


def _on_both_hands(wager: Wager, other: Wager, close: Close) -> Finding:
    return Finding(
        code=_CODE,
        t=close.t,
        key=(_CODE, wager.area),
        message=f"Seat {wager.seat} has a wager on {name_of(wager.bet)} beside the one on {name_of(other.bet)}; "
        "here a player may wager on one hand only.",
        facts=_BOTH,
        seat=wager.seat,
        bet=wager.bet,
        area=wager.area,
        amount=wager.value,
        confidence=min(wager.confidence, other.confidence) * close.confidence,
    )
