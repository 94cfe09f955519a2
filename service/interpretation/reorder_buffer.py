"""Hold reports and observations back until nothing earlier can come, then return them in order of time."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(slots=True)
class WaitingItems(Generic[Item]):
    """Items with their stream times in seconds; equal times keep their order of arrival."""

    last_t: float = 0.0
    """The time of the last returned item; nothing earlier follows."""
    _heap: list[tuple[float, int, Item]] = field(default_factory=list)
    _order: Iterator[int] = field(default_factory=count)

    @property
    def first_t(self) -> float:
        """The time of the first waiting item; infinite where nothing waits."""
        return self._heap[0][0] if self._heap else float("inf")

    def __iter__(self) -> Iterator[Item]:
        """The waiting items, in no order."""
        return (item for _, _, item in self._heap)

    def put(self, t: float, item: Item) -> None:
        """Add an item, in any order."""
        heapq.heappush(self._heap, (t, next(self._order), item))

    def take_until(self, limit_t: float) -> Iterator[tuple[float, Item]]:
        """Return items up to that time in order, including ones that are added meanwhile."""
        while self._heap and self._heap[0][0] <= limit_t:
            t, _, item = heapq.heappop(self._heap)
            self.last_t = max(self.last_t, t)
            yield self.last_t, item
