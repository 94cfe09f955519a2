"""Parse a file's mapping completely: what is refused is recorded and left out, and the rest is parsed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from thirdcard.calibration.errors import CalibrationError
from thirdcard.calibration.keys import DROPPED, FileKeys

Parsed = TypeVar("Parsed")

_ENTRY = re.compile(r"(\w+)\[(\d+)\](.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedParts(Generic[Parsed]):
    """What could be parsed, and everything that is refused."""

    parsed: Parsed | None
    """None where too little is left."""
    refusals: tuple[CalibrationError, ...]
    incomplete: frozenset[str]
    """The keys whose lists lost entries."""


def collect(
    parse: Callable[[Mapping[str, object]], Parsed],
    mapping: Mapping[str, object],
    keys: type[FileKeys],
    *,
    where: str,
    kind: type[CalibrationError],
    stand_ins: Mapping[str, object],
) -> ParsedParts[Parsed]:
    """Parse a mapping without what is refused of it.

    Args:
        parse: The parser, which raises CalibrationError at the first fault.
        mapping: The mapping, which is not changed.
        keys: The declared keys.
        where: The mapping's place, for messages.
        kind: The class of the errors.
        stand_ins: Values for keys that are missing or refused.
    """
    sifted, faults = keys.sift(mapping, kind)
    errors: list[CalibrationError] = [fault.at(where) for fault in faults]
    left = {**stand_ins, **sifted}
    lists = {key: list(value) for key, value in left.items() if isinstance(value, list)}
    numbers = {key: [i for i, one in enumerate(value) if one is not DROPPED] for key, value in lists.items()}
    left |= {key: [lists[key][i] for i in kept] for key, kept in numbers.items()}
    parsed: Parsed | None = None
    is_enough = all(left.get(key.name) for key in keys.all() if key.is_required)
    while is_enough and parsed is None:
        try:
            parsed = parse(left)
        except CalibrationError as error:
            entry = _ENTRY.fullmatch(error.key)
            key, place = (entry[1], int(entry[2])) if entry else ("", 0)
            if entry is None or place >= len(numbers.get(key, ())):
                errors.append(error)
                break
            own = f"{key}[{numbers[key].pop(place)}]{entry[3]}"
            errors.append(kind(error.where, own, value=error.value, allowed=error.allowed))
            left[key] = [lists[key][i] for i in numbers[key]]
            is_enough = bool(left[key]) or not any(one.name == key and one.is_required for one in keys.all())
    incomplete = frozenset(key for key, kept in numbers.items() if len(kept) < len(lists[key]))
    return ParsedParts(parsed=parsed, refusals=tuple(errors), incomplete=incomplete)
