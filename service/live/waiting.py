"""Tell how long a thread really waited for a camera: the time in which the machine did not run it is no silence.

Seconds of a clock that never goes back.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path


def kept_waiting_s(thread: int) -> float:
    """How long a thread of this process was ready while the machine ran others; 0 where the system does not tell."""
    return _kept_s(Path(f"/proc/self/task/{thread}/schedstat"))


def process_kept_waiting_s(pid: int | None) -> float:
    """The same of another process, of its main thread; 0 where it is none of this machine's."""
    return 0.0 if pid is None else _kept_s(Path(f"/proc/{pid}/schedstat"))


def _kept_s(path: Path) -> float:
    with suppress(OSError, ValueError, IndexError):
        return int(path.read_text(encoding="ascii").split()[1]) / 1e9
    return 0.0


@dataclass(slots=True)
class CameraWaits:
    """The waits of one reader's thread; others may ask how long it has been waiting by now."""

    clock: Callable[[], float] = time.monotonic
    kept_waiting_s: Callable[[int], float] = kept_waiting_s
    _waited_s: float = 0.0
    """Since the last frame, the present wait left out."""
    _present: tuple[int, float, float] | None = field(default=None)
    """Thread, beginning, and what the thread had been kept waiting by then; None: it does not wait."""

    def begin(self) -> None:
        """The thread has nothing to do until the camera sends something."""
        thread = threading.get_native_id()
        self._present = (thread, self.clock(), self.kept_waiting_s(thread))

    def end(self) -> None:
        """The camera sent something."""
        self._waited_s += self._present_s()
        self._present = None

    def add(self, seconds: float) -> None:
        """A film that is played has its next frame only so much later."""
        self._waited_s += seconds

    def take(self) -> float:
        """How long the camera was waited for before the frame that is there now."""
        taken, self._waited_s = self._waited_s, 0.0
        return taken

    def waited_s(self) -> float:
        """How long it has been waited for since the last frame, up to now."""
        return self._waited_s + self._present_s()

    def _present_s(self) -> float:
        present = self._present
        if present is None:
            return 0.0
        thread, since, kept = present
        return max(self.clock() - since - (self.kept_waiting_s(thread) - kept), 0.0)
