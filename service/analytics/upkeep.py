"""Keep the tallies fresh in a thread of its own while the service runs."""

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
"""An hour that is not over is made anew this often at most: each round that closes touches it."""
BREATH_S = 0.05
"""Between two parts of much work: tables that write come first."""


@dataclass(slots=True)
class TallyUpkeep:
    """Looks every few seconds whether hours were touched."""

    database: Database
    settings: AnalyticsFile
    clock: Clock
    rest_s: float = REST_S
    _under_way: dict[Place, datetime] = field(default_factory=dict)
    """Hours that are not over, and when they were made anew."""
    _looking: RepeatedWork = field(init=False)

    def __post_init__(self) -> None:
        self._looking = RepeatedWork("tallies", self._look_and_rest, self.rest_s)

    @property
    def fault(self) -> str | None:
        """Why the tallies cannot be kept at present; None where they can."""
        return self._looking.fault

    def start(self) -> None:
        """Keep them from now on."""
        self._looking.rest_s = self.rest_s
        self._looking.start()

    def stop(self) -> None:
        """Let the part that is under way end; the rest is made after the next start."""
        self._looking.stop()

    def look(self) -> bool:
        """Make some touched hours anew; False where none was left."""
        now = self.clock()
        self._under_way = {
            place: at for place, at in self._under_way.items() if now - at < LIVE_REST and now < place[1] + HOUR
        }
        made = refresh(self.database, names_from=self.settings.names_from(now), leave=self._under_way)
        self._under_way |= {place: now for place in made if now < place[1] + HOUR}
        return bool(made)

    def _look_and_rest(self) -> float:
        return BREATH_S if self.look() else self.rest_s
