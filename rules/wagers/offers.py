"""Find chips that lie, when betting closes, on a bet that neither the rulebook nor the elections offer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from thirdcard.rules.findings.findings import Finding, name_of
from thirdcard.rules.log.events import CardDealt, CardPassed, CardTurned, Event, NoMoreBets, ResultAnnounced
from thirdcard.rules.round.round import Round, Wager
from thirdcard.rules.rulebook.model import Moment
from thirdcard.rules.rulebook.options import Rules
from thirdcard.rules.wagers.late_bets import Close, close_of

_CODE = "wager.not_offered"
_CLOSERS: Mapping[Moment, tuple[type[Event], ...]] = {
    Moment.CALL: (NoMoreBets,),
    Moment.FIRST_CARD: (),
    Moment.HAND_FIRST_CARD: (CardDealt,),
    Moment.FIRST_SEEN: (CardDealt, CardTurned, CardPassed),
    Moment.RESULT: (ResultAnnounced,),
}
"""What may close betting, besides the round's first card."""


class OfferJudge:
    """Looks at the wagers as soon as betting has closed for certain."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    @property
    def listens_to(self) -> Collection[type[Event]]:
        """The events that may close betting, other than the round's first card, which comes in another way."""
        rules = self._rules
        cases = [case for case in rules.rulebook.closings if case.when <= rules.facts]
        strange = [case for case in cases if case.bets is None or not all(map(rules.knows, case.bets))]
        return {kind for case in strange for kind in _CLOSERS[case.moment]}

    def observe(self, _event: Event, running: Round) -> Iterable[Finding]:
        """Take an event that may have closed betting."""
        rules = self._rules
        strays = [one for one in running.betting.stakes.values() if one.value != 0 and not rules.knows(one.bet)]
        return self._find(strays, running) if strays and not running.void.is_void else ()

    def _find(self, strays: Iterable[Wager], running: Round) -> Iterator[Finding]:
        for wager in strays:
            close = close_of(wager.bet, running, self._rules)
            if close is not None and not close.is_inferred and wager.is_seen:
                yield _finding(wager, close)


def _finding(wager: Wager, close: Close) -> Finding:
    whose = "Chips" if wager.seat is None else f"Chips of seat {wager.seat}"
    return Finding(
        code=_CODE,
        t=close.t,
        key=(_CODE, wager.area),
        message=f"{whose} lie on {name_of(wager.bet)}, which this table does not offer.",
        seat=wager.seat,
        bet=wager.bet,
        area=wager.area,
        amount=wager.value,
        confidence=wager.confidence * close.confidence,
    )
