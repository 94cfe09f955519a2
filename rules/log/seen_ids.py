"""Remember which ids were seen, in little memory however long the log.

Ids that count up (`c1`, `c2`, …) are kept as ranges. Of other ids a 64-bit hash is kept; the probability that two ids
in a log of a million cards share one is below one in ten million.
"""

from __future__ import annotations

from array import array
from hashlib import blake2b

_MOST_PREFIXES = 64
"""The most prefixes that are kept as counting series; with more, the ids do not count up."""
_FIRST_SLOTS = 1 << 10
_MOST_DIGITS = 15
"""The most digits of a number that counts."""


class SeenIds:
    """A set of ids that can only grow."""

    def __init__(self) -> None:
        self._next: dict[str, tuple[int, int]] = {}
        """By prefix: the first number, and the one after the last."""
        self._others = _Fingerprints()
        self._latest: tuple[str, int, str | None] = ("", 0, None)
        """The latest counted id as prefix and number, and the id expected next."""

    def add(self, card_id: str) -> bool:
        """Add the id; returns False if it was there already."""
        prefix, value, awaited = self._latest
        if card_id == awaited and self._others.is_empty:
            self._count(prefix, self._next[prefix][0], value + 1)
            return True
        return self._add(card_id)

    def __contains__(self, card_id: str) -> bool:
        prefix, value = _parts(card_id)
        first, after = self._next.get(prefix, (0, 0))
        return (value is not None and first <= value < after) or card_id in self._others

    def _count(self, prefix: str, first: int, value: int) -> None:
        self._next[prefix] = (first, value + 1)
        self._latest = (prefix, value, f"{prefix}{value + 1}")

    def _add(self, card_id: str) -> bool:
        prefix, value = _parts(card_id)
        if value is None:
            return self._others.add(card_id)
        first, after = self._next.get(prefix, (value, value))
        if first <= value < after:
            return False
        if value != after or (first == after and len(self._next) >= _MOST_PREFIXES):
            return self._others.add(card_id)
        self._count(prefix, first, value)
        return self._others.is_empty or card_id not in self._others


def _parts(card_id: str) -> tuple[str, int | None]:
    """The prefix and the number at an id's end; the number is None where it does not count up."""
    prefix = card_id.rstrip("0123456789")
    number = card_id[len(prefix) :]
    if not number or len(number) > _MOST_DIGITS or (number[0] == "0" and number != "0"):
        return prefix, None
    return prefix, int(number)


class _Fingerprints:
    """An open-addressing hash table of 64-bit fingerprints; 0 is an empty slot."""

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * _FIRST_SLOTS))
        self._count = 0

    @property
    def is_empty(self) -> bool:
        return self._count == 0

    def __contains__(self, text: str) -> bool:
        mark = _fingerprint(text)
        return self._slots[self._find(mark)] == mark

    def add(self, text: str) -> bool:
        mark = _fingerprint(text)
        i = self._find(mark)
        if self._slots[i] == mark:
            return False
        self._slots[i] = mark
        self._count += 1
        if 3 * self._count > 2 * len(self._slots):
            self._grow()
        return True

    def _find(self, mark: int) -> int:
        """The slot of the fingerprint, or the empty slot where it belongs."""
        last = len(self._slots) - 1
        i = mark & last
        while self._slots[i] not in (0, mark):
            i = (i + 1) & last
        return i

    def _grow(self) -> None:
        old, self._slots = self._slots, array("Q", bytes(16 * len(self._slots)))
        for mark in old:
            if mark:
                self._slots[self._find(mark)] = mark


def _fingerprint(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") or 1
