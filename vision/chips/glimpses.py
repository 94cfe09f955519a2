"""Remember chips that appeared under a cover, were visible for a moment, and were gone before the cover lifted.

One hand may put chips beside a stack and another take both within a second. The region is never in plain sight for long
enough to settle, but between the two hands the chips are visible at rest. Layout millimetres, seconds of stream time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from thirdcard.vision.observations import Point, Stack

RESTING_LOOKS = 3
"""Consecutive looks: chips in a moving hand are hardly ever seen at one place three times. Chosen by hand."""
RESTING_S = 0.18
"""Chips seen in the same way in RESTING_LOOKS consecutive looks over this many seconds lie there."""
RESTING_MM = 14.0
"""A stack within this distance of an earlier one is the same: two chips, about 39 mm wide, cannot both stand so
near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Glimpse:
    """Chips that were visible at rest under a cover."""

    stacks: tuple[Stack, ...]
    """Without counts: they were not measured."""
    t_first: float
    t_last: float
    entries: int
    """How many looks the cover had lasted when this was certain."""


@dataclass(slots=True)
class Glimpses:
    """What one region showed since its cover began."""

    best: Glimpse | None = None
    """The largest number of stacks that rested in sight; of several, the first."""
    _run: list[tuple[float, tuple[Stack, ...]]] = field(default_factory=list)

    def add(self, t: float, stacks: tuple[Stack, ...], *, is_in_sight: bool, entries: int) -> None:
        """Take one look.

        Args:
            t: The look's stream time in seconds.
            stacks: The stacks it shows.
            is_in_sight: Whether no hand covers any of them.
            entries: How many looks the cover has lasted.
        """
        if not is_in_sight or not stacks:
            self._run = []
            return
        if self._run and not stand_alike(stacks, self._run[0][1]):
            self._run = []
        self._run.append((t, stacks))
        t_first = self._run[0][0]
        if len(self._run) < RESTING_LOOKS or t - t_first < RESTING_S:
            return
        if self.best is not None and self.best.t_first == t_first:
            self.best = replace(self.best, t_last=t)
        elif self.best is None or len(stacks) > len(self.best.stacks):
            uncounted = tuple(replace(stack, count=None, height_mm=None) for stack in self._run[0][1])
            self.best = Glimpse(stacks=uncounted, t_first=t_first, t_last=t, entries=entries)

    def between(self, before: tuple[Stack, ...], after: tuple[Stack, ...]) -> Glimpse | None:
        """Return what came beside the stacks from before, which all stayed, and was gone afterwards; None for nothing.

        Where nothing stood before, print that was detected as chips is more likely.
        """
        best = self.best
        if best is None or not before or len(best.stacks) <= max(len(before), len(after)):
            return None
        return best if all(_nearest_mm(stack.at_mm, best.stacks) < RESTING_MM for stack in before) else None


def stand_alike(some: tuple[Stack, ...], others: tuple[Stack, ...], *, within_mm: float = RESTING_MM) -> bool:
    """Whether both are the same number of stacks at the same places."""
    return len(some) == len(others) and all(_nearest_mm(stack.at_mm, others) < within_mm for stack in some)


def _nearest_mm(at_mm: Point, stacks: tuple[Stack, ...]) -> float:
    return min(float(np.hypot(at_mm[0] - each.at_mm[0], at_mm[1] - each.at_mm[1])) for each in stacks)
