"""Know whose wagers below the minimum may be returned: of those who were advised when an earlier one was settled."""

from __future__ import annotations

from collections.abc import Collection

from thirdcard.rules.game.words import SettleAction
from thirdcard.rules.log.events import WagerSettled
from thirdcard.rules.round.round import Round, Wager
from thirdcard.rules.rulebook.options import Rules


class Advice:
    """Which seats were advised of the minimum, where the rulebook has the dealer do so."""

    def __init__(self, rules: Rules) -> None:
        rule = rules.rulebook.limits.returned
        self.is_given = rule is not None and rule.when <= rules.facts
        self._advised: set[int] = set()

    def allows_return(self, wager: Wager | None, running: Round) -> bool:
        """Whether the wager may be given back whatever the result: it is a further one below the minimum."""
        return wager is not None and wager.seat in self._advised and _is_below_minimum(wager, running)

    def note(self, running: Round, acts: Collection[WagerSettled]) -> None:
        """The round is over: who had a wager below the minimum paid or collected is advised."""
        for act in acts:
            wager = running.betting.stakes.get(act.area)
            if act.action is SettleAction.RETURNED or wager is None or wager.seat is None:
                continue
            if _is_below_minimum(wager, running):
                self._advised.add(wager.seat)


def _is_below_minimum(wager: Wager, running: Round) -> bool:
    minimum = running.betting.notice.range_of(wager.bet, wager.seat)[0]
    return minimum is not None and wager.value is not None and 0 < wager.value < minimum
