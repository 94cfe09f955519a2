"""Find chips that lie, when betting closes, on a bet that neither the rulebook nor the elections offer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from thirdcard.rules.findings.findings import Finding, name_of
from thirdcard.rules.game.words import Bet
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
    """Looks once a round at the bets that are not offered, as soon as betting on them has closed for certain."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._groups = tuple(_by_moment(rules).values())
        """Bets that close at the same moment stand together."""
        self._round = 0
        self._pending: tuple[tuple[Bet, ...], ...] = ()

    @property
    def listens_to(self) -> Collection[type[Event]]:
        """The events that may close betting, besides the round's first card of which it is told by others."""
        return {kind for bets in self._groups for kind in _CLOSERS[self._rules.closings[bets[0]].moment]}

    def observe(self, _event: Event, running: Round) -> Iterable[Finding]:
        """Take an event that may have closed betting."""
        if self._round == running.number:
            if not self._pending:
                return ()
        else:
            self._round, self._pending = running.number, self._groups
        found: list[Finding] = []
        for bets in self._pending:
            close = close_of(bets[0], running, self._rules)
            if close is not None and not close.is_inferred:
                self._pending = tuple([other for other in self._pending if other is not bets])
                found += () if running.void.is_void else _not_offered(bets, close, running)
        return found


def _by_moment(rules: Rules) -> dict[Moment, tuple[Bet, ...]]:
    groups: dict[Moment, tuple[Bet, ...]] = {}
    for bet, case in rules.closings.items():
        if not rules.knows(bet):
            groups[case.moment] = (*groups.get(case.moment, ()), bet)
    return groups


def _not_offered(bets: Collection[Bet], close: Close, running: Round) -> Iterator[Finding]:
    for wager in running.betting.stakes.values():
        if wager.bet in bets and not wager.is_empty and wager.is_seen:
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
