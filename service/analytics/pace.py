"""How fast it goes: rounds an hour, and what each phase takes. Durations are seconds."""

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
    """What one phase takes: half of the rounds lie between the quartiles."""

    phase: str
    median_s: float
    quarter_s: float
    three_quarters_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Of one table, hour of the day, or of all."""

    name: str
    rounds: int
    rounds_per_hour: float | None
    """While the table plays, the waits between rounds counted in."""
    phases: Sequence[PhasePace]
    """Empty where no round was timed."""


def find_paces(figures: Sequence[Figure], names: Iterable[str], packed: Iterable[bytes]) -> list[Pace]:
    """The pace of each figure, in their order.

    Args:
        figures: Whose.
        names: The name of the figure that each tally belongs to.
        packed: The durations of each tally; empty where nothing was timed.
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
