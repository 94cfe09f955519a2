"""Slow down password guessing, without locking out the owner of the name.

Kept in memory: a restart clears it. An attempt counts when it begins, so that parallel attempts all count.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

from thirdcard.service.ports.live_tables import Clock

WINDOW = timedelta(minutes=15)
MOST_BY_NAME_AND_ADDRESS = 5
MOST_BY_ADDRESS = 30
MOST_BY_NAME = 100
MOST_KEYS = 20_000


@dataclass(slots=True)
class LoginAttempts:
    """Recent login attempts, by name and by address."""

    clock: Clock
    _tried: OrderedDict[str, deque[datetime]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def begin(self, name: str, address: str) -> timedelta | None:
        """Record an attempt; returns None, or how long to wait after too many."""
        now = self.clock()
        with self._lock:
            limits = _limits(name, address)
            waits = [wait for key, most in limits.items() if (wait := self._wait(key, most, now)) is not None]
            if waits:
                return max(waits)
            for key in limits:
                self._tried.setdefault(key, deque()).append(now)
                self._tried.move_to_end(key)
            while len(self._tried) > MOST_KEYS:
                self._tried.popitem(last=False)
            return None

    def succeed(self, name: str, address: str) -> None:
        """Forget the attempts from that address for that name, since the password was right."""
        with self._lock:
            self._tried.pop(_pair(name, address), None)
            for key in _limits(name, address):
                if self._tried.get(key):
                    self._tried[key].pop()

    def _wait(self, key: str, most: int, now: datetime) -> timedelta | None:
        tried = self._tried.get(key)
        while tried and now - tried[0] >= WINDOW:
            tried.popleft()
        return WINDOW - (now - tried[-most]) if tried and len(tried) >= most else None


def _pair(name: str, address: str) -> str:
    return f"pair {name} {address}"


def _limits(name: str, address: str) -> dict[str, int]:
    return {
        _pair(name, address): MOST_BY_NAME_AND_ADDRESS,
        f"address {address}": MOST_BY_ADDRESS,
        f"name {name}": MOST_BY_NAME,
    }
