"""Remember that a camera refused user or password, so that it is asked again only after minutes.

Common cameras lock for half an hour after five failed logins within minutes. A refusal is noted in a file without
password, shared by all tables of a recorder and found again after a restart.
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
"""Pauses after the first refusal, the second ...: with the first attempt that is three within 6 minutes, four within
14."""
PATIENCE_S = 12.0
"""The longest time that the tables of one recorder wait for each other, in seconds: longer than FFmpeg tries to
connect."""
LOOK_S = 0.05
NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Door:
    """The login state of one user at one camera or recorder."""

    path: Path | None
    """The file with refusals; None: the address has no user, so there are none."""
    changed_at: datetime = NEVER
    """When the address last changed: earlier refusals do not count."""

    def remaining(self, now: datetime) -> timedelta:
        """How long the camera must still be left alone."""
        refused_at, times = self._read()
        if not times or refused_at < self.changed_at:
            return timedelta()
        pause = PAUSES[min(times, len(PAUSES)) - 1]
        return min(max(refused_at + pause - now, timedelta()), pause)

    def note_refusal(self, now: datetime) -> None:
        """Note that the camera refused just now."""
        if self.path is None:
            return
        refused_at, times = self._read()
        note = {"refused_at": now.isoformat(), "times": 1 if refused_at < self.changed_at else times + 1}
        with suppress(OSError):  # a full disk: this process asks again as after any other fault
            self.path.write_text(json.dumps(note), encoding="utf-8")

    def note_opening(self) -> None:
        """Note that the login succeeded."""
        if self.path is not None and self._read()[1]:
            with suppress(OSError):
                self.path.write_text("", encoding="utf-8")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other tables from asking at the same time, so that the next one knows this one's answer."""
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
    """The login state for an address; `folder` is where refusals are noted."""
    user, _, host = urlsplit(source).netloc.rpartition("@") if "://" in source else ("", "", "")
    if not user:
        return Door(None)
    name = hashlib.sha256(f"{user.partition(':')[0]}@{host}".encode()).hexdigest()[:16]
    return Door(folder / f"door-{name}.json", changed_at)


def words_of_refusal(remaining: timedelta) -> str:
    """The text to display meanwhile."""
    seconds = math.ceil(remaining.total_seconds())
    when = f"{seconds} s" if seconds < 60 else f"{math.ceil(seconds / 60)} min"
    return f"the camera refuses user or password; asks again in {when}"
