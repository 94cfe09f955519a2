"""Read a YAML mapping key by key, knowing the place, and refuse what is missing, of another kind or not expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from thirdcard.rules.errors import RulebookError
from thirdcard.rules.rulebook.yaml_keys import REQUIRED, InnerEntry, ManyEntry, NamedEntry, Required, RulebookEntry

Value = TypeVar("Value")


class Node:
    """One mapping of the file and where it stands in it."""

    def __init__(self, content: object, place: str) -> None:
        if not isinstance(content, Mapping):
            raise RulebookError(f"{place} = {content}; allowed: a mapping")
        self.place = place
        self._content: Mapping[Any, Any] = content
        self._left = set(content)

    def has(self, key: RulebookEntry[Any]) -> bool:
        """Whether an optional key is there."""
        return key.name in self._content

    def names(self) -> tuple[Any, ...]:
        return tuple(self._content)

    def read(self, key: RulebookEntry[Value]) -> Value:
        """The value under a key, or the key's default where it has one."""
        if not isinstance(key.default, Required) and key.name not in self._content:
            return key.default
        return self.read_at(key.name, key)

    def read_at(self, name: object, key: RulebookEntry[Value]) -> Value:
        """The value under a name that must be there, read as that key's."""
        return key.read(self.raw(name), f"{self.place}.{name}")

    def raw(self, name: object) -> Any:
        """The value under a name that must be there."""
        if name not in self._content:
            raise RulebookError(f"{self.place}: {name} is missing")
        self._left.discard(name)
        return self._content[name]

    def node(self, key: InnerEntry | NamedEntry) -> Node:
        return self.node_at(key.name)

    def node_at(self, name: object) -> Node:
        return Node(self.raw(name), f"{self.place}.{name}")

    def nodes(self, key: ManyEntry) -> Iterator[Node]:
        """The mappings of a list; none where the key is optional and not there."""
        if key.default is REQUIRED or self.has(key):
            yield from self.nodes_at(key.name)

    def nodes_at(self, name: object) -> Iterator[Node]:
        values = self.raw(name)
        if not isinstance(values, list) or not values:
            raise RulebookError(f"{self.place}.{name} = {values}; allowed: a list of mappings")
        for index, value in enumerate(values):
            yield Node(value, f"{self.place}.{name}[{index}]")

    def end(self) -> None:
        """Refuse keys that nobody asked for."""
        if self._left:
            left = sorted(str(key) for key in self._left)
            raise RulebookError(f"{self.place}: {left[0]} is not known here")
