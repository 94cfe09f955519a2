"""How much of the disk evidence may use, how much it uses, and when a warning is due."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

FULL_BYTES = 100 * 10**6
"""A disk with less free space is full: new evidence may find no room."""

CALM_SHARE = 0.05
"""The difference from its starting share at which a warning ends."""


class DiskLevel(StrEnum):
    """The state of the disk."""

    FINE = "fine"
    WARNING = "warning"
    """The budget will soon be used up."""
    SPENT = "spent"
    """The budget is used up, and nothing more may be deleted."""
    FULL = "full"
    """The disk itself is full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskBudget:
    """A house's limits for evidence."""

    budget_bytes: int | None
    """None: the whole disk."""
    keep_free_bytes: int
    warn_share: float
    """The share of the budget, 0 to 1, from which on a warning is due."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskState:
    """The state of the disk that holds the evidence."""

    level: DiskLevel
    used_bytes: int
    """By evidence."""
    capacity_bytes: int
    """The most that evidence may use with the present budget and disk."""
    free_bytes: int
    recorded_bytes: int = 0
    """By recordings, which are deleted before evidence."""

    @property
    def over_bytes(self) -> int:
        """The number of bytes to delete to be within the budget again."""
        return max(self.used_bytes - self.capacity_bytes, 0)


def recordings_over_bytes(budget: DiskBudget, *, used: int, recorded: int, free: int) -> int:
    """The number of bytes of recordings to delete to keep the budget and the free space."""
    over = max(budget.keep_free_bytes, FULL_BYTES) - free
    if budget.budget_bytes is not None:
        over = max(over, used + recorded - budget.budget_bytes)
    return min(max(over, 0), recorded)


FreeBytes = Callable[[Path], int]
"""Returns the free bytes on the disk of a folder."""


def free_bytes(folder: Path) -> int:
    """The free bytes on the disk of a folder."""
    return shutil.disk_usage(folder).free


def judge_disk(budget: DiskBudget, *, used: int, free: int, was: DiskLevel = DiskLevel.FINE) -> DiskState:
    """The state of the disk.

    The capacity is the smaller of the budget and what evidence would use if just `keep_free_bytes` were left. A warning
    ends only some way below the share at which it began, so that it does not flicker.
    """
    capacity = max(used + free - budget.keep_free_bytes, 0)
    if budget.budget_bytes is not None:
        capacity = min(capacity, budget.budget_bytes)
    if free < FULL_BYTES:
        level = DiskLevel.FULL
    elif used > capacity or capacity == 0:
        level = DiskLevel.SPENT
    else:
        share = budget.warn_share - (0.0 if was is DiskLevel.FINE else CALM_SHARE)
        level = DiskLevel.WARNING if used >= share * capacity else DiskLevel.FINE
    return DiskState(level=level, used_bytes=used, capacity_bytes=capacity, free_bytes=free)
