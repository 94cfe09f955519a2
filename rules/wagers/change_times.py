"""The probability that a wager changed after betting closed, when a camera knows both times only within bounds.

The numbers stand in `change_times.yaml`, with their sources.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path

import yaml

CHANGE_TIMES = Path(__file__).with_name("change_times.yaml")
CLOSE_STEPS = 8
"""The number of times within the close's uncertainty that are tried; with more, no probability changes by 0.01."""

Span = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeTimes:
    """When wagers change, relative to the close; durations in seconds."""

    device_within_s: float
    lamp_within_s: float
    look_s: float
    inferred_close_within_s: float
    move_s: float
    card_within_s: float
    put_down_s: float
    usual_cover_s: float
    put_down_at_once: float
    eagerness: float

    def lateness(
        self, close_t: float, within_s: float, span: Span, *, adds: bool, is_known_late: bool = False
    ) -> float:
        """The probability that a change came after the close, 0 to 1.

        Changes that may have come in time are weighted higher, because players change wagers far more often before the
        close than after it. That does not hold for a player of whom another late change is known.

        Args:
            close_t: When betting closed, seconds.
            within_s: The most that `close_t` can be off, in seconds; all errors are equally likely.
            span: The bounds of the change's time, seconds.
            adds: Whether chips were put down, not taken.
            is_known_late: Whether the same move began late.
        """
        steps = [(2 * step + 1 - CLOSE_STEPS) / CLOSE_STEPS for step in range(CLOSE_STEPS)] if within_s else [0.0]
        late = sum(self._share_after(close_t + within_s * step, span, adds=adds) for step in steps) / len(steps)
        return late if is_known_late else late / (late + self.eagerness * (1.0 - late))

    def _share_after(self, t: float, span: Span, *, adds: bool) -> float:
        """The probability that a change within the span came after `t`, without regard to the close."""
        low_t, high_t = span
        if low_t >= t:
            return 1.0
        if high_t <= t:
            return 0.0
        any_time = (high_t - t) / (high_t - low_t)
        if not adds:
            return any_time
        left = exp((low_t - high_t) / self.put_down_s)
        at_once = (exp((low_t - t) / self.put_down_s) - left) / (1.0 - left)
        return self.put_down_at_once * at_once + (1.0 - self.put_down_at_once) * any_time


@cache
def shipped_change_times() -> ChangeTimes:
    """The numbers of `change_times.yaml`."""
    return ChangeTimes(**yaml.safe_load(CHANGE_TIMES.read_text(encoding="utf-8")))
