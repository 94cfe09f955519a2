"""Read a YAML mapping key by key with its place, and collect values that are missing, wrong or unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeVar

from thirdcard.rules.errors import RulebookPlaceError
from thirdcard.rules.rulebook.yaml_keys import (
    REQUIRED,
    EntryTable,
    InnerEntry,
    ManyEntry,
    NamedEntry,
    Required,
    RulebookEntry,
)

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a file."""

    place: str
    """Such as `bets.tie.cases[0].pays`."""
    text: str
    """What was found and what is allowed; begins with the place."""


class Report:
    """All problems of a file, each once."""

    def __init__(self) -> None:
        self.problems: dict[Problem, None] = {}
        self._places: set[str] = set()

    def add(self, place: str, text: str, name: str = "") -> None:
        """Add a problem at a place, or with one name there."""
        at = _join(place, name)
        self.problems[Problem(at, f"{place}{text}" if place else text.removeprefix(": "))] = None
        self._places.add(at)

    def is_sound(self, *sections: str) -> bool:
        """Whether these sections of the file have no problem."""
        broken = {problem.place.partition(".")[0].partition("[")[0] for problem in self.problems}
        return not broken & set(sections)

    def attempt(self, parse: Callable[[], Value]) -> Value | None:
        """Run `parse`; returns None if it refuses the place, and reports that unless the place has a problem
        already."""
        try:
            return parse()
        except RulebookPlaceError as error:
            if _join(error.place, error.name) not in self._places:
                self.add(error.place, error.what, error.name)
        return None

    def gather(self, nodes: Iterable[Node], parse: Callable[[Node], Value]) -> tuple[Value, ...]:
        """The mappings that could be parsed; problems are reported."""
        found: list[Value] = []
        for node in nodes:
            value = self.attempt(lambda: parse(node))  # noqa: B023 - called at once
            if value is not None:
                found.append(value)
        return tuple(found)


class Node:
    """One mapping of the file and its place."""

    def __init__(self, content: object, place: str, report: Report) -> None:
        if not isinstance(content, Mapping):
            raise RulebookPlaceError(place, f" = {content}; allowed: a mapping")
        self.place = place
        self.report = report
        self._content: Mapping[Any, Any] = content

    def has(self, key: RulebookEntry[Any]) -> bool:
        """Whether an optional key is there."""
        return key.name in self._content

    def names(self) -> tuple[Any, ...]:
        return tuple(self._content)

    def place_of(self, name: object) -> str:
        """The place of a key of this mapping."""
        return f"{self.place}.{name}" if self.place else str(name)

    def read(self, key: RulebookEntry[Value]) -> Value:
        """The value under a key, or the key's default."""
        if not isinstance(key.default, Required) and key.name not in self._content:
            return key.default
        return self.read_at(key.name, key)

    def read_at(self, name: object, key: RulebookEntry[Value]) -> Value:
        """The value under a name, parsed as that key's; raises RulebookPlaceError where it is missing or not
        allowed."""
        return key.read(self.raw(name), self.place_of(name))

    def raw(self, name: object) -> Any:
        """The unparsed value under a name; raises RulebookPlaceError where it is missing."""
        if name not in self._content:
            raise RulebookPlaceError(self.place, f": {name} is missing", str(name))
        return self._content[name]

    def node(self, key: InnerEntry | NamedEntry) -> Node:
        return self.node_at(key.name)

    def node_at(self, name: object) -> Node:
        return Node(self.raw(name), self.place_of(name), self.report)

    def nodes_at(self, name: object) -> Iterator[Node]:
        values, place = self.raw(name), self.place_of(name)
        if not isinstance(values, list) or not values:
            raise RulebookPlaceError(place, f" = {values}; allowed: a list of mappings")
        for index, value in enumerate(values):
            if isinstance(value, Mapping):
                yield Node(value, f"{place}[{index}]", self.report)

    def each(self, key: ManyEntry, parse: Callable[[Node], Value]) -> tuple[Value, ...]:
        """The parsed mappings of a list; empty where the key is missing."""
        return self.each_at(key.name, parse) if self.has(key) else ()

    def each_at(self, name: object, parse: Callable[[Node], Value]) -> tuple[Value, ...]:
        """The same for a list under a name."""
        return self.report.gather(self.report.attempt(lambda: tuple(self.nodes_at(name))) or (), parse)

    def refuse(self, name: str, found: object, allowed: str) -> None:
        """Report that a value of the mapping is not allowed."""
        self.report.add(self.place_of(name), f" = {found}; allowed: {allowed}")


def survey(content: object, keys: type[EntryTable], place: str, report: Report) -> None:
    """Report each key of a mapping, and of inner mappings, that is missing, unknown or not allowed."""
    if not isinstance(content, Mapping):
        report.add(place, f" = {_short(content)}; allowed: a mapping with {', '.join(_required(keys)) or 'keys'}")
        return
    known = {key.name: key for key in keys.all()}
    for key in known.values():
        if key.name in content:
            _survey_value(content[key.name], key, f"{place}.{key.name}" if place else key.name, report)
        elif key.default is REQUIRED:
            report.add(place, f": {key.name} is missing; allowed: {key.about}", key.name)
    for name in content:
        if name not in known:
            report.add(place, f": {name} is not known here; {_allowed(name, known)}", str(name))


def _survey_value(value: object, key: RulebookEntry[Any], place: str, report: Report) -> None:
    if key.reads(value):
        report.attempt(lambda: key.read(value, place))
    elif isinstance(key, InnerEntry):
        survey(value, key.keys_of(value), place, report)
    elif isinstance(key, ManyEntry):
        if not isinstance(value, list) or not value:
            report.add(place, f" = {_short(value)}; allowed: a list of mappings, {key.about}")
            return
        for index, entry in enumerate(value):
            survey(entry, key.keys, f"{place}[{index}]", report)
    elif isinstance(key, NamedEntry):
        _survey_names(value, key, place, report)


def _survey_names(value: object, key: NamedEntry, place: str, report: Report) -> None:
    if not isinstance(value, Mapping):
        report.add(place, f" = {_short(value)}; allowed: a mapping, {key.about}")
        return
    for name in key.required:
        if name not in map(str, value):
            report.add(place, f": {name} is missing; allowed: {key.each.about}", name)
    for name, entry in value.items():
        if not key.allows(name):
            names = (*key.required, *(key.others or ()))
            allowed = key.names_about or _allowed(name, names)
            report.add(place, f": {name} is not known here; {allowed}", str(name))
        if key.allows(name) or key.names_about:
            _survey_value(entry, key.each, f"{place}.{name}", report)


def _allowed(name: object, known: Iterable[str]) -> str:
    names = list(known)
    near = get_close_matches(str(name), names, n=1, cutoff=0.75)
    return f"allowed: {', '.join(names)}" + (f"; perhaps {near[0]}" if near else "")


def _required(keys: type[EntryTable]) -> list[str]:
    return [key.name for key in keys.all() if key.default is REQUIRED]


def _join(place: str, name: str) -> str:
    return f"{place}.{name}" if place and name else place or name


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
