"""The dealer straightens stacks before the cards come, where a script wants it."""

from __future__ import annotations

from typing import Protocol

from thirdcard.datasets.script.betting import Betting
from thirdcard.datasets.script.dealer import Dealer
from thirdcard.datasets.script.script import ScriptedRound, Straighten


class TidyingDirector(Protocol):
    """What of a director straightening needs."""

    clock: float
    dealer: Dealer
    betting: Betting


def tidy_stacks(director: TidyingDirector, spec: ScriptedRound) -> None:
    """Straighten a stack for each happening of the round that asks for it."""
    for event in spec.happenings:
        if not isinstance(event, Straighten) or event.kind != "straighten_stack":
            continue
        stacks = [
            wager.stacks[0]
            for wager in director.betting.wagers.values()
            if wager.stacks and event.seat in (0, wager.area.seat) and event.bet in ("", wager.area.bet)
        ]
        if stacks:
            director.clock = director.dealer.tidy(director.clock + 0.4, stacks[0])
            director.dealer.rest()
