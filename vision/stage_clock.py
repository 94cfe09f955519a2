"""Measure how long each stage of watching takes, in seconds of a clock that is passed in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager


class StageClock:
    """The seconds spent in each stage so far; a nested stage's time is not counted to the outer one."""

    def __init__(self, clock: Callable[[], float], stages: Sequence[str]) -> None:
        """Take a monotonic clock that returns seconds, and the stages in the order in which they are listed."""
        self.now = clock
        self.seconds = dict.fromkeys(stages, 0.0)
        self._inner_s = 0.0
        """Seconds that stages nested in the present one took."""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time spent inside the `with` block to a stage."""
        started, outer_s, self._inner_s = self.now(), self._inner_s, 0.0
        try:
            yield
        finally:
            whole_s = self.now() - started
            self.seconds[name] += whole_s - self._inner_s
            self._inner_s = outer_s + whole_s
