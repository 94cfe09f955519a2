"""Keep the tallies fresh in a thread of its own while the service runs."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from thirdcard.service.analytics.refreshing import refresh
from thirdcard.service.config.analytics_file import AnalyticsFile
from thirdcard.service.ports.live_tables import Clock
from thirdcard.service.store.database import Database
from thirdcard.service.store.touched import HOUR, Place

logger = logging.getLogger(__name__)

REST_S = 5.0
LIVE_REST = timedelta(minutes=2)
"""An hour that is not over is made anew this often at most: each round that closes touches it."""
BREATH_S = 0.05
"""Between two parts of much work: tables that write come first."""
STOP_S = 15.0


@dataclass(slots=True)
class TallyUpkeep:
    """Looks every few seconds whether hours were touched."""

    database: Database
    settings: AnalyticsFile
    clock: Clock
    rest_s: float = REST_S
    fault: str | None = None
    """Why the tallies cannot be kept at present; None where they can."""
    _under_way: dict[Place, datetime] = field(default_factory=dict)
    """Hours that are not over, and when they were made anew."""
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Keep them from now on."""
        self._thread = threading.Thread(target=self._run, name="tallies", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Let the part that is under way end; the rest is made after the next start."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(STOP_S)

    def look(self) -> bool:
        """Make some touched hours anew; False where none was left."""
        now = self.clock()
        self._under_way = {
            place: at for place, at in self._under_way.items() if now - at < LIVE_REST and now < place[1] + HOUR
        }
        made = refresh(self.database, names_from=self.settings.names_from(now), leave=self._under_way)
        self._under_way |= {place: now for place in made if now < place[1] + HOUR}
        return bool(made)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                has_worked = self.look()
                self.fault = None
            except Exception as error:
                logger.exception("tallies")
                self.fault, has_worked = str(error), False
            self._stopping.wait(BREATH_S if has_worked else self.rest_s)
