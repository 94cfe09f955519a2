"""Rates with intervals: false alerts of clean play per table-hour.

A table-hour is a number of rounds rather than 60 minutes: recordings leave out most of the time in which nothing moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

ROUNDS_AN_HOUR = 40
"""Rounds in an hour of usual play."""
SHARE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class HourlyRate:
    """A count over rounds of play."""

    count: int = 0
    rounds: int = 0

    @property
    def hours(self) -> float:
        """Table-hours at the usual pace."""
        return self.rounds / ROUNDS_AN_HOUR

    @property
    def per_hour(self) -> float | None:
        """The count per table-hour; None without a round."""
        return self.count / self.hours if self.rounds else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the rate per table-hour; None without a round."""
        if not self.rounds:
            return None
        low, high = poisson_interval(self.count)
        return low / self.hours, high / self.hours


def poisson_interval(count: int, share: float = SHARE) -> tuple[float, float]:
    """The exact (Garwood) interval of a Poisson mean with the observed count.

    At its lower end, a count at least as high has the probability (1 - share) / 2; at its upper end, a count at most as
    high.
    """
    tail = (1.0 - share) / 2.0
    low = 0.0 if count == 0 else _mean_where(lambda mean: 1.0 - _at_most(count - 1, mean), tail, is_rising=True)
    return low, _mean_where(lambda mean: _at_most(count, mean), tail, is_rising=False)


def _mean_where(chance: Callable[[float], float], wanted: float, *, is_rising: bool) -> float:
    low, high = 0.0, 1.0
    while (chance(high) < wanted) == is_rising:
        high *= 2.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        if (chance(middle) < wanted) == is_rising:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _at_most(count: int, mean: float) -> float:
    """The probability of at most that count."""
    if mean == 0.0:
        return 1.0
    return math.fsum(math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(count + 1))
