"""How likely a change of a wager came after betting closed, where a camera knows both moments to a span only.

The numbers stand in `change_times.yaml` with where they come from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path

import yaml

CHANGE_TIMES = Path(__file__).with_name("change_times.yaml")
CLOSE_STEPS = 8
"""The close is tried at so many moments within its uncertainty; with more, no probability changes by 0.01."""

Span = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeTimes:
    """When wagers change."""

    inferred_close_within_s: float
    card_within_s: float
    put_down_s: float
    usual_cover_s: float
    put_down_at_once: float
    eagerness: float

    def lateness(self, close_t: float, within_s: float, span: Span, *, adds: bool) -> float:
        """The probability that a change came after the close.

        Where a part of the two spans leaves it in time, that weighs more than its share: players change wagers before
        the close far more often than after it.

        Args:
            close_t: When betting closed, seconds.
            within_s: How far at most that is from the true close, any error being as likely as any other.
            span: Between which moments the change came, seconds.
            adds: Whether chips were put down, not taken.
        """
        steps = [(2 * step + 1 - CLOSE_STEPS) / CLOSE_STEPS for step in range(CLOSE_STEPS)] if within_s else [0.0]
        late = sum(self._share_after(close_t + within_s * step, span, adds=adds) for step in steps) / len(steps)
        return late / (late + self.eagerness * (1.0 - late))

    def _share_after(self, t: float, span: Span, *, adds: bool) -> float:
        """Of changes between two moments, those after `t`, were wagers changed at any time alike."""
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
    """Those of `change_times.yaml`."""
    return ChangeTimes(**yaml.safe_load(CHANGE_TIMES.read_text(encoding="utf-8")))
