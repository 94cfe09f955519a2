"""Read YAML files and take checked values out of their mappings.

Every complaint names the key and what is allowed; callers add the file with `CalibrationError.at`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path

import yaml

from thirdcard.calibration.errors import MISSING, CalibrationError, DocumentError


def read_document(path: Path) -> Mapping[str, object]:
    """The mapping that a YAML file holds.

    Raises:
        DocumentError: The file is absent, unreadable, no YAML, or not a mapping.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DocumentError(str(path), allowed="no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DocumentError(str(path), allowed=f"cannot be read: {_one_line(error)}") from error
    try:
        document = yaml.load(text, Loader=_StrictLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DocumentError(str(path), allowed=f"no valid YAML: {_one_line(error)}") from error
    if not isinstance(document, Mapping):
        raise DocumentError(str(path), "content", value=document, allowed="must be a mapping of keys to values")
    return document


def check_keys(mapping: object, allowed: Iterable[str], kind: type[CalibrationError]) -> Mapping[str, object]:
    """The mapping itself, when it is one and has no key beyond those allowed."""
    names = list(allowed)
    if not isinstance(mapping, Mapping):
        raise kind("", "", value=mapping, allowed=f"must be a mapping with {', '.join(names)}")
    for key in mapping:
        if key not in names:
            raise kind("", str(key), value=mapping[key], allowed=f"unknown key; allowed: {', '.join(names)}")
    return mapping


def take_text(mapping: Mapping[str, object], key: str, kind: type[CalibrationError]) -> str:
    """A text that is not empty."""
    value = mapping.get(key, MISSING)
    if not isinstance(value, str) or not value.strip():
        raise kind("", key, value=value, allowed="must be a text that is not empty")
    return value


def take_choice(
    mapping: Mapping[str, object], key: str, *, choices: Sequence[str], kind: type[CalibrationError]
) -> str:
    """One of the texts allowed."""
    value = mapping.get(key, MISSING)
    if not isinstance(value, str) or value not in choices:
        raise kind("", key, value=value, allowed=f"must be one of {', '.join(choices)}")
    return value


def take_number(
    mapping: Mapping[str, object], key: str, *, low: float, high: float, kind: type[CalibrationError]
) -> float:
    """A finite number within a range."""
    value = mapping.get(key, MISSING)
    if not is_number(value) or not low <= float(value) <= high:  # type: ignore[arg-type]
        raise kind("", key, value=value, allowed=f"must be a number from {low:g} to {high:g}")
    return float(value)  # type: ignore[arg-type]


def take_numbers(
    mapping: Mapping[str, object], key: str, *, count: int, kind: type[CalibrationError]
) -> tuple[float, ...]:
    """A list of so many finite numbers."""
    value = mapping.get(key, MISSING)
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != count:
        raise kind("", key, value=value, allowed=f"must be a list of {count} numbers")
    if not all(is_number(entry) for entry in value):
        raise kind("", key, value=value, allowed=f"must be a list of {count} finite numbers")
    return tuple(float(entry) for entry in value)


def take_list(mapping: Mapping[str, object], key: str, kind: type[CalibrationError]) -> Sequence[object]:
    """A list, perhaps empty."""
    value = mapping.get(key, MISSING)
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise kind("", key, value=value, allowed="must be a list")
    return value


def is_number(value: object) -> bool:
    """Whether a value is a finite number and not a truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


class _StrictLoader(yaml.CSafeLoader):
    """Refuses a key that stands twice in one mapping."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, object]:
        """The mapping, when no key of it is written twice."""
        seen = set()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key is no plain word", key_node.start_mark)
            if key_node.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key_node.value} stands twice", key_node.start_mark
                )
            seen.add(key_node.value)
        return super().construct_mapping(node, deep=deep)


def _one_line(error: Exception) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"line {error.problem_mark.line + 1}, column {error.problem_mark.column + 1}: {error.problem}"
    return " ".join(str(error).split())
