"""What stands in a region at one moment, and what looks at it come to. Distances are layout millimetres."""

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
"""A stack whose foot moved less than this stands where it stood."""

Name = Callable[[Sequence[Image]], Sequence[tuple[float, ...]]]
"""How likely each kind of chip is the one a top face shows, a row a face, empty where that is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The chips of one region at one moment."""

    stacks: tuple[Stack, ...]
    lengths_mm: tuple[float, ...]
    gaugings: tuple[Gauging, ...] = ()
    """One a stack where a gauge measured them all, else none."""

    def matches(self, other: Standing, *, within_mm: float = MOVED_MM) -> bool:
        """Whether both show as many stacks at the same places."""
        return stand_alike(self.stacks, other.stacks, within_mm=within_mm)

    def has(self, stack: Stack) -> bool:
        """Whether a stack stands where that one stood."""
        return any(float(np.hypot(*np.subtract(stack.at_mm, each.at_mm))) < MOVED_MM for each in self.stacks)


def lies_at(stack: Stack, points_mm: Sequence[NDArray[np.float64]]) -> bool:
    """Whether a stack stands at one of some points."""
    return any(float(np.hypot(*np.subtract(stack.at_mm, point))) < MOVED_MM for point in points_mm)


def measured(
    standing: Standing, measures: Sequence[Standing], optics: GrowthOptics | None, least_mm: float
) -> tuple[Stack, ...]:
    """The stacks as the gauge sees them on average, or as one look's boxes tell; counts where a chip shows as much."""
    gaugings = gaugings_of(measures)
    if optics is None or not gaugings:
        return standing.stacks
    return tuple(optics.stack(gauging, least_chip_mm=least_mm) for gauging in gaugings)


def named(stacks: tuple[Stack, ...], measures: Sequence[Standing], name: Name | None) -> tuple[Stack, ...]:
    """The stacks with what lies on top of them, each by its mean face over looks."""
    looks = [standing.gaugings for standing in measures if standing.gaugings]
    if name is None or not looks or len(looks[0]) != len(stacks):
        return stacks
    rows = [[look[i] for i in matching(looks[0], look)] for look in looks]
    seen = [[face_of(each.view.crop, each) for each in row if each.view is not None] for row in rows]
    if any(len(row) < len(stacks) for row in seen):
        return stacks
    return tuple(replace(stack, faces=told) for stack, told in zip(stacks, name(mean_of(seen)), strict=True))


def gaugings_of(measures: Sequence[Standing]) -> tuple[Gauging, ...]:
    """The stacks as the gauge sees them on average; none where it was not asked."""
    return averaged([standing.gaugings for standing in measures if standing.gaugings])


def uncounted(stacks: tuple[Stack, ...]) -> tuple[Stack, ...]:
    """Without counts, which would claim to tell a direction that is not known."""
    return tuple(replace(stack, count=None) for stack in stacks)


def mean_length_mm(measures: Sequence[Standing]) -> float:
    """Length of all silhouettes together, averaged over looks."""
    return float(np.mean([sum(standing.lengths_mm) for standing in measures]))
