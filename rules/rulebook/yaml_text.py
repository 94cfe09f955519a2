"""Read a rulebook's YAML and remember the line of each value.

A smaller YAML than the full one: no tags, and each key once. Only numbers, true, false and null are converted; other
plain words stay texts, so that a section `9.10` in quotes and odds `40:1` stay as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from thirdcard.rules.errors import RulebookError

MOST_CHARACTERS = 1_000_000
"""The longest file, in characters; a rulebook with every section has some 30,000."""
MOST_LEVELS = 20
"""The deepest nesting of mappings and lists; a rulebook has seven."""

MOST_VALUES = 100_000
"""The most values in a file, with values that aliases repeat counted each time."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?([0-9]{1,18}\.[0-9]{0,18}|\.[0-9]{1,18})")
_WORDS: dict[str, bool | None] = dict.fromkeys(("", "~", "null", "Null", "NULL"))
_WORDS |= dict.fromkeys(("true", "True", "TRUE"), True) | dict.fromkeys(("false", "False", "FALSE"), False)


@dataclass(frozen=True, slots=True)
class YamlText:
    """The values of a file, and their lines."""

    content: Any
    lines: Mapping[str, int] = field(default_factory=dict)
    """The line of each place such as `bets.tie.cases[0].pays`, from 1."""
    twice: tuple[str, ...] = ()
    """Places whose key is written twice."""

    def line_of(self, place: str) -> int:
        """The line of a place, or of the closest enclosing place in the file; 1 if there is none."""
        while place and place not in self.lines:
            place = place[: max(place.rfind("."), place.rfind("["), 0)]
        return self.lines.get(place, 1)


@dataclass(slots=True)
class _Open:
    """A mapping or list that is being read."""

    place: str
    holds: dict[Any, Any] | list[Any]
    anchor: str | None
    values_before: int
    """The number of values read before it."""
    key: Any = None
    awaits_value: bool = False

    @property
    def next_place(self) -> str:
        """The place of the next value."""
        if isinstance(self.holds, list):
            return f"{self.place}[{len(self.holds)}]"
        return f"{self.place}.{self.key}" if self.place else str(self.key)


def read_yaml(text: str, name: str) -> YamlText:
    """The values in a file's text.

    Args:
        text: The file's text.
        name: The file's name, for messages.

    Raises:
        RulebookError: It is not YAML, or uses YAML that rulebooks do not need; names the line.
    """
    if len(text) > MOST_CHARACTERS:
        raise RulebookError(f"{name}: {len(text)} characters; allowed: {MOST_CHARACTERS} at most")
    try:
        return _Reader(name).read(yaml.parse(text, Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        line = 1 if error.problem_mark is None else error.problem_mark.line + 1
        what = " ".join(f"{error.context or ''} {error.problem or ''}".split())
        what += "; a text with a colon, a # or a bracket in it needs quotes" if "not allowed" in what else ""
        raise RulebookError(f"{name}:{line}: no YAML: {what}") from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise RulebookError(f"{name}: no YAML: {' '.join(str(error).split())}") from error


class _Reader:
    """Builds the values from the parser's events."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._open: list[_Open] = []
        self._lines: dict[str, int] = {}
        self._twice: list[str] = []
        self._content: Any = None
        self._documents = 0
        self._named: dict[str, tuple[Any, int]] = {}
        """By anchor: its value, and the number of values in it."""
        self._values = 0

    def read(self, events: Iterator[yaml.Event]) -> YamlText:
        """Read all events and return the values."""
        for event in events:
            line = event.start_mark.line + 1 if event.start_mark is not None else 1
            if isinstance(event, yaml.DocumentStartEvent):
                self._documents += 1
                if self._documents > 1:
                    self._refuse(line, "a second document begins; allowed: one")
            elif isinstance(event, yaml.AliasEvent):
                self._repeat(str(event.anchor), line)
            elif isinstance(event, yaml.ScalarEvent):
                self._take(_value(event), line, event.anchor)
            elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                self._begin({} if isinstance(event, yaml.MappingStartEvent) else [], line, event.anchor)
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                self._end()
        return YamlText(self._content, self._lines, tuple(self._twice))

    def _repeat(self, anchor: str, line: int) -> None:
        if anchor not in self._named or any(one.anchor == anchor for one in self._open):
            self._refuse(line, f"*{anchor} stands for nothing yet; allowed: what &{anchor} named before")
        value, size = self._named[anchor]
        self._take(value, line)
        self._values += size - 1

    def _begin(self, holds: dict[Any, Any] | list[Any], line: int, anchor: str | None) -> None:
        if len(self._open) >= MOST_LEVELS:
            self._refuse(line, f"more than {MOST_LEVELS} levels of mappings and lists; allowed: fewer")
        outer = self._open[-1] if self._open else None
        if outer is not None and isinstance(outer.holds, dict) and not outer.awaits_value:
            self._refuse(line, "a key that is no plain word; allowed: a word")
        place = "" if outer is None else outer.next_place
        self._take(holds, line)
        self._open.append(_Open(place, holds, anchor, self._values))

    def _end(self) -> None:
        done = self._open.pop()
        if done.anchor is not None:
            self._named[done.anchor] = done.holds, self._values - done.values_before + 1

    def _take(self, value: Any, line: int, anchor: str | None = None) -> None:
        self._values += 1
        if self._values > MOST_VALUES:
            self._refuse(line, f"more than {MOST_VALUES} values; allowed: fewer")
        if anchor is not None:
            self._named[anchor] = value, 1
        if not self._open:
            self._content = value
            return
        inner = self._open[-1]
        if isinstance(inner.holds, list):
            self._lines[inner.next_place] = line
            inner.holds.append(value)
        elif inner.awaits_value:
            self._lines.setdefault(inner.next_place, line)
            inner.holds[inner.key] = value
            inner.awaits_value = False
        else:
            inner.key, inner.awaits_value = value, True
            if value in inner.holds:
                self._twice.append(inner.next_place)
            self._lines[inner.next_place] = line

    def _refuse(self, line: int, what: str) -> None:
        raise RulebookError(f"{self._name}:{line}: {what}")


def _value(event: yaml.ScalarEvent) -> Any:
    if not event.implicit[0]:
        return event.value
    text = event.value
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text
