"""Notice that a device at a table has fallen silent, and know which events devices report.

Events that a device reports are not inferred from the camera; once the device is silent they are again. If an event
that comes every round was not reported for two rounds, it is no longer expected until it comes again. A round's end
that nobody reports shows when bets open again, when the next card is dealt, or when the cloth stays clear.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from thirdcard.rules.belief.tempo import ActInterval, duration
from thirdcard.rules.log.events import (
    BetsOpened,
    CardBurned,
    CutCardDrawn,
    Event,
    NoMoreBets,
    ResultAnnounced,
    RoundClosed,
    Source,
)
from thirdcard.service.interpretation.round_tracker import RunningRound

DEVICE_EVENTS: frozenset[type[Event]] = frozenset(
    {NoMoreBets, ResultAnnounced, RoundClosed, BetsOpened, CardBurned, CutCardDrawn}
)
"""Events that are inferred from the camera only where no device reports them."""


def device_events_of(events: Iterable[Event]) -> frozenset[type[Event]]:
    """The event types among these that a table's devices reported."""
    return frozenset(type(event) for event in events if type(event) in DEVICE_EVENTS)


EACH_ROUND: tuple[type[Event], ...] = (BetsOpened, NoMoreBets, ResultAnnounced)
SILENT_ROUNDS = 2
"""Rounds without a report after which a device counts as silent: one report may be lost, two in a row hardly. Chosen by
hand."""
UNREPORTED_S = 15.0
"""Seconds after which the round is over even without a report."""


@dataclass(frozen=True, slots=True)
class ClothCleared:
    """The last card of a round was taken away at `t`; a device should now report the round's end."""

    t: float


@dataclass(slots=True)
class Silence:
    """For how many rounds each kind of report has been missing."""

    _missed: dict[type[Event], int] = field(default_factory=dict)
    _heard: set[type[Event]] = field(default_factory=set)
    _cleared_t: float | None = None
    _closed_unreported: bool = False
    _is_over: bool = False

    def after(self, line: Event, signalled: frozenset[type[Event]]) -> frozenset[type[Event]]:
        """The event types that devices report after this line, from those before it."""
        kind = type(line)
        if line.source is Source.SIGNAL:
            self._heard.add(kind)
        if kind is not RoundClosed:
            return signalled
        self._cleared_t = None
        self._closed_unreported = kind in signalled and line.source is Source.INFERRED
        for each in EACH_ROUND:
            self._missed[each] = 0 if each in self._heard else self._missed.get(each, 0) + 1
        silent = {each for each in EACH_ROUND if self._missed[each] >= SILENT_ROUNDS}
        self._heard.clear()
        return signalled - silent - ({RoundClosed} if self._closed_unreported else set())

    def expect_close(self, t: float) -> ClothCleared:
        """Note that the cloth was cleared at `t`, so the round ends soon."""
        self._cleared_t = t
        return ClothCleared(t)

    def expect_nothing(self) -> None:
        """Note that the film ends: whether the cloth would have stayed clear is unknown."""
        self._is_over = True

    def close_late(self, t: float, cleared: ClothCleared, state: RunningRound) -> list[Event]:
        """The round's end, if the cloth stayed clear and nobody reported it."""
        return self._close(t, state) if self._cleared_t == cleared.t and not self._is_over else []

    def close_before(self, t: float, state: RunningRound) -> list[Event]:
        """The round's end, if something at `t` can only come after it."""
        is_over = self._cleared_t is not None and t - self._cleared_t > duration(ActInterval.REMOVAL_TO_REMOVAL).most_s
        return self._close(t, state) if is_over else []

    def is_late(self, state: RunningRound) -> bool:
        """Whether a reported end is the one that was already inferred."""
        is_late, self._closed_unreported = self._closed_unreported and not state.cards_dealt, False
        return is_late

    def _close(self, t: float, state: RunningRound) -> list[Event]:
        """Close the round, unless the first cards are not out: then the cloth was only covered."""
        return state.close(t) if state.are_initial_cards_out and not state.cards else []
