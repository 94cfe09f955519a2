"""A clock that stands still until it is moved."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
"""A Monday."""


@dataclass(slots=True)
class HandClock:
    """Stands still until it is moved."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now

    def move(self, **step: float) -> None:
        """Let time go by."""
        self.now += timedelta(**step)
