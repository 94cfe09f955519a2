"""How much of the disk evidence may take, how much it takes, and when that is worth a word."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

FULL_BYTES = 100 * 10**6
"""A disk with less is full: new evidence may not find room."""

CALM_SHARE = 0.05
"""So far below the share of its beginning a warning ends."""


class DiskLevel(StrEnum):
    """How the disk stands."""

    FINE = "fine"
    WARNING = "warning"
    """The budget will be spent soon."""
    SPENT = "spent"
    """The budget is spent, and nothing is left that may be deleted."""
    FULL = "full"
    """The disk itself is full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskBudget:
    """What a house allows."""

    budget_bytes: int | None
    """None: the whole disk."""
    keep_free_bytes: int
    warn_share: float
    """The share of the budget from which on a warning is due, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskState:
    """How the disk that holds the evidence stands."""

    level: DiskLevel
    used_bytes: int
    """By evidence."""
    capacity_bytes: int
    """So much evidence may take, as budget and disk are now."""
    free_bytes: int
    recorded_bytes: int = 0
    """By recordings, which give way before evidence does."""

    @property
    def over_bytes(self) -> int:
        """So much must go to be within the budget again."""
        return max(self.used_bytes - self.capacity_bytes, 0)


def recordings_over_bytes(budget: DiskBudget, *, used: int, recorded: int, free: int) -> int:
    """So much of the recordings must go, that evidence and they stay within the budget and the disk keeps its room."""
    over = max(budget.keep_free_bytes, FULL_BYTES) - free
    if budget.budget_bytes is not None:
        over = max(over, used + recorded - budget.budget_bytes)
    return min(max(over, 0), recorded)


FreeBytes = Callable[[Path], int]
"""What is free on the disk that holds a folder."""


def free_bytes(folder: Path) -> int:
    """What the disk has left for us."""
    return shutil.disk_usage(folder).free


def judge_disk(budget: DiskBudget, *, used: int, free: int, was: DiskLevel = DiskLevel.FINE) -> DiskState:
    """Where the disk stands.

    The capacity is the smaller of the budget and what evidence would take if just `keep_free_bytes` were left. A
    warning ends only some way below the share at which it began, so that it does not come and go.
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
