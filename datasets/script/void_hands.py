"""Hands without wagers in a script: patrons take theirs back, or place one in spite of the announcement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from thirdcard.calibration.layout import Area
from thirdcard.datasets.script.betting import Betting
from thirdcard.datasets.script.chronicle import Chronicle
from thirdcard.datasets.script.dealing_script import VoidHandWagered
from thirdcard.datasets.script.script import ScriptedRound, ScriptedWager
from thirdcard.datasets.script.stage import Stage
from thirdcard.rules.log.events import VoidHandAnnounced


class VoidHandDirector(Protocol):
    """The part of a director that a void hand needs."""

    clock: float
    stage: Stage
    betting: Betting
    chronicle: Chronicle


def wagers_put_down(spec: ScriptedRound) -> tuple[VoidHandWagered, ...]:
    """Return the wagers that are placed although a hand without wagers was announced."""
    return tuple(event for event in spec.happenings if isinstance(event, VoidHandWagered))


def replace_wagers(spec: ScriptedRound, put: Sequence[VoidHandWagered]) -> ScriptedRound:
    """Return the same round with only those wagers."""
    wagers = tuple(ScriptedWager(seat=event.seat, bet=event.bet, value=event.value) for event in put)
    return spec.model_copy(update={"wagers": wagers})


def void_all(betting: Betting) -> list[Area]:
    """Mark every wager on the table as void; return the areas."""
    there = [wager for wager in betting.wagers.values() if wager.stacks]
    for wager in there:
        wager.void = True
    return [wager.area for wager in there]


def void_running_hand(director: VoidHandDirector) -> None:
    """Play the running hand without wagers: the patrons take them back."""
    betting, t = director.betting, director.clock + 0.4
    director.chronicle.add(VoidHandAnnounced(t=director.clock))
    for wager in [wager for wager in betting.wagers.values() if wager.stacks]:
        before, seat = (wager.value(betting.chips), len(wager.chips)), int(wager.area.seat or 0)
        taken = betting.patrons[seat].take(t + director.stage.between(0.3, 0.9), wager)
        betting.log_change(taken, wager, before, f"seat:{seat}")
    director.clock = max([t, *(patron.free_at for patron in betting.patrons.values())])
