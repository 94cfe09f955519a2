"""Remember who views which evidence, so that a player's many partial requests count as one viewing."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

from thirdcard.service.ports.live_tables import Clock

SAME_SIGHT = timedelta(minutes=10)
MOST_REMEMBERED = 10_000


@dataclass(slots=True)
class ViewLog:
    """The viewings of the last minutes; a restart forgets them, and one may then be recorded twice."""

    clock: Clock
    _seen: OrderedDict[tuple[str, str], datetime] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def is_new(self, who: str, what: str) -> bool:
        """Whether this viewing is not recorded yet."""
        with self._lock:
            seen = self._seen.get((who, what))
            return seen is None or self.clock() - seen >= SAME_SIGHT

    def remember(self, who: str, what: str) -> None:
        """Note that it was recorded."""
        with self._lock:
            self._seen[who, what] = self.clock()
            self._seen.move_to_end((who, what))
            while len(self._seen) > MOST_REMEMBERED:
                self._seen.popitem(last=False)
