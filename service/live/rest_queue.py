"""Give out rests one after the other: what a table that rests leaves may be enough for the others.

Each for itself, all tables rest at once when the machine is busy for a moment, as where a browser is started on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from thirdcard.service.live.load_shedding import NEVER, SPAN_S

APART = timedelta(seconds=SPAN_S)
"""Only then the others know whether what they were left is enough."""


@dataclass(slots=True)
class Turns:
    """Whose turn it is to rest; the first that asks, and for a while nobody else."""

    _given_at: datetime = NEVER

    def give(self, now: datetime) -> bool:
        """Whether the table that asks may rest now."""
        if now - self._given_at < APART:
            return False
        self._given_at = now
        return True
