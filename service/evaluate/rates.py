"""Rates with intervals: false alerts of clean play per table-hour.

A table-hour is a number of rounds rather than 60 minutes: recordings leave out most of the time in which nothing moves.
"""

from __future__ import annotations

from dataclasses import dataclass

from scipy.special import gammaincinv

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
    low = 0.0 if count == 0 else float(gammaincinv(count, tail))
    return low, float(gammaincinv(count + 1, 1.0 - tail))
