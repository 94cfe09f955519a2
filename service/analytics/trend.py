"""The daily rate per 1000 rounds, and the days on which it changed for good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thirdcard.service.analytics.change_points import SHORTEST, find_segments
from thirdcard.service.analytics.figures import PER, Estimate, Figure
from thirdcard.service.analytics.rates import mid_p_interval

LEAST_DAYS, LEAST_ERRORS = 2 * SHORTEST, 10
"""With fewer days of play, or fewer erring rounds, even a doubled rate could go unnoticed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendStretch:
    """Consecutive days with one rate."""

    first: str
    last: str
    rounds: int
    errors: int
    rate: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """The days in order, and the stretches between changes of the rate."""

    days: Sequence[Figure]
    stretches: Sequence[TrendStretch]

    @property
    def is_enough(self) -> bool:
        """Whether there is enough data to conclude that nothing changed."""
        dealt = [day for day in self.days if day.rounds > 0]
        return len(dealt) >= LEAST_DAYS and sum(day.errors for day in dealt) >= LEAST_ERRORS

    @property
    def changes(self) -> list[str]:
        """The first day of each new rate."""
        return [stretch.first for stretch in self.stretches[1:]]


def find_trend(days: Sequence[Figure]) -> Trend:
    """The trend over days in order."""
    segments = find_segments([day.errors for day in days], [day.rounds for day in days])
    stretches = []
    for segment in segments:
        low, high = (float(edge) * PER for edge in mid_p_interval(segment.events, segment.rounds))
        rate = Estimate(per_1000=segment.events / segment.rounds * PER, low=low, high=high)
        first, last = days[segment.begin].name, days[segment.end - 1].name
        stretches.append(TrendStretch(first=first, last=last, rounds=segment.rounds, errors=segment.events, rate=rate))
    return Trend(days=days, stretches=stretches)
