"""Say how many chips lay in a region before a change and after it.

Where the same stack was seen both times, both numbers are told together: what each sight says, and which way the stack
grew. The number is told that most likely is right or one off, and only where it likely is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.growth import USUAL_CHIPS
from vision.observations import Stack, StacksChanged
from vision.standings import MOVED_MM

USUAL_CHANGE = 1.0
"""Numbers of chips that are added or taken become rarer by a factor of e for so many more."""
LEAST_LIKELY = 0.6
"""A number that less likely is right or one off is not told."""
QUANTILES = (np.arange(200) + 0.5) / 200
NEARLY = (1.0, 1.5, 1.0)
"""What a number that is one off is worth beside the right one."""
Shares = NDArray[np.float64]
"""How likely there are 1, 2, 3 ... chips."""


def chip_counts(change: StacksChanged, *, tell_direction: bool = True) -> tuple[int | None, int | None]:
    """Chips before and after; None where they cannot be told, or were not seen.

    Args:
        tell_direction: Whether the two numbers are to say which way a stack grew; they are told then, however unsure.
    """
    told = _told(change)
    if change.before and change.after and tell_direction:
        return told
    return _if_likely(told[0], change.before), _if_likely(told[1], change.after)


def _told(change: StacksChanged) -> tuple[int | None, int | None]:
    before, after = change.before, change.after
    if not before or not after or not change.growth or any(each.count is None for each in (*before, *after)):
        return _count(before), _count(after)
    counts = _rounded(before), _rounded(after)
    if all(each.counts for each in (*before, *after)):
        if len(before) == len(after) == 1:
            counts = _grown(before[0], after[0], change.growth)
        elif len(before) != len(after):
            counts = _counted_beside(before, after), _counted_beside(after, before)
    return _kept_in_order(*counts, change.growth)


def _if_likely(number: int | None, stacks: tuple[Stack, ...] | None) -> int | None:
    """The number, None where it likely is more than one off; a camera that sees one stack too high does so with all."""
    if number is None or not stacks or not all(each.counts for each in stacks):
        return number
    heights = [np.searchsorted(np.cumsum(each.counts), QUANTILES * sum(each.counts)) + 1 for each in stacks]
    is_near = np.abs(np.sum(heights, axis=0) - number) <= 1
    return number if is_near.mean() >= LEAST_LIKELY else None


def _count(stacks: tuple[Stack, ...] | None) -> int | None:
    return None if stacks is None or any(stack.count is None for stack in stacks) else _rounded(stacks)


def _rounded(stacks: tuple[Stack, ...]) -> int:
    return sum(max(round(stack.count), 1) for stack in stacks if stack.count is not None)


def _kept_in_order(before: int, after: int, growth: int) -> tuple[int, int]:
    """The same numbers, so that they differ the way the stacks grew."""
    after = max(after, before + 1) if growth > 0 else min(after, before - 1)
    return (before, after) if after >= 1 else (before + 1, 1)


def _grown(old: Stack, new: Stack, growth: int) -> tuple[int, int]:
    """Of one stack that grew or shrank."""
    logs = _evidence(old)[:, None] + _evidence(new)[None]
    chips = np.arange(len(logs))
    more = (chips[None] - chips[:, None]) * growth
    logs = np.where(more > 0, logs - more / USUAL_CHANGE, -np.inf)
    shares = np.exp(logs - logs.max())
    return _likeliest([shares.sum(axis=1)]), _likeliest([shares.sum(axis=0)])


def _counted_beside(stacks: Sequence[Stack], others: Sequence[Stack]) -> int:
    """Of stacks some of which stood, or stand, where others do: those were seen twice, for another came or went."""
    told = []
    for stack in stacks:
        twins = [other for other in others if np.hypot(*np.subtract(stack.at_mm, other.at_mm)) < MOVED_MM]
        logs = sum((_evidence(twin) for twin in twins), np.log(np.array(stack.counts) + 1e-30))
        told.append(np.exp(logs - logs.max()))
    return _likeliest(told)


def _evidence(stack: Stack) -> Shares:
    """ln likelihood of 1, 2, 3 ... chips by what was seen alone."""
    counts = np.array(stack.counts)
    return np.asarray(np.log(counts + 1e-30) + np.arange(len(counts)) / USUAL_CHIPS, np.float64)


def _likeliest(stacks: Sequence[Shares]) -> int:
    """How many chips all have together: what is most likely right or nearly."""
    shares = np.ones(1)
    for each in stacks:
        shares = np.convolve(shares, each / each.sum())
    return int(np.argmax(np.convolve(shares, NEARLY, "same"))) + len(stacks)
