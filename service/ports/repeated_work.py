"""Do a piece of work again and again beside the room, in a thread of its own, whatever goes wrong with it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

logger = logging.getLogger(__name__)

STOP_S = 15.0
"""So long a stop waits for what is under way."""


@dataclass(slots=True)
class RepeatedWork:
    """One piece of work."""

    name: str
    work: Callable[[], float]
    """Gives how many seconds it may rest then."""
    rest_s: float
    """So long it rests after it failed."""
    fault: str | None = None
    """Why it cannot be done at present; None where it can."""
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @property
    def is_stopping(self) -> bool:
        """Whether what is under way should come to an end."""
        return self._stopping.is_set()

    def start(self) -> None:
        """Do it now, and again and again."""
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Let what is under way end, and begin nothing more."""
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
