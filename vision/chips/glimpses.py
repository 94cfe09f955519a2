"""Remember chips that came under a cover, lay in sight for a moment, and went before the cover lifted.

One hand may put chips beside a stack and another take both within a second. The region is never long enough in plain
sight to settle, but between the two hands the chips rest where everybody sees them. Layout millimetres, seconds of
stream time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from thirdcard.vision.observations import Point, Stack

RESTING_LOOKS = 3
"""In a row: chips in a moving hand are hardly seen in one place three times. Chosen by hand."""
RESTING_S = 0.18
"""Chips seen alike in so many looks in a row, over so long, lie there."""
RESTING_MM = 14.0
"""A stack so near to where one stood is that one: two chips, 39 mm wide or so, cannot both stand so near to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Glimpse:
    """Chips that lay in sight under a cover."""

    stacks: tuple[Stack, ...]
    """Without counts: they were not measured."""
    t_first: float
    t_last: float
    entries: int
    """How many looks of the cover had passed when it was sure."""


@dataclass(slots=True)
class Glimpses:
    """What one region showed since its cover began."""

    best: Glimpse | None = None
    """The largest number of stacks that rested in sight; the first of those."""
    _run: list[tuple[float, tuple[Stack, ...]]] = field(default_factory=list)

    def add(self, t: float, stacks: tuple[Stack, ...], *, is_in_sight: bool, entries: int) -> None:
        """Take one look in.

        Args:
            t: The look's.
            stacks: What it shows.
            is_in_sight: Whether no hand lies over any of them.
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
        """What came beside the stacks from before, which all stood on, and was gone afterwards.

        Where nothing stood before, print that was taken for chips is likelier.
        """
        best = self.best
        if best is None or not before or len(best.stacks) <= max(len(before), len(after)):
            return None
        return best if all(_nearest_mm(stack.at_mm, best.stacks) < RESTING_MM for stack in before) else None


def stand_alike(some: tuple[Stack, ...], others: tuple[Stack, ...], *, within_mm: float = RESTING_MM) -> bool:
    """Whether both are as many stacks at the same places."""
    return len(some) == len(others) and all(_nearest_mm(stack.at_mm, others) < within_mm for stack in some)


def _nearest_mm(at_mm: Point, stacks: tuple[Stack, ...]) -> float:
    return min(float(np.hypot(at_mm[0] - each.at_mm[0], at_mm[1] - each.at_mm[1])) for each in stacks)
