"""Repeat a piece of background work in a thread, whatever errors it raises."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

logger = logging.getLogger(__name__)

STOP_S = 15.0
"""The time in seconds that a stop waits for the current run."""


@dataclass(slots=True)
class RepeatedWork:
    """One piece of repeated work."""

    name: str
    work: Callable[[], float]
    """Does the work, and returns the seconds until the next run."""
    rest_s: float
    """Seconds until the next run after an error."""
    fault: str | None = None
    """Why it fails at present; None where it works."""
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @property
    def is_stopping(self) -> bool:
        """Whether the current run should end."""
        return self._stopping.is_set()

    def start(self) -> None:
        """Start the thread; the first run is at once."""
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Let the current run end, and start no other."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(STOP_S)

    def _run(self) -> None:
        while not self.is_stopping:
            try:
                rest_s = self.work()
                self.fault = None
            except Exception as error:
                logger.exception("%s", self.name)
                self.fault, rest_s = str(error), self.rest_s
            self._stopping.wait(rest_s)
