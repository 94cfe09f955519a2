"""Hold back what was reported and seen until nothing earlier can come any more, then give it out in order of time."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(slots=True)
class WaitingItems(Generic[Item]):
    """Items with their stream times in seconds; of equal times the first that came goes first."""

    last_t: float = 0.0
    """Of what was given out; nothing earlier follows."""
    _heap: list[tuple[float, int, Item]] = field(default_factory=list)
    _order: Iterator[int] = field(default_factory=count)

    @property
    def first_t(self) -> float:
        """Of what waits; infinite where nothing does."""
        return self._heap[0][0] if self._heap else float("inf")

    def __iter__(self) -> Iterator[Item]:
        """What waits, in no order."""
        return (item for _, _, item in self._heap)

    def put(self, t: float, item: Item) -> None:
        """Take an item in, in any order."""
        heapq.heappush(self._heap, (t, next(self._order), item))

    def take_until(self, limit_t: float) -> Iterator[tuple[float, Item]]:
        """Give out what is not later, as long as there is any: what is put in meanwhile too."""
        while self._heap and self._heap[0][0] <= limit_t:
            t, _, item = heapq.heappop(self._heap)
            self.last_t = max(self.last_t, t)
            yield self.last_t, item
