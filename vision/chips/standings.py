"""What stands in a region at one moment, and means over looks at it. Distances are layout millimetres."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.chips.change_direction import GrowthOptics, averaged, matching
from thirdcard.vision.chips.glimpses import stand_alike
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.chip_faces import face_of
from thirdcard.vision.inference.stack_change import mean_of
from thirdcard.vision.inference.stack_height import Gauging
from thirdcard.vision.observations import Stack

MOVED_MM = 14.0
"""A stack whose base moved by less than this stands where it stood."""

Name = Callable[[Sequence[Image]], Sequence[tuple[float, ...]]]
"""Returns for each top face the probabilities of the house's kinds of chips; an empty row where they are unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The chips of one region at one moment."""

    stacks: tuple[Stack, ...]
    lengths_mm: tuple[float, ...]
    gaugings: tuple[Gauging, ...] = ()
    """One measure for each stack, or none at all."""

    def matches(self, other: Standing, *, within_mm: float = MOVED_MM) -> bool:
        """Whether both show the same number of stacks at the same places."""
        return stand_alike(self.stacks, other.stacks, within_mm=within_mm)

    def has(self, stack: Stack) -> bool:
        """Whether a stack stands at that one's place."""
        return any(float(np.hypot(*np.subtract(stack.at_mm, each.at_mm))) < MOVED_MM for each in self.stacks)


def lies_at(stack: Stack, points_mm: Sequence[NDArray[np.float64]]) -> bool:
    """Whether a stack stands at one of some points."""
    return any(float(np.hypot(*np.subtract(stack.at_mm, point))) < MOVED_MM for point in points_mm)


def measured(
    standing: Standing, measures: Sequence[Standing], optics: GrowthOptics | None, least_mm: float
) -> tuple[Stack, ...]:
    """Return the stacks with their mean measures; without measures, as one look's boxes give them.

    Counts are given only where one chip displaces the top by at least `least_mm`.
    """
    gaugings = gaugings_of(measures)
    if optics is None or not gaugings:
        return standing.stacks
    return tuple(optics.stack(gauging, least_chip_mm=least_mm) for gauging in gaugings)


def named(stacks: tuple[Stack, ...], measures: Sequence[Standing], name: Name | None) -> tuple[Stack, ...]:
    """Return the stacks with the probabilities of what lies on top, read from each one's mean face over looks."""
    looks = [standing.gaugings for standing in measures if standing.gaugings]
    if name is None or not looks or len(looks[0]) != len(stacks):
        return stacks
    rows = [[look[i] for i in matching(looks[0], look)] for look in looks]
    seen = [[face_of(each.view.crop, each) for each in row if each.view is not None] for row in rows]
    if any(len(row) < len(stacks) for row in seen):
        return stacks
    return tuple(replace(stack, faces=told) for stack, told in zip(stacks, name(mean_of(seen)), strict=True))


def gaugings_of(measures: Sequence[Standing]) -> tuple[Gauging, ...]:
    """Return the mean measures of the stacks; none where they were not measured."""
    return averaged([standing.gaugings for standing in measures if standing.gaugings])


def uncounted(stacks: tuple[Stack, ...]) -> tuple[Stack, ...]:
    """Return the stacks without counts, which would suggest a direction that is not known."""
    return tuple(replace(stack, count=None) for stack in stacks)


def mean_length_mm(measures: Sequence[Standing]) -> float:
    """Return the total length in mm of all silhouettes, averaged over looks."""
    return float(np.mean([sum(standing.lengths_mm) for standing in measures]))
