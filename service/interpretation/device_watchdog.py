"""Notice that a device at a table has fallen silent, and what devices may report by themselves.

What a device reports is not concluded from what is seen; once it has fallen silent it is again. A kind of report that
comes once a round, and did not for two rounds, is no longer waited for until it comes again. A round's end that nobody
reports shows when bets open anew, when the next card is dealt, or when the cloth stays clear.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

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
"""What is concluded from what is seen only where no device reports it."""


def device_events_of(events: Iterable[Event]) -> frozenset[type[Event]]:
    """Which of these kinds a table's devices reported."""
    return frozenset(type(event) for event in events if type(event) in DEVICE_EVENTS)


EACH_ROUND: tuple[type[Event], ...] = (BetsOpened, NoMoreBets, ResultAnnounced)
SILENT_ROUNDS = 2
"""Rounds without a report after which a device counts as silent: one report may get lost, two in a row hardly do.
Chosen by hand."""
CLEAR_S = 3.0
"""So long after the last card was taken away no other belongs to the round."""
UNREPORTED_S = 15.0
"""So long after it the round is over, though no device says so."""
JUST_BEFORE_S = 0.001
"""The log's smallest step of time: its times are rounded to milliseconds."""


@dataclass(frozen=True, slots=True)
class ClothCleared:
    """The last card of a round was taken away at `t`; a device should report the round's end."""

    t: float


@dataclass(slots=True)
class Silence:
    """How many rounds each kind of report has not come for."""

    _missed: dict[type[Event], int] = field(default_factory=dict)
    _heard: set[type[Event]] = field(default_factory=set)
    _cleared_t: float | None = None
    _closed_unreported: bool = False
    _is_over: bool = False

    def after(self, line: Event, signalled: frozenset[type[Event]]) -> frozenset[type[Event]]:
        """What devices report after a line was written, out of what they reported before."""
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
        """The cloth was cleared at `t`: the round is over soon."""
        self._cleared_t = t
        return ClothCleared(t)

    def expect_nothing(self) -> None:
        """The film ends: whether the cloth would have stayed clear is not known."""
        self._is_over = True

    def close_late(self, t: float, cleared: ClothCleared, state: RunningRound) -> list[Event]:
        """The round's end, where the cloth stayed clear and nobody reported it."""
        return self._close(t, state) if self._cleared_t == cleared.t and not self._is_over else []

    def close_before(self, t: float, state: RunningRound) -> list[Event]:
        """The round's end, where something that only comes after it comes at `t`."""
        is_over = self._cleared_t is not None and t - self._cleared_t >= CLEAR_S
        return self._close(max(t - JUST_BEFORE_S, 0.0), state) if is_over else []

    def is_late(self, state: RunningRound) -> bool:
        """Whether a report of a round's end is one that was waited for in vain."""
        is_late, self._closed_unreported = self._closed_unreported and not state.cards_dealt, False
        return is_late

    def _close(self, t: float, state: RunningRound) -> list[Event]:
        """A cloth that seems clear before the first cards are out was only hidden: the round goes on."""
        return state.close(t) if state.are_initial_cards_out and not state.cards else []
