"""The pace of play: rounds per hour, and the duration of each phase in seconds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from thirdcard.service.analytics.durations import quantile_s
from thirdcard.service.analytics.figures import Figure
from thirdcard.service.analytics.hour_sums import unpack_durations
from thirdcard.service.analytics.round_facts import PHASES

QUARTER, HALF, THREE_QUARTERS = 0.25, 0.5, 0.75


@dataclass(frozen=True, slots=True, kw_only=True)
class PhasePace:
    """The duration of one phase: median and quartiles."""

    phase: str
    median_s: float
    quarter_s: float
    three_quarters_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The pace of one table, one hour of the day, or all."""

    name: str
    rounds: int
    rounds_per_hour: float | None
    """While the table plays, including the waits between rounds."""
    phases: Sequence[PhasePace]
    """Empty where no round was timed."""


def find_paces(figures: Sequence[Figure], names: Iterable[str], packed: Iterable[bytes]) -> list[Pace]:
    """The pace of each figure, in their order.

    Args:
        figures: The figures.
        names: For each tally, the name of its figure.
        packed: For each tally, its packed durations; empty where nothing was timed.
    """
    gathered: dict[str, list[bytes]] = {figure.name: [] for figure in figures}
    for name, durations in zip(names, packed, strict=True):
        if durations:
            gathered[name].append(durations)
    return [
        Pace(
            name=figure.name,
            rounds=figure.rounds,
            rounds_per_hour=figure.rounds_per_hour,
            phases=_phases(gathered[figure.name]),
        )
        for figure in figures
    ]


def _phases(packed: Sequence[bytes]) -> list[PhasePace]:
    if not packed:
        return []
    counts = unpack_durations(packed)
    found = []
    for phase, of_phase in zip(PHASES, counts, strict=True):
        quarter, median, three = (quantile_s(of_phase, share) for share in (QUARTER, HALF, THREE_QUARTERS))
        assert quarter is not None and median is not None and three is not None, "it was counted"
        found.append(PhasePace(phase=phase, median_s=median, quarter_s=quarter, three_quarters_s=three))
    return found
