"""Where a rulebook's file cites a section, and what the file says with one thing changed there.

A place is a mapping with a `rule` of its own, and all that stands in it down to the next such mapping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from thirdcard.rules.game.words import Bet, Settling, Side
from thirdcard.rules.rulebook.model import AfterCutCard, BurnCount, Entitled, Moment, Phase, TieBreak, WindowStart

Content = Mapping[str, Any]
Path = tuple[str | int, ...]
NOWHERE = "0.0"
"""A section that no text has."""
_DROPPED = object()
_POINTS = range(10)
_WORDS: Mapping[str, type[StrEnum]] = {
    "moment": Moment, "count": BurnCount, "entitled": Entitled, "ties": TieBreak, "after_cut_card": AfterCutCard,
    "after": WindowStart, "outcome": Settling,
}  # fmt: skip
_ACTIONS = ("supervisor", "stand")
_ABSENT: Mapping[str, Any] = {"wins_on_tie": True, "anyone_where_none": True}
"""What a place may say and leaves out."""
_UNSAID = frozenset({"options", "notes", "title", "source", "id"})
"""Parts of the file that decide nothing by themselves."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a section is cited."""

    path: Path
    rule: str
    key: str = "rule"
    """The key that cites it."""

    @property
    def name(self) -> str:
        return named((*self.path, self.key) if self.key != "rule" else self.path)


@dataclass(frozen=True, slots=True)
class Broken:
    """A rulebook's file with one thing changed."""

    what: str
    content: Content


def named(path: Path) -> str:
    """`bets.tie.cases[0]`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")


def path_of(name: str, content: Content) -> Path:
    """The path that a name such as `bets.tie` or `betting.closes.0` leads along; faults' codes have a dot themselves.

    Raises:
        KeyError: it leads nowhere.
    """
    path: list[str | int] = []
    node: Any = content
    left = name.replace("[", ".").replace("]", "")
    while left:
        keys = range(len(node)) if isinstance(node, list) else node if isinstance(node, Mapping) else ()
        fitting = [key for key in keys if left == str(key) or left.startswith(f"{key}.")]
        if not fitting:
            raise KeyError(name)
        key = max(fitting, key=lambda one: len(str(one)))
        node, left = node[key], left.removeprefix(str(key)).removeprefix(".")
        path.append(key)
    return tuple(path)


def places_of(content: Content) -> Iterator[Place]:
    """All places of a file that cite a section."""
    for key, part in content.items():
        if key not in _UNSAID:
            yield from _within(part, (key,))


def _within(node: Any, path: Path) -> Iterator[Place]:
    if isinstance(node, Mapping):
        for key, value in node.items():
            is_citation = key == "rule" or str(key).endswith("_rule")
            if is_citation and isinstance(value, str):
                yield Place(path, value, str(key))
            yield from _within(value, (*path, key))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from _within(value, (*path, i))


def at(content: Content, path: Path) -> Any:
    """What stands there."""
    node: Any = content
    for step in path:
        node = node[step]
    return node


def edited(content: Any, path: Path, value: Any) -> Any:
    """The same with another value there; nothing else is copied."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    inner = content.get(step) if isinstance(content, Mapping) else content[step]
    new = edited(inner, rest, value)
    if isinstance(content, Mapping):
        return {key: one for key, one in content.items() if key != step} | ({} if new is _DROPPED else {step: new})
    return [one if i != step else new for i, one in enumerate(content) if i != step or new is not _DROPPED]


def broken_at(content: Content, path: Path, key: str = "rule") -> Iterator[Broken]:
    """Everything that may be changed at a place, what decides before what is cited."""
    here = at(content, path)
    if key != "rule":
        yield _with(content, (*path, key), NOWHERE)
        return
    yield from _deciding(content, path, here)
    if isinstance(path[-1], int):
        yield Broken(f"{named(path)} dropped", edited(content, path, _DROPPED))
    if isinstance(here, Mapping) and "rule" in here:
        yield _with(content, (*path, "rule"), NOWHERE)


def _deciding(content: Content, path: Path, node: Any) -> Iterator[Broken]:
    """What decides at a place and below, but not where a section of its own is cited."""
    if isinstance(node, list):
        for i, one in enumerate(node):
            if isinstance(one, Mapping):
                yield from broken_at(content, (*path, i))
        return
    for key, value in node.items():
        if isinstance(value, Mapping) and "rule" not in value:
            yield from _deciding(content, (*path, key), value)
        elif isinstance(value, list) and any(isinstance(one, Mapping) for one in value):
            if not any("rule" in one for one in value):
                yield from _deciding(content, (*path, key), value)
        else:
            for changed in _others(str(key), key, value):
                yield _with(content, (*path, key), changed)
    for key, value in _ABSENT.items():
        if key not in node and "after" in node and "entitled" not in node and key == "wins_on_tie":
            yield _with(content, (*path, key), value)
        if key not in node and "entitled" in node and key == "anyone_where_none":
            yield _with(content, (*path, key), value)


def _others(name: str, key: Any, value: Any) -> Iterator[Any]:
    """What may stand there instead."""
    if isinstance(value, bool):
        yield not value
    elif name in _WORDS:
        yield from (one.value for one in _WORDS[name] if one.value != value)
    elif name == "action":
        yield next(one for one in _ACTIONS if one != value)
    elif name == "pays":
        yield str(Fraction(value) + 1)
    elif name == "order":
        yield [Side.PLAYER.value, Side.PLAYER.value, Side.BANKER.value, Side.BANKER.value]
    elif name == "over":
        yield from (one for one in ("maximum", "differential") if one != value)
    elif name == "bet":
        yield next(one.value for one in (Bet.INSURANCE_PLAYER, Bet.INSURANCE_BANKER) if one.value != value)
    elif isinstance(value, int) and name == "decks":
        yield value + 1
    elif isinstance(value, list):
        yield from _other_lists(name, key, value)


def _other_lists(name: str, key: Any, value: list[Any]) -> Iterator[Any]:
    for i in range(len(value)):
        yield [one for j, one in enumerate(value) if j != i]
    if name in ("draws", "player", "banker") or isinstance(key, int):
        yield from (sorted([*value, one]) for one in _POINTS if one not in value)
    elif name == "allowed":
        yield [*value, max(value) + 1]
        yield [*value, min(value) - 1]
    elif name == "face_down":
        yield from ([*value, one.value] for one in Phase if one.value not in value)


def _with(content: Content, path: Path, value: Any) -> Broken:
    return Broken(f"{named(path)} = {value}", edited(content, path, value))
