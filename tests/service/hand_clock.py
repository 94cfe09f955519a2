"""A clock that only moves on request."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
"""A Monday."""


@dataclass(slots=True)
class HandClock:
    """A clock that only moves on request."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now

    def move(self, **step: float) -> None:
        """Advance the time."""
        self.now += timedelta(**step)
