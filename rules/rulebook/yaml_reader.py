"""Read a YAML mapping key by key, knowing the place, and refuse what is missing, of another kind or not expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from thirdcard.rules.errors import RulebookError


class Node:
    """One mapping of the file and where it stands in it."""

    def __init__(self, content: object, place: str) -> None:
        if not isinstance(content, Mapping):
            raise RulebookError(f"{place} = {content}; allowed: a mapping")
        self.place = place
        self._content: Mapping[Any, Any] = content
        self._left = set(content)

    def has(self, key: str) -> bool:
        """Whether an optional key is there."""
        return key in self._content

    def names(self) -> tuple[Any, ...]:
        return tuple(self._content)

    def raw(self, key: object) -> Any:
        """The value under a key that must be there."""
        if key not in self._content:
            raise RulebookError(f"{self.place}: {key} is missing")
        self._left.discard(key)
        return self._content[key]

    def text(self, key: str) -> str:
        value = self.raw(key)
        if not isinstance(value, str) or not value.strip():
            raise RulebookError(f"{self.place}.{key} = {value}; allowed: a text")
        return " ".join(value.split())

    def rule(self, key: str = "rule") -> str | None:
        """A section, or null where the text is silent; it must be said either way."""
        value = self.raw(key)
        if value is not None and not (isinstance(value, str) and value.strip()):
            raise RulebookError(f"{self.place}.{key} = {value}; allowed: a section in quotes, or null")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        values = self.raw(key)
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise RulebookError(f"{self.place}.{key} = {values}; allowed: a list of texts")
        return tuple(values)

    def points(self, key: object) -> frozenset[int]:
        values = self.raw(key)
        if not isinstance(values, list) or not all(type(value) is int and 0 <= value <= 9 for value in values):
            raise RulebookError(f"{self.place}.{key} = {values}; allowed: a list of points from 0 to 9")
        return frozenset(values)

    def flag(self, key: str) -> bool:
        value = self.raw(key)
        if not isinstance(value, bool):
            raise RulebookError(f"{self.place}.{key} = {value}; allowed: true, false")
        return value

    def fraction(self, key: str) -> Fraction:
        value = self.raw(key)
        try:
            return Fraction(str(value))
        except (ValueError, ZeroDivisionError) as error:
            raise RulebookError(f"{self.place}.{key} = {value}; allowed: a number or a fraction") from error

    def node(self, key: object) -> Node:
        return Node(self.raw(key), f"{self.place}.{key}")

    def nodes(self, key: object) -> Iterator[Node]:
        values = self.raw(key)
        if not isinstance(values, list) or not values:
            raise RulebookError(f"{self.place}.{key} = {values}; allowed: a list of mappings")
        for index, value in enumerate(values):
            yield Node(value, f"{self.place}.{key}[{index}]")

    def end(self) -> None:
        """Refuse keys that nobody asked for."""
        if self._left:
            left = sorted(str(key) for key in self._left)
            raise RulebookError(f"{self.place}: {left[0]} is not known here")
