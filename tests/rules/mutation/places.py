"""The places where a rulebook's file cites a section, and the file with one change there.

A place is a mapping with its own `rule`, and everything in it down to the next such mapping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from thirdcard.rules.game.words import Settling, Side
from thirdcard.rules.rulebook.model import AfterCutCard, BurnCount, Entitled, Moment, Phase, TieBreak, WindowStart

Content = Mapping[str, Any]
Path = tuple[str | int, ...]
NOWHERE = "0.0"
"""A section that exists in no text."""
_DROPPED = object()
_POINTS = range(10)
_WORDS: Mapping[str, type[StrEnum]] = {
    "moment": Moment, "count": BurnCount, "entitled": Entitled, "ties": TieBreak, "after_cut_card": AfterCutCard,
    "after": WindowStart, "outcome": Settling,
}  # fmt: skip
_ACTIONS = ("supervisor", "stand", "void_round")
_ABSENT: Mapping[str, frozenset[str]] = {
    "wins_on_tie": frozenset({"after", "pays"}), "anyone_where_none": frozenset({"entitled"}),
}  # fmt: skip
"""Optional keys of a place, by the keys that such a place has."""
_NEVER = [{"when": ["winner=tie"]}]
"""An impossible election: the result of a round is unknown when bets are offered."""
_LEFT_OUT: Mapping[str, Any] = {
    "devices": [{"allowed": ["shoe"], "rule": "0.0", "text": "A shoe."}], "offered": _NEVER,
}  # fmt: skip
"""Optional parts of a file, and a wrong value for each."""
_UNSAID = frozenset({"options", "notes", "sections", "title", "source", "id"})
_PRINTED: frozenset[Path] = frozenset({("betting", "call"), ("table_of_play", "one_card_only")})
"""Places that are displayed but not judged: the faults have their own sections."""


@dataclass(frozen=True, slots=True)
class Place:
    """A citation of a section."""

    path: Path
    rule: str
    key: str = "rule"
    """The key that cites it."""

    @property
    def name(self) -> str:
        return named((*self.path, self.key) if self.key != "rule" else self.path)


@dataclass(frozen=True, slots=True)
class Broken:
    """A rulebook's file with one change."""

    what: str
    content: Content


def named(path: Path) -> str:
    """The name of a path, such as `bets.tie.cases[0]`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")


def path_of(name: str, content: Content) -> Path:
    """The path of a name such as `bets.tie` or `betting.closes[-1]`; codes of faults contain dots themselves.

    Raises:
        KeyError: There is no such path.
    """
    path: list[str | int] = []
    node: Any = content
    left = name.replace("[", ".").replace("]", "")
    while left:
        keys = range(-len(node), len(node)) if isinstance(node, list) else node if isinstance(node, Mapping) else ()
        fitting = [key for key in keys if left == str(key) or left.startswith(f"{key}.")]
        if not fitting and left in (*_ABSENT, *_LEFT_OUT):
            return (*path, left)
        if not fitting:
            raise KeyError(name)
        key = max(fitting, key=lambda one: len(str(one)))
        path.append(len(node) + key if isinstance(node, list) and key < 0 else key)
        node, left = node[key], left.removeprefix(str(key)).removeprefix(".")
    return tuple(path)


def places_of(content: Content) -> Iterator[Place]:
    """All places of a file that cite a section."""
    for key, part in content.items():
        if key not in _UNSAID:
            yield from (place for place in _within(part, (key,)) if place.path not in _PRINTED)


def rows_of(content: Content, place: Place) -> Iterator[str]:
    """The names of the rows of a place that is a table."""
    here = at(content, place.path)
    rows = here.get("draws") if place.key == "rule" else None
    if isinstance(rows, Mapping):
        yield from (f"{place.name}.draws.{row}" for row in rows)


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
    """The value at a path."""
    node: Any = content
    for step in path:
        node = node[step]
    return node


def edited(content: Any, path: Path, value: Any) -> Any:
    """A copy with another value at the path; unchanged parts are shared."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(content, Mapping):
        whole = content if step in content else {**content, step: None}
        new = {key: edited(one, rest, value) if key == step else one for key, one in whole.items()}
        return {key: one for key, one in new.items() if one is not _DROPPED}
    listed = [edited(one, rest, value) if i == step else one for i, one in enumerate(content)]
    return [one for one in listed if one is not _DROPPED]


def broken_at(content: Content, place: Place) -> Iterator[Broken]:
    """All possible changes at a place, with decisive parts before the citation."""
    path = place.path
    if place.key != "rule":
        yield _with(content, (*path, place.key), None)
        yield _with(content, (*path, place.key), NOWHERE)
        return
    yield from _changed(content, path, is_deep=False)
    yield _dropped(content, path)
    yield _with(content, (*path, "rule"), NOWHERE)


def broken_within(content: Content, path: Path) -> Iterator[Broken]:
    """All possible changes at a path and below; a bet may also not be offered."""
    *above, key = path
    if key not in (whole := at(content, tuple(above))) and isinstance(whole, Mapping):
        yield _with(content, path, _LEFT_OUT.get(str(key), True))
        return
    if key == "offered":
        yield _with(content, path, _NEVER)
        return
    node = whole[key]
    is_plain = not isinstance(node, Mapping) and not _is_of_mappings(node)
    if is_plain:
        for changed in _others(str(path[-1]), path[-1], node):
            yield _with(content, path, changed)
    elif len(path) == 2 and path[0] == "bets":
        yield Broken(f"{path[1]} not offered", edited(content, (*path, "offered"), _NEVER))
    yield _dropped(content, path)
    if not is_plain:
        yield from _changed(content, path, is_deep=True)


def _dropped(content: Content, path: Path) -> Broken:
    """The file without the value at a path, and without its list where that becomes empty."""
    if isinstance(path[-1], int) and len(at(content, path[:-1])) == 1:
        path = path[:-1]
    return Broken(f"{named(path)} dropped", edited(content, path, _DROPPED))


def _changed(content: Content, path: Path, *, is_deep: bool) -> Iterator[Broken]:
    """Changes of the decisive values at a place and below, except where another section is cited."""
    node = at(content, path)
    for key, value in node.items() if isinstance(node, Mapping) else enumerate(node):
        here = (*path, key)
        if isinstance(value, Mapping) or _is_of_mappings(value):
            if is_deep or "rule" not in value:
                yield from _changed(content, here, is_deep=is_deep)
            if is_deep:
                yield _dropped(content, here)
        elif key == "kinds":
            yield from _without_kinds(content, path, value)
        else:
            yield from (_with(content, here, changed) for changed in _others(str(key), key, value))
    if isinstance(node, Mapping):
        for key, marks in _ABSENT.items():
            if key not in node and marks <= set(node):
                yield _with(content, (*path, key), True)


def _is_of_mappings(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(one, Mapping) for one in value)


def _without_kinds(content: Content, path: Path, kinds: list[str]) -> Iterator[Broken]:
    """The limits without one kind each, and without the consequences of exceeding them."""
    for kind in kinds:
        fewer = edited(content, (*path, "kinds"), [one for one in kinds if one != kind])
        yield Broken(f"{named(path)} without {kind}", edited(fewer, (*path, "excess"), _DROPPED))


def _others(name: str, key: Any, value: Any) -> Iterator[Any]:
    """Other possible values."""
    if isinstance(value, bool):
        yield not value
    elif name in _WORDS:
        yield from (one.value for one in _WORDS[name] if one.value != value)
    elif name == "action":
        yield from (one for one in _ACTIONS if one != value)
    elif name == "pays":
        yield str(Fraction(value) + 1)
    elif name == "order":
        yield [Side.PLAYER.value, Side.PLAYER.value, Side.BANKER.value, Side.BANKER.value]
    elif name == "over":
        yield from (one for one in ("maximum", "differential") if one != value)
    elif name == "most":
        yield value + 1 if isinstance(value, int) else str(2 * Fraction(value))
    elif name in ("decks", "least"):
        yield value + 1
    elif isinstance(value, list):
        yield from _other_lists(name, key, value)


def _other_lists(name: str, key: Any, value: list[Any]) -> Iterator[Any]:
    for i in range(len(value)):
        yield [one for j, one in enumerate(value) if j != i]
    if name in ("draws", "player", "banker") or isinstance(key, int):
        yield from (sorted([*value, one]) for one in _POINTS if one not in value)
    elif value and all(isinstance(one, int) for one in value):
        yield [*value, max(value) + 1]
        yield [*value, min(value) - 1]
    elif name == "face_down":
        yield from ([*value, one.value] for one in Phase if one.value not in value)


def _with(content: Content, path: Path, value: Any) -> Broken:
    return Broken(f"{named(path)} = {value}", edited(content, path, value))
