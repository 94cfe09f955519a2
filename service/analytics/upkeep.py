"""Keep the tallies current in a thread while the service runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from thirdcard.service.analytics.refreshing import refresh
from thirdcard.service.config.analytics_file import AnalyticsFile
from thirdcard.service.ports.live_tables import Clock
from thirdcard.service.ports.repeated_work import RepeatedWork
from thirdcard.service.store.database import Database
from thirdcard.service.store.touched import HOUR, Place

REST_S = 5.0
LIVE_REST = timedelta(minutes=2)
"""The shortest time between two updates of the running hour, which each closed round changes."""
BREATH_S = 0.05
"""Pause in seconds between batches of work, so that tables can write."""


@dataclass(slots=True)
class TallyUpkeep:
    """Checks every few seconds whether hours have changed."""

    database: Database
    settings: AnalyticsFile
    clock: Clock
    rest_s: float = REST_S
    _under_way: dict[Place, datetime] = field(default_factory=dict)
    """When each running hour was last updated."""
    _looking: RepeatedWork = field(init=False)

    def __post_init__(self) -> None:
        self._looking = RepeatedWork("tallies", self._look_and_rest, self.rest_s)

    @property
    def fault(self) -> str | None:
        """Why the tallies cannot be updated at present; None where they can."""
        return self._looking.fault

    def start(self) -> None:
        """Start the thread."""
        self._looking.rest_s = self.rest_s
        self._looking.start()

    def stop(self) -> None:
        """Stop after the current batch; the rest is done after the next start."""
        self._looking.stop()

    def look(self) -> bool:
        """Update some changed hours; returns False where none was left."""
        now = self.clock()
        self._under_way = {
            place: at for place, at in self._under_way.items() if now - at < LIVE_REST and now < place[1] + HOUR
        }
        made = refresh(self.database, names_from=self.settings.names_from(now), leave=self._under_way)
        self._under_way |= {place: now for place in made if now < place[1] + HOUR}
        return bool(made)

    def _look_and_rest(self) -> float:
        return BREATH_S if self.look() else self.rest_s
