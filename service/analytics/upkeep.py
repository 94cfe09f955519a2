"""Keep the tallies fresh in a thread of its own while the service runs."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field

from service.analytics.refreshing import refresh
from service.analytics.settings import AnalyticsFile
from service.ports import Clock
from service.store.database import Database

logger = logging.getLogger(__name__)

REST_S = 15.0
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
        return refresh(self.database, names_from=self.settings.names_from(self.clock())) > 0

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                has_worked = self.look()
                self.fault = None
            except Exception as error:
                logger.exception("tallies")
                self.fault, has_worked = str(error), False
            self._stopping.wait(BREATH_S if has_worked else self.rest_s)
