"""Know which wagers below the minimum may be returned: those of players who were advised of it before."""

from __future__ import annotations

from collections.abc import Collection

from thirdcard.rules.game.words import SettleAction
from thirdcard.rules.log.events import WagerSettled
from thirdcard.rules.round.round import Round, Wager
from thirdcard.rules.rulebook.options import Rules


class Advice:
    """The seats that were advised of the minimum, where the rulebook has the dealer do so."""

    def __init__(self, rules: Rules) -> None:
        rule = rules.rulebook.limits.returned
        self.is_given = rule is not None and rule.when <= rules.facts
        self._advised: set[int] = set()

    def allows_return(self, wager: Wager | None, running: Round) -> bool:
        """Whether the wager may be returned whatever the result, as a later one below the minimum."""
        return wager is not None and wager.seat in self._advised and _is_below_minimum(wager, running)

    def note(self, running: Round, acts: Collection[WagerSettled]) -> None:
        """Note at the end of a round which seats are advised: those whose wager below the minimum was paid or
        collected."""
        for act in acts:
            wager = running.betting.stakes.get(act.area)
            if act.action is SettleAction.RETURNED or wager is None or wager.seat is None:
                continue
            if _is_below_minimum(wager, running):
                self._advised.add(wager.seat)


def _is_below_minimum(wager: Wager, running: Round) -> bool:
    minimum = running.betting.notice.range_of(wager.bet, wager.seat)[0]
    return minimum is not None and wager.value is not None and 0 < wager.value < minimum
