"""Send requests at a fixed rate, whether the service keeps up or not, and measure how long each answer takes."""

from __future__ import annotations

import http.client
import itertools
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

ROUTES = (
    "/api/alerts?limit=50",
    "/api/alerts?limit=50&state=open",
    "/api/rounds?limit=50",
    "/api/tables",
    "/api/alerts/{alert}",
    "/",
    "/alerts",
    "/alerts/{alert}",
)
ASKERS = 24
"""The number of connections that are kept open."""
TIMEOUT_S = 30


@dataclass(slots=True)
class Timings:
    """What was measured."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {route: [] for route in ROUTES})
    """By route: the seconds from the time at which a request was due until its whole answer was there."""
    failures: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(slots=True)
class Asker:
    """Sends requests in turn with others, on a connection of its own."""

    port: int
    token: str
    rate_hz: float
    lasting_s: float
    turns: itertools.count[int]
    began: float
    timings: Timings
    newest_alert: int

    def run(self) -> None:
        """Send requests until the time is over."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_S)
        for turn in self.turns:
            due = self.began + turn / self.rate_hz
            if due > self.began + self.lasting_s:
                return
            time.sleep(max(due - time.monotonic(), 0.0))
            route = ROUTES[turn % len(ROUTES)]
            try:
                self._ask(connection, route)
                took_s = time.monotonic() - due
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                with self.timings.lock:
                    self.timings.failures.append(f"{route}: {error!r}")
                continue
            with self.timings.lock:
                self.timings.seconds[route].append(took_s)

    def _ask(self, connection: http.client.HTTPConnection, route: str) -> None:
        path = route.format(alert=self.newest_alert)
        accept = "application/json" if path.startswith("/api") else "text/html"
        connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}", "Accept": accept})
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise http.client.HTTPException(f"{answer.status} {body[:100]!r}")
        if route == ROUTES[0]:
            self.newest_alert = json.loads(body)["items"][0]["id"]


def ask_all(port: int, token: str, rate_hz: float, lasting_s: float, result: Connection) -> None:
    """Send requests in a process of its own, then send the timings and the failures."""
    timings, turns, began = Timings(), itertools.count(), time.monotonic() + 0.5
    askers = [Asker(port, token, rate_hz, lasting_s, turns, began, timings, 1) for _ in range(ASKERS)]
    threads = [threading.Thread(target=asker.run, daemon=True) for asker in askers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    result.send((timings.seconds, timings.failures))


def quantiles_ms(seconds: Sequence[float]) -> dict[str, float]:
    """Return the count, and the median, 95th and 99th percentile and the longest in milliseconds."""
    ordered = sorted(seconds)
    if not ordered:
        return {"count": 0}
    at = {
        name: ordered[int(share * (len(ordered) - 1))] for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))
    }
    return {
        "count": len(ordered),
        **{name: round(1000 * s, 1) for name, s in at.items()},
        "longest": round(1000 * ordered[-1], 1),
    }
