"""Parse a file's mapping completely: a refused entry is recorded and left out, and the rest is parsed again."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from thirdcard.calibration.errors import CalibrationError

Parsed = TypeVar("Parsed")

_ENTRY = re.compile(r"(\w+)\[(\d+)\](.*)", re.DOTALL)
_UNKNOWN = "unknown key"


def collect(
    parse: Callable[[Mapping[str, object]], Parsed], mapping: Mapping[str, object]
) -> tuple[Parsed | None, list[CalibrationError]]:
    """Parse a mapping without its refused list entries and unknown keys; returns the result and the refusals.

    Args:
        parse: the parser, which raises CalibrationError at the first fault.
        mapping: the mapping, which is not changed.

    Returns:
        The parsed value, or None where a required key is refused; and the refusals.
    """
    lists = {key: list(value) for key, value in mapping.items() if isinstance(value, list)}
    left = {**mapping, **lists}
    numbers = {key: list(range(len(value))) for key, value in lists.items()}
    refusals: list[CalibrationError] = []
    while True:
        try:
            return parse(left), refusals
        except CalibrationError as error:
            entry = _ENTRY.fullmatch(error.key)
            key, place = (entry[1], int(entry[2])) if entry else (error.key, 0)
            if entry and key in numbers and place < len(numbers[key]):
                own = f"{key}[{numbers[key].pop(place)}]{entry[3]}"
                refusals.append(type(error)(error.where, own, value=error.value, allowed=error.allowed))
                del lists[key][place]
            elif key in left and error.allowed.startswith(_UNKNOWN):
                refusals.append(error)
                del left[key]
            else:
                refusals.append(error)
                return None, refusals
