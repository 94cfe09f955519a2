"""What devices at a table may report by themselves, so that it is not concluded from what is seen."""

from __future__ import annotations

from collections.abc import Iterable

from rules.events import BetsOpened, CardBurned, CutCardDrawn, Event, NoMoreBets, ResultAnnounced, RoundClosed

DEVICE_EVENTS: frozenset[type[Event]] = frozenset(
    {NoMoreBets, ResultAnnounced, RoundClosed, BetsOpened, CardBurned, CutCardDrawn}
)
"""What is concluded from what is seen only where no device reports it."""


def device_events_of(events: Iterable[Event]) -> frozenset[type[Event]]:
    """Which of these kinds a table's devices reported."""
    return frozenset(type(event) for event in events if type(event) in DEVICE_EVENTS)
