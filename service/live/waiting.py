"""Measure how long a thread really waited for a camera, without the time in which the machine did not run it.

Monotonic time in seconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path


def kept_waiting_s(thread: int) -> float:
    """How long a thread of this process was ready but not run, in seconds; 0 where the system does not report it."""
    return _kept_s(Path(f"/proc/self/task/{thread}/schedstat"))


def process_kept_waiting_s(pid: int | None) -> float:
    """How long another process's main thread was ready but not run, in seconds; 0 where it is not on this machine."""
    return 0.0 if pid is None else _kept_s(Path(f"/proc/{pid}/schedstat"))


def _kept_s(path: Path) -> float:
    with suppress(OSError, ValueError, IndexError):
        return int(path.read_text(encoding="ascii").split()[1]) / 1e9
    return 0.0


@dataclass(slots=True)
class CameraWaits:
    """The waiting times of one reader thread; other threads may ask for the present wait."""

    clock: Callable[[], float] = time.monotonic
    kept_waiting_s: Callable[[int], float] = kept_waiting_s
    _waited_s: float = 0.0
    """Since the last frame, without the present wait."""
    _present: tuple[int, float, float] | None = field(default=None)
    """Thread, start, and the time not run by then; None: it does not wait."""

    def begin(self) -> None:
        """Begin a wait for the camera."""
        thread = threading.get_native_id()
        self._present = (thread, self.clock(), self.kept_waiting_s(thread))

    def end(self) -> None:
        """End the wait: the camera sent something."""
        self._waited_s += self._present_s()
        self._present = None

    def add(self, seconds: float) -> None:
        """Add a planned wait, as for the next frame of a played film."""
        self._waited_s += seconds

    def take(self) -> float:
        """The wait before the present frame, in seconds; resets it."""
        taken, self._waited_s = self._waited_s, 0.0
        return taken

    def waited_s(self) -> float:
        """The wait since the last frame until now, in seconds."""
        return self._waited_s + self._present_s()

    def _present_s(self) -> float:
        present = self._present
        if present is None:
            return 0.0
        thread, since, kept = present
        return max(self.clock() - since - (self.kept_waiting_s(thread) - kept), 0.0)
