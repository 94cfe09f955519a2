"""Slow down those who guess passwords, without locking out who owns the name.

Kept in memory: a restart forgives. A guess counts when it begins, so that many at once count as many.
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
    """How often somebody tried lately, by name and address."""

    clock: Clock
    _tried: OrderedDict[str, deque[datetime]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def begin(self, name: str, address: str) -> timedelta | None:
        """Note an attempt; how long to wait instead, where there were too many."""
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
        """The password was right: what was tried from there under that name is forgiven."""
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
