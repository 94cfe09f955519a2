"""Remember that a camera refused user or password, so that it is asked again only after minutes.

The doors of common cameras lock for half an hour after five wrong tries within minutes. What was refused is noted in a
file, which all tables of a recorder share and a service that is started again finds. It holds no password.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

PAUSES = tuple(timedelta(minutes=minutes) for minutes in (2, 4, 8, 16, 30))
"""After the first refusal, the second ...: with the first try three within 6 minutes, four within 14."""
PATIENCE_S = 12.0
"""So long the tables of one recorder wait for each other at most: longer than FFmpeg tries to connect."""
LOOK_S = 0.05
NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Door:
    """That of one user at one camera or recorder."""

    path: Path | None
    """Where refusals are noted; None: the address names no user, and nobody is refused."""
    changed_at: datetime = NEVER
    """When the address was changed last: what was refused before does not count."""

    def remaining(self, now: datetime) -> timedelta:
        """How long the camera is still to be left alone."""
        refused_at, times = self._read()
        if not times or refused_at < self.changed_at:
            return timedelta()
        pause = PAUSES[min(times, len(PAUSES)) - 1]
        return min(max(refused_at + pause - now, timedelta()), pause)

    def note_refusal(self, now: datetime) -> None:
        """The camera refused just now."""
        if self.path is None:
            return
        refused_at, times = self._read()
        note = {"refused_at": now.isoformat(), "times": 1 if refused_at < self.changed_at else times + 1}
        with suppress(OSError):  # a full disk: this process asks again as after any other fault
            self.path.write_text(json.dumps(note), encoding="utf-8")

    def note_opening(self) -> None:
        """The camera let us in."""
        if self.path is not None and self._read()[1]:
            with suppress(OSError):
                self.path.write_text("", encoding="utf-8")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other tables from asking at the same moment: who comes next knows what this one was answered."""
        if self.path is None:
            yield
            return
        with self.path.open("a") as file:
            deadline = time.monotonic() + PATIENCE_S
            while time.monotonic() < deadline:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    time.sleep(LOOK_S)
            yield

    def _read(self) -> tuple[datetime, int]:
        try:
            note = json.loads(self.path.read_text(encoding="utf-8")) if self.path is not None else {}
            return datetime.fromisoformat(note["refused_at"]), int(note["times"])
        except (OSError, ValueError, KeyError, TypeError):
            return NEVER, 0


def door_of(source: str, folder: Path, changed_at: datetime) -> Door:
    """The door of an address; `folder` is where refusals are noted."""
    user, _, host = urlsplit(source).netloc.rpartition("@") if "://" in source else ("", "", "")
    if not user:
        return Door(None)
    name = hashlib.sha256(f"{user.partition(':')[0]}@{host}".encode()).hexdigest()[:16]
    return Door(folder / f"door-{name}.json", changed_at)


def words_of_refusal(remaining: timedelta) -> str:
    """What the screen says meanwhile."""
    seconds = math.ceil(remaining.total_seconds())
    when = f"{seconds} s" if seconds < 60 else f"{math.ceil(seconds / 60)} min"
    return f"the camera refuses user or password; asks again in {when}"
