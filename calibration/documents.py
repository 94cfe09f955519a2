"""Read YAML files, take checked values out of their mappings, and describe what a validator allows.

Every error message names the key and what is allowed; callers add the file with `CalibrationError.at`.
"""

from __future__ import annotations

import errno
import math
import os
import re
import stat
import unicodedata
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from thirdcard.calibration.errors import MISSING, CalibrationError, DocumentError, show_value

LONGEST_FILE = 4 * 2**20
"""Largest number of characters in a file: more than a hundred cloths need."""
MOST_LEVELS = 50
MOST_NODES = 10**6
"""Largest number of values in one file; aliases count as often as they are used."""
LARGEST_NUMBER = 10**18
NO_FILE = "no such file"
_UNWRITABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Unicode's categories of control characters, halves of pairs, and ends of lines."""
KEYS_ARE_WORDS = "keys are words; YAML reads on, off, yes, no, ~, numbers and dates otherwise unless they are quoted"

_IS_FOLDER = "is a folder, and must be a file"
_NOT_ALLOWED = "may not be read by this program's user; change the file's permissions"
_LONG_NAME = "is too long for a file's path"
_ALLOWED: Mapping[str, str] = {
    "missing": "must be given",
    "extra_forbidden": "is not known here",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be {ge} or more",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be {le} or less",
    "multiple_of": "must be a multiple of {multiple_of}",
    "finite_number": "must be a finite number",
    "string_too_short": "must have {min_length} characters or more",
    "string_too_long": "must have {max_length} characters or fewer",
    "string_pattern_mismatch": "does not have the form that is asked for",
    "too_short": "must hold {min_length} or more",
    "too_long": "must hold {max_length} or fewer",
    "enum": "must be {expected}",
    "literal_error": "must be {expected}",
    "union_tag_invalid": "{discriminator} must be one of {expected_tags}",
    "union_tag_not_found": "needs {discriminator}",
    "int_parsing_size": "is too large a number",
    "none_required": "must be null",
}
"""What is allowed, by pydantic's error types; the limits of the error's context stand in braces."""
_KINDS: Mapping[str, str] = {
    "string": "must be text",
    "bool": "must be true or false",
    "int": "must be a whole number",
    "float": "must be a number",
    "list": "must be a list",
    "tuple": "must be a list",
    "dict": "must be a mapping of names to values",
    "mapping": "must be a mapping of names to values",
    "model": "must be a mapping of names to values",
    "datetime": "must be a date and time with its offset, such as 2026-11-26T20:15:00+01:00",
    "timezone": "must be a date and time with its offset, such as 2026-11-26T20:15:00+01:00",
    "date": "must be a date, such as 2026-11-26",
}
"""What is allowed, by the first word of pydantic's error types for values of a wrong kind."""


def allowed_by(mistake: Mapping[str, Any]) -> str:
    """Return what a validator allows, in plain words: `must be 60 or less`.

    Args:
        mistake: One of pydantic's errors: its `type`, its message (`msg`) and its limits (`ctx`). The message is kept
            if
            it comes from one of our own checks.
    """
    kind = str(mistake.get("type", ""))
    limits = {key: f"{one:g}" if isinstance(one, float) else one for key, one in (mistake.get("ctx") or {}).items()}
    if kind == "string_too_short" and limits["min_length"] == 1:
        return "must not be empty"
    if kind in _ALLOWED:
        return _ALLOWED[kind].format_map(limits)
    if (begin := kind.partition("_")[0]) in _KINDS:
        return _KINDS[begin]
    said = str(mistake.get("msg", "is not allowed"))
    said = said.removeprefix("Value error, ").removeprefix("Assertion failed, ").replace("Input should", "must", 1)
    return said[:1].lower() + said[1:]


def read_document(path: Path, *, may_be_empty: bool = False) -> Mapping[str, object]:
    """Read the mapping that a YAML file holds.

    Args:
        path: The file.
        may_be_empty: Whether a file without content, comments aside, is a mapping without keys.

    Raises:
        DocumentError: The file is missing, unreadable, not YAML, or not a mapping.
    """
    text = read_text(path)
    if may_be_empty and all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines()):
        return {}
    return parse_mapping(text, str(path))


def read_text(path: Path) -> str:
    """Read a file's text; at most one character beyond the longest text that may be parsed.

    Raises:
        DocumentError: The file is missing or unreadable.
    """
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(LONGEST_FILE + 1)
    except UnicodeDecodeError as error:
        raise DocumentError(str(path), allowed="is not in UTF-8; save it as UTF-8") from error
    except (OSError, ValueError) as error:
        raise DocumentError(str(path), allowed=_file_error(error)) from error


def file_fault(path: Path) -> str | None:
    """Return why a path does not lead to a file that can be read; None where it does."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        fault = _file_error(error)
    else:
        if stat.S_ISREG(mode) and os.access(path, os.R_OK):
            return None
        fault = _IS_FOLDER if stat.S_ISDIR(mode) else _NOT_ALLOWED if stat.S_ISREG(mode) else "is no regular file"
    return f"{fault}: {path}" if fault == NO_FILE else fault


def is_missing(path: Path) -> bool:
    """Whether nothing is there."""
    return (file_fault(path) or "").startswith(NO_FILE)


def _file_error(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError) or not isinstance(error, OSError):
        return NO_FILE
    if isinstance(error, IsADirectoryError):
        return _IS_FOLDER
    if isinstance(error, PermissionError):
        return _NOT_ALLOWED
    return _LONG_NAME if error.errno == errno.ENAMETOOLONG else f"cannot be read: {_one_line(error)}"


def parse_mapping(text: str, where: str) -> Mapping[str, object]:
    """Parse the mapping that a YAML text holds.

    Raises:
        DocumentError: It is not valid YAML, or not a mapping.
    """
    document = parse_yaml(text, where)
    if not isinstance(document, Mapping):
        raise DocumentError(where, "content", value=document, allowed="must be a mapping of keys to values")
    return document


def parse_yaml(text: str, where: str) -> object:
    """Parse a YAML text.

    Raises:
        DocumentError: It is not valid, a key occurs twice, or it is longer, deeper or larger than any file of a house.
    """
    if len(text) > LONGEST_FILE:
        raise DocumentError(where, allowed=f"cannot be read: it has more than {LONGEST_FILE} characters")
    try:
        _check_shape(text)
        return yaml.load(text, Loader=_StrictLoader)
    except _SCALAR_ERRORS as error:
        raise DocumentError(where, allowed=f"no valid YAML: {_one_line(error)}") from error


def check_keys(mapping: object, allowed: Iterable[str], kind: type[CalibrationError]) -> Mapping[str, object]:
    """Return the mapping itself after checking that it is one and has only allowed keys; raise `kind` otherwise."""
    names = list(allowed)
    if not isinstance(mapping, Mapping):
        raise kind("", "", value=mapping, allowed=f"must be a mapping with {', '.join(names)}")
    for error in unknown_keys(mapping, names, kind):
        raise error
    return mapping


def unknown_keys(
    mapping: Mapping[Any, object], allowed: Iterable[str], kind: type[CalibrationError]
) -> Iterator[CalibrationError]:
    """Yield an error for each key of a mapping that is not allowed."""
    names = list(allowed)
    for key in mapping:
        if not isinstance(key, str):
            yield kind("", show_value(key), value=mapping[key], allowed=KEYS_ARE_WORDS)
        elif key not in names:
            yield kind("", key, value=mapping[key], allowed=unknown_key(key, names))


def unknown_key(key: str, names: Sequence[str]) -> str:
    """What to say of a key that is not allowed: the allowed ones, and which may be meant."""
    near = get_close_matches(key.lower(), names, n=1, cutoff=0.7)
    return f"unknown key; allowed: {', '.join(names)}" + (f"; perhaps {near[0]}" if near else "")


def take_text(mapping: Mapping[str, object], key: str, kind: type[CalibrationError]) -> str:
    """Return a non-empty text; raise `kind` for anything else."""
    value = mapping.get(key, MISSING)
    if not isinstance(value, str) or not value.strip():
        raise kind("", key, value=value, allowed="must be a text that is not empty")
    if any(unicodedata.category(letter) in _UNWRITABLE for letter in value):
        raise kind("", key, value=value, allowed="must be one line of text without control characters")
    return value


def take_choice(
    mapping: Mapping[str, object], key: str, *, choices: Sequence[str], kind: type[CalibrationError]
) -> str:
    """Return one of the allowed texts; raise `kind` for anything else."""
    value = mapping.get(key, MISSING)
    if not isinstance(value, str) or value not in choices:
        raise kind("", key, value=value, allowed=f"must be one of {', '.join(choices)}")
    return value


def take_number(
    mapping: Mapping[str, object], key: str, *, low: float, high: float, kind: type[CalibrationError]
) -> float:
    """Return a finite number within a range; raise `kind` for anything else."""
    value = mapping.get(key, MISSING)
    if not is_number(value) or not low <= float(value) <= high:  # type: ignore[arg-type]
        raise kind("", key, value=value, allowed=f"must be a number from {low:g} to {high:g}")
    return float(value)  # type: ignore[arg-type]


def take_numbers(
    mapping: Mapping[str, object], key: str, *, count: int, kind: type[CalibrationError]
) -> tuple[float, ...]:
    """Return a list of exactly `count` finite numbers; raise `kind` for anything else."""
    value = mapping.get(key, MISSING)
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != count:
        raise kind("", key, value=value, allowed=f"must be a list of {count} numbers")
    if not all(is_number(entry) for entry in value):
        raise kind("", key, value=value, allowed=f"must be a list of {count} finite numbers")
    return tuple(float(entry) for entry in value)


def take_list(mapping: Mapping[str, object], key: str, kind: type[CalibrationError]) -> Sequence[object]:
    """Return a list, possibly empty; raise `kind` for anything else."""
    value = mapping.get(key, MISSING)
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise kind("", key, value=value, allowed="must be a list")
    return value


def is_number(value: object) -> bool:
    """Whether a value is a finite number and not a boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_SCALAR_ERRORS = (yaml.YAMLError, ValueError, ArithmeticError, AttributeError, LookupError, TypeError)
"""The loader's errors for a text that is not YAML, and for values that do not fit their tags."""


def _check_shape(text: str) -> None:
    """Reject a document that is too deep, or too large with its aliases, before it is constructed."""
    sizes: dict[str, int] = {}
    around: list[tuple[str | None, int]] = [(None, 0)]
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            around.append((event.anchor, 1))
        elif isinstance(event, yaml.CollectionEndEvent | yaml.ScalarEvent | yaml.AliasEvent):
            size = _close(event, around, sizes)
            around[-1] = (around[-1][0], around[-1][1] + size)
        if len(around) > MOST_LEVELS or around[-1][1] > MOST_NODES:
            what = f"more than {MOST_LEVELS} levels or {MOST_NODES} values"
            raise _shape_error(what, event)


def _shape_error(what: str, event: yaml.Event) -> yaml.YAMLError:
    where = "" if event.start_mark is None else f"line {event.start_mark.line + 1}: "
    return yaml.YAMLError(f"{where}{what}")


def _close(event: yaml.Event, around: list[tuple[str | None, int]], sizes: dict[str, int]) -> int:
    """Return the number of values in what ends here."""
    if isinstance(event, yaml.AliasEvent):
        if event.anchor not in sizes:
            raise _shape_error("it names what is not there yet", event)
        return sizes[event.anchor]
    anchor, size = (event.anchor, 1) if isinstance(event, yaml.ScalarEvent) else around.pop()
    if anchor is not None:
        sizes[anchor] = size
    return size


class _StrictLoader(yaml.CSafeLoader):
    """Rejects a key that occurs twice in one mapping, and absurdly large numbers."""

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        """Return the number; raise if it is absurdly large, or not the number that a person reads."""
        value = int(super().construct_yaml_int(node))
        if abs(value) > LARGEST_NUMBER:
            raise yaml.constructor.ConstructorError(None, None, "a number beyond 10^18", node.start_mark)
        if _READ_OTHERWISE.fullmatch(node.value):
            raise _read_otherwise(node, value)
        return value

    def construct_yaml_float(self, node: yaml.ScalarNode) -> float:
        """Return the number; raise if it is not the number that a person reads."""
        value = float(super().construct_yaml_float(node))
        if ":" in node.value:
            raise _read_otherwise(node, value)
        return value

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, object]:
        """Return the mapping; raise if a key occurs twice."""
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


_StrictLoader.add_constructor("tag:yaml.org,2002:int", _StrictLoader.construct_yaml_int)
_StrictLoader.add_constructor("tag:yaml.org,2002:float", _StrictLoader.construct_yaml_float)
_READ_OTHERWISE = re.compile(r"[-+]?(0[0-9_]+|.*:.*)")
"""Whole numbers that YAML 1.1 reads with base 8 or 60: `025`, `5:00`."""


def _read_otherwise(node: yaml.ScalarNode, value: float) -> yaml.YAMLError:
    meant = str(value) if ":" in node.value else str(int(node.value.replace("_", "")))
    say = f"YAML reads {node.value} as {value}: write {meant}, or put it in quotes"
    return yaml.constructor.ConstructorError(None, None, say, node.start_mark)


def _one_line(error: Exception) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"line {error.problem_mark.line + 1}, column {error.problem_mark.column + 1}: {error.problem}"
    return " ".join(str(error).split())
