"""Estimate how many chips lay in a region before and after a change, and their value.

If the same stack was seen both times, both counts are estimated together, from each look and from whether the stack
grew. The reported count is the one most likely right or one off, and only if that is likely. Houses and players stack
large chips below small ones: so no chip below the top face is taken to be worth less than the top one, unless the stack
was seen to grow. Amounts are in minor units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.chips.change_direction import USUAL_CHIPS
from thirdcard.vision.chips.standings import MOVED_MM
from thirdcard.vision.observations import Stack, StacksChanged

SURE = 0.98
"""The least confidence of a reported amount."""
RARE = 1.0 - SURE
"""Counts beyond which less than this probability lies, and less likely kinds of chips, are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """The value of some chips, within bounds."""

    low: int
    high: int
    sureness: float = 0.0
    """If both bounds are equal: the confidence that it is exactly this."""

    @property
    def told(self) -> int | None:
        """The exact amount; None where it is not certain."""
        return self.low if self.low == self.high and self.sureness >= SURE else None

    @property
    def least(self) -> int | None:
        """The lower bound; None where the amount itself is reported."""
        return self.low if self.told is None else None

    @property
    def most(self) -> int | None:
        """The upper bound; None where the amount itself is reported."""
        return self.high if self.told is None else None

    def __add__(self, other: Amount) -> Amount:
        return Amount(low=self.low + other.low, high=self.high + other.high, sureness=self.sureness * other.sureness)


@dataclass(frozen=True, slots=True)
class Unknown:
    """The value of chips that were not counted or not read."""

    told: None = None
    least: None = None
    most: None = None


NOTHING = Amount(low=0, high=0, sureness=1.0)
UNKNOWN = Unknown()


@dataclass(slots=True)
class Amounts:
    """The last estimate for each region."""

    values: Sequence[int] = ()
    """The values of the kinds of chips, in the order of `Stack.faces`."""
    _last: dict[str, Amount | Unknown] = field(default_factory=dict)

    def change(self, change: StacksChanged) -> tuple[Amount | Unknown, Amount | Unknown]:
        """The value of the chips in a region before and after a change."""
        before: Amount | Unknown = NOTHING if change.before == () else UNKNOWN
        if change.before:
            before = self._last.get(change.region, UNKNOWN)
        after = amount_after(change, before, self.values) if change.after else NOTHING
        self._last[change.region] = after
        return before, after


def amount_after(change: StacksChanged, before: Amount | Unknown, values: Sequence[int]) -> Amount | Unknown:
    """The value in a region after a change.

    Args:
        change: The observation.
        before: The value until then.
        values: The values of the kinds of chips, in the order of `Stack.faces`.
    """
    if not all(stack.counts and len(stack.faces) == len(values) for stack in change.after):
        return UNKNOWN
    old, new = change.before or (), change.after
    worth = np.array(values)
    if isinstance(before, Amount) and len(old) == len(new) == 1 and old[0].counts and change.growth == 1:
        return _grown_amount(before, old[0], new[0], worth)
    amount = NOTHING
    for stack in new:
        amount += _amount(stack, worth)
    if isinstance(before, Amount) and len(old) == len(new) and change.growth == -1:
        return _below(amount, before.high - int(worth.min()))
    return amount


def _amount(stack: Stack, worth: NDArray[np.int64]) -> Amount:
    """The value of one stack: n chips with a top one of kind k are worth n v(k) to v(k) + (n - 1) max(v)."""
    counts, faces = np.array(stack.counts), np.array(stack.faces)
    chips = np.arange(1, len(counts) + 1)
    lows, highs = np.outer(chips, worth), worth[None] + np.outer(chips - 1, np.full(len(worth), worth.max()))
    return _summed(np.outer(counts, faces), lows, highs)


def _grown_amount(before: Amount, old: Stack, new: Stack, worth: NDArray[np.int64]) -> Amount:
    """The value of a stack that grew by m chips with a top one of kind k: more by v(k) + (m - 1) times any chip."""
    together = np.outer(old.counts, new.counts)
    added = np.array([np.trace(together, offset=m) for m in range(1, len(new.counts))])
    added = added / max(float(added.sum()), 1e-12)
    more = np.arange(len(added))[:, None]
    amount = _summed(np.outer(added, new.faces), worth + more * worth.min(), worth + more * worth.max())
    return before + amount


def _summed(shares: NDArray[np.float64], lows: NDArray[np.int64], highs: NDArray[np.int64]) -> Amount:
    """The amount with enough probability over (counts, kinds), else the bounds of those not rare."""
    is_exact = lows == highs
    exact = {int(value): float(shares[is_exact & (lows == value)].sum()) for value in np.unique(lows[is_exact])}
    likeliest = max(exact, key=lambda value: exact[value])
    if exact[likeliest] >= SURE:
        return Amount(low=likeliest, high=likeliest, sureness=exact[likeliest])
    counts, kinds = shares.sum(axis=1), shares.sum(axis=0)
    passed = np.cumsum(counts)
    is_usual = (passed >= RARE) & (passed - counts <= 1.0 - RARE)
    usual = np.ix_(is_usual, kinds >= RARE)
    return Amount(low=int(lows[usual].min()), high=int(highs[usual].max()))


def _below(amount: Amount, most: int) -> Amount:
    """The amount, capped at `most`."""
    return Amount(low=min(amount.low, max(most, 0)), high=max(min(amount.high, most), 0), sureness=amount.sureness)


USUAL_CHANGE = 1.0
"""The scale of the exponential prior of added or removed chips."""
LEAST_LIKELY = 0.6
"""The least probability that a reported count is right or one off."""
QUANTILES = (np.arange(200) + 0.5) / 200
NEARLY = (1.0, 1.5, 1.0)
"""The score of a count that is one off, beside the right one."""
Shares = NDArray[np.float64]
"""Probabilities of 1, 2, 3 ... chips."""


def chip_counts(change: StacksChanged, *, tell_direction: bool = True) -> tuple[int | None, int | None]:
    """The number of chips before and after; None where unknown or not seen.

    Args:
        change: The observation.
        tell_direction: Whether the two numbers must show if a stack grew; then they are reported however uncertain.
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
    """The number, or None where it is likely more than one off; a camera that overestimates one stack does so
    for all."""
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
    """The numbers, changed where needed so that they differ in the direction of growth."""
    after = max(after, before + 1) if growth > 0 else min(after, before - 1)
    return (before, after) if after >= 1 else (before + 1, 1)


def _grown(old: Stack, new: Stack, growth: int) -> tuple[int, int]:
    """The counts of one stack that grew or shrank."""
    logs = _evidence(old)[:, None] + _evidence(new)[None]
    chips = np.arange(len(logs))
    more = (chips[None] - chips[:, None]) * growth
    logs = np.where(more > 0, logs - more / USUAL_CHANGE, -np.inf)
    shares = np.exp(logs - logs.max())
    return _likeliest([shares.sum(axis=1)]), _likeliest([shares.sum(axis=0)])


def _counted_beside(stacks: Sequence[Stack], others: Sequence[Stack]) -> int:
    """The count of stacks, where those that overlap between before and after are estimated from both looks."""
    told = []
    for stack in stacks:
        twins = [other for other in others if np.hypot(*np.subtract(stack.at_mm, other.at_mm)) < MOVED_MM]
        logs = sum((_evidence(twin) for twin in twins), np.log(np.array(stack.counts) + 1e-30))
        told.append(np.exp(logs - logs.max()))
    return _likeliest(told)


def _evidence(stack: Stack) -> Shares:
    """Log likelihoods of 1, 2, 3 ... chips from the look alone, without the prior."""
    counts = np.array(stack.counts)
    return np.asarray(np.log(counts + 1e-30) + np.arange(len(counts)) / USUAL_CHIPS, np.float64)


def _likeliest(stacks: Sequence[Shares]) -> int:
    """The likeliest total count, right or one off."""
    shares = np.ones(1)
    for each in stacks:
        shares = np.convolve(shares, each / each.sum())
    return int(np.argmax(np.convolve(shares, NEARLY, "same"))) + len(stacks)
