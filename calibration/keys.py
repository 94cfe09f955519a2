"""The keys of a file's mapping, declared once: what is allowed and what it means.

The parsers use these declarations, and the files' JSON Schemas are generated from them.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from thirdcard.calibration.documents import (
    check_keys,
    is_number,
    take_choice,
    take_list,
    take_number,
    take_numbers,
    take_text,
    unknown_keys,
)
from thirdcard.calibration.errors import MISSING, CalibrationError

Schema = dict[str, Any]
"""A part of a JSON Schema, draft 2020-12."""
Fields = Mapping[str, object]
Point = tuple[float, float]

_MARKER_NUMBER = "0|[1-9][0-9]{0,5}"
_TEXT: Schema = {"type": "string", "pattern": r"\S"}
_POINT: Schema = {
    "type": "array",
    "items": {"type": "number"},
    "minItems": 2,
    "maxItems": 2,
    "description": "[x, y] in mm",
}

Value = TypeVar("Value", covariant=True)
Sifted = tuple[object, list[CalibrationError]]
"""A value without the parts that are not allowed, or DROPPED, and an error for each of them."""
DROPPED = object()
"""Stands for a value of which nothing is left."""


class FileKey(ABC, Generic[Value]):
    """One key, named after the attribute that declares it."""

    name: str

    def __init__(self, about: str) -> None:
        self.about = about

    def __set_name__(self, _owner: type, name: str) -> None:
        self.name = name

    @property
    def is_required(self) -> bool:
        """Whether a file must have it."""
        return True

    def applies(self, _fields: Fields) -> bool:
        """Whether the key is read in such a mapping."""
        return True

    @abstractmethod
    def take(self, fields: Fields, kind: type[CalibrationError]) -> Value:
        """Return the checked value from a mapping; raise `kind` if it is not allowed."""

    def sift(self, fields: Fields, kind: type[CalibrationError]) -> Sifted:
        """Return what is allowed of the value in a mapping, and everything that is not."""
        try:
            self.take(fields, kind)
        except CalibrationError as error:
            return DROPPED, [error]
        return fields.get(self.name), []

    @abstractmethod
    def schema(self) -> Schema:
        """Return the JSON Schema of the value."""


class FileKeys:
    """The keys of a mapping, one for each attribute."""

    besides: ClassVar[Schema] = {}
    """Schema entries beyond the single keys."""

    @classmethod
    def all(cls) -> tuple[FileKey[Any], ...]:
        """Return every key, in the order of the declarations."""
        return tuple(key for key in vars(cls).values() if isinstance(key, FileKey))

    @classmethod
    def check(cls, mapping: object, kind: type[CalibrationError]) -> Fields:
        """Return the mapping itself after checking that it has only declared keys; raise `kind` otherwise."""
        return check_keys(mapping, (key.name for key in cls.all()), kind)

    @classmethod
    def sift(cls, mapping: object, kind: type[CalibrationError]) -> tuple[Fields, list[CalibrationError]]:
        """Return a mapping without the keys that are not allowed, and an error for each of them.

        A list of mappings keeps its length: DROPPED stands for an entry with any fault.
        """
        names = [key.name for key in cls.all()]
        if not isinstance(mapping, Mapping):
            return {}, [kind("", value=mapping, allowed=f"must be a mapping with {', '.join(names)}")]
        errors = list(unknown_keys(mapping, names, kind))
        kept: dict[str, object] = {name: mapping[name] for name in names if name in mapping}
        for key in (key for key in cls.all() if key.applies(mapping)):
            value, own = key.sift(mapping, kind)
            errors += own
            if own and key.name in kept:
                kept[key.name] = value
        return {name: value for name, value in kept.items() if value is not DROPPED}, errors

    @classmethod
    def schema(cls) -> Schema:
        """Return the JSON Schema of such a mapping."""
        schema: Schema = {
            "type": "object",
            "additionalProperties": False,
            "properties": {key.name: {"description": key.about} | key.schema() for key in cls.all()},
            "required": [key.name for key in cls.all() if key.is_required],
        }
        return schema | cls.besides


class TextKey(FileKey[str]):
    """A non-empty text."""

    def take(self, fields: Fields, kind: type[CalibrationError]) -> str:
        return take_text(fields, self.name, kind)

    def schema(self) -> Schema:
        return _TEXT


class OptionalTextKey(FileKey[str | None]):
    """A non-empty text, or null."""

    @property
    def is_required(self) -> bool:
        return False

    def take(self, fields: Fields, kind: type[CalibrationError]) -> str | None:
        return None if fields.get(self.name) is None else take_text(fields, self.name, kind)

    def schema(self) -> Schema:
        return _TEXT | {"type": ["string", "null"]}


class ChoiceKey(FileKey[str]):
    """One of several allowed words."""

    def __init__(self, about: str, words: Sequence[str]) -> None:
        super().__init__(about)
        self.words = words

    def take(self, fields: Fields, kind: type[CalibrationError]) -> str:
        return take_choice(fields, self.name, choices=self.words, kind=kind)

    def schema(self) -> Schema:
        return {"enum": list(self.words)}


class ConditionalChoiceKey(ChoiceKey):
    """A choice that is read only where another key requires it; otherwise any value is allowed."""

    def __init__(self, about: str, words: Sequence[str], *, where: tuple[str, str]) -> None:
        """Declare the key.

        Args:
            about: Description of the key.
            words: The allowed words.
            where: The other key and its value.
        """
        super().__init__(about, words)
        self.where = where

    @property
    def is_required(self) -> bool:
        return False

    def applies(self, fields: Fields) -> bool:
        return fields.get(self.where[0]) == self.where[1]

    def schema(self) -> Schema:
        return {}


class ConditionalWordKey(FileKey[str]):
    """A word of a given form that is read only where another key requires it; otherwise any value is allowed."""

    def __init__(self, about: str, *, pattern: str, allowed: str, where: tuple[str, str]) -> None:
        """Declare the key.

        Args:
            about: Description of the key.
            pattern: The word's form.
            allowed: What a message says is allowed.
            where: The other key and its value.
        """
        super().__init__(about)
        self.pattern, self.allowed, self.where = pattern, allowed, where

    @property
    def is_required(self) -> bool:
        return False

    def applies(self, fields: Fields) -> bool:
        return fields.get(self.where[0]) == self.where[1]

    def take(self, fields: Fields, kind: type[CalibrationError]) -> str:
        value = fields.get(self.name, MISSING)
        if not isinstance(value, str) or not re.fullmatch(self.pattern, value):
            raise kind("", self.name, value=value, allowed=self.allowed)
        return value

    def schema(self) -> Schema:
        return {}


class WholeKey(FileKey[int]):
    """A whole number of at least `low`."""

    def __init__(self, about: str, *, low: int) -> None:
        super().__init__(about)
        self.low = low

    def take(self, fields: Fields, kind: type[CalibrationError]) -> int:
        value = fields.get(self.name, MISSING)
        if not isinstance(value, int) or isinstance(value, bool) or value < self.low:
            raise kind("", self.name, value=value, allowed=f"must be a whole number from {self.low}")
        return value

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.low}


class OptionalWholeKey(FileKey[int | None]):
    """A whole number within a range, or null."""

    def __init__(self, about: str, *, low: int, high: int) -> None:
        super().__init__(about)
        self.low, self.high = low, high

    @property
    def is_required(self) -> bool:
        return False

    def take(self, fields: Fields, kind: type[CalibrationError]) -> int | None:
        value = fields.get(self.name)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not self.low <= value <= self.high:
            allowed = f"must be a whole number from {self.low} to {self.high}, or null"
            raise kind("", self.name, value=value, allowed=allowed)
        return value

    def schema(self) -> Schema:
        return {"type": ["integer", "null"], "minimum": self.low, "maximum": self.high}


class NumberKey(FileKey[float]):
    """A finite number within a range."""

    def __init__(self, about: str, *, low: float, high: float) -> None:
        super().__init__(about)
        self.low, self.high = low, high

    def take(self, fields: Fields, kind: type[CalibrationError]) -> float:
        return take_number(fields, self.name, low=self.low, high=self.high, kind=kind)

    def schema(self) -> Schema:
        return {"type": "number", "minimum": self.low, "maximum": self.high}


class SidesKey(FileKey[Point]):
    """A width and a height, each within a range."""

    def __init__(self, about: str, *, low: float, high: float) -> None:
        super().__init__(about)
        self.low, self.high = low, high

    def take(self, fields: Fields, kind: type[CalibrationError]) -> Point:
        width, height = take_numbers(fields, self.name, count=2, kind=kind)
        if not all(self.low <= side <= self.high for side in (width, height)):
            allowed = f"must be {self.low:g} to {self.high:g} each"
            raise kind("", self.name, value=[width, height], allowed=allowed)
        return width, height

    def schema(self) -> Schema:
        side = {"type": "number", "minimum": self.low, "maximum": self.high}
        return {"type": "array", "items": side, "minItems": 2, "maxItems": 2}


class PlaceKey(FileKey[Point]):
    """A point, [x, y] in mm."""

    def take(self, fields: Fields, kind: type[CalibrationError]) -> Point:
        return parse_point(fields.get(self.name, MISSING), self.name, kind)

    def schema(self) -> Schema:
        return _POINT


class OutlineKey(FileKey[tuple[Point, ...]]):
    """A polygon of at least three points."""

    def take(self, fields: Fields, kind: type[CalibrationError]) -> tuple[Point, ...]:
        entries = take_list(fields, self.name, kind)
        if len(entries) < 3:
            raise kind("", self.name, value=entries, allowed="must have at least 3 points")
        return tuple(parse_point(entry, f"{self.name}[{i}]", kind) for i, entry in enumerate(entries))

    def sift(self, fields: Fields, kind: type[CalibrationError]) -> Sifted:
        value, errors = super().sift(fields, kind)
        entries = fields.get(self.name)
        if not errors or not isinstance(entries, Sequence) or isinstance(entries, str) or len(entries) < 3:
            return value, errors
        return value, _refused_points({f"{self.name}[{i}]": entry for i, entry in enumerate(entries)}, kind)

    def schema(self) -> Schema:
        return {"type": "array", "items": _POINT, "minItems": 3}


class NumberedPlacesKey(FileKey[Mapping[int, Point]]):
    """Points by whole numbers; at least one."""

    def take(self, fields: Fields, kind: type[CalibrationError]) -> Mapping[int, Point]:
        places = fields.get(self.name, MISSING)
        if not isinstance(places, Mapping) or not places:
            raise kind("", self.name, value=places, allowed="must map marker numbers to [x, y] in mm")
        return {self._number(key, kind): parse_point(at, f"{self.name}.{key}", kind) for key, at in places.items()}

    def sift(self, fields: Fields, kind: type[CalibrationError]) -> Sifted:
        value, errors = super().sift(fields, kind)
        places = fields.get(self.name)
        if not errors or not isinstance(places, Mapping) or not places:
            return value, errors
        errors = []
        for key in places:
            try:
                self._number(key, kind)
            except CalibrationError as error:
                errors.append(error)
        return value, errors + _refused_points({f"{self.name}.{key}": at for key, at in places.items()}, kind)

    def _number(self, key: object, kind: type[CalibrationError]) -> int:
        if isinstance(key, bool) or not re.fullmatch(_MARKER_NUMBER, str(key)):
            raise kind("", f"{self.name}.{key}", value=key, allowed="marker numbers are whole numbers from 0")
        return int(str(key))

    def schema(self) -> Schema:
        return {
            "type": "object",
            "propertyNames": {"pattern": f"^({_MARKER_NUMBER})$"},
            "additionalProperties": _POINT,
            "minProperties": 1,
        }


class InnerKey(FileKey[object]):
    """A mapping with keys of its own, or null."""

    def __init__(self, about: str, keys: type[FileKeys]) -> None:
        super().__init__(about)
        self.keys = keys

    @property
    def is_required(self) -> bool:
        return False

    def take(self, fields: Fields, kind: type[CalibrationError]) -> object:
        return fields.get(self.name)

    def sift(self, fields: Fields, kind: type[CalibrationError]) -> Sifted:
        entry = fields.get(self.name)
        if entry is None:
            return None, []
        _, errors = self.keys.sift(entry, kind)
        return DROPPED if errors else entry, [error.at("", self.name) for error in errors]

    def schema(self) -> Schema:
        return self.keys.schema() | {"type": ["object", "null"]}


class ManyKey(FileKey[Sequence[object]]):
    """A list of mappings: at least one, or any number or null where it is optional."""

    def __init__(self, about: str, keys: type[FileKeys], *, least: str | None = None) -> None:
        """Declare the key.

        Args:
            about: Description of the key.
            keys: The keys of each mapping.
            least: What an entry is called in messages, if at least one is required; None: the list is optional.
        """
        super().__init__(about)
        self.keys = keys
        self.least = least

    @property
    def is_required(self) -> bool:
        return self.least is not None

    def take(self, fields: Fields, kind: type[CalibrationError]) -> Sequence[object]:
        if self.least is None and fields.get(self.name) is None:
            return ()
        entries = take_list(fields, self.name, kind)
        if not entries and self.least is not None:
            raise kind("", self.name, value=[], allowed=f"must list at least one {self.least}")
        return entries

    def sift(self, fields: Fields, kind: type[CalibrationError]) -> Sifted:
        try:
            entries = self.take(fields, kind)
        except CalibrationError as error:
            return DROPPED, [error]
        kept, errors = list[object](), list[CalibrationError]()
        for i, entry in enumerate(entries):
            _, own = self.keys.sift(entry, kind)
            errors += [error.at("", f"{self.name}[{i}]") for error in own]
            kept.append(DROPPED if own else entry)
        return kept, errors

    def schema(self) -> Schema:
        items = self.keys.schema()
        if self.least is None:
            return {"type": ["array", "null"], "items": items}
        return {"type": "array", "items": items, "minItems": 1}


def parse_point(entry: object, key: str, kind: type[CalibrationError]) -> Point:
    """Parse a point, [x, y] in mm; raise `kind` for anything else."""
    if isinstance(entry, str) or not isinstance(entry, Sequence) or len(entry) != 2:
        raise kind("", key, value=entry, allowed="must be [x, y] in mm")
    if not all(is_number(value) for value in entry):
        raise kind("", key, value=entry, allowed="must be two finite numbers, [x, y] in mm")
    return float(entry[0]), float(entry[1])


def _refused_points(entries: Mapping[str, object], kind: type[CalibrationError]) -> list[CalibrationError]:
    errors = []
    for key, entry in entries.items():
        try:
            parse_point(entry, key, kind)
        except CalibrationError as error:
            errors.append(error)
    return errors


def required_where(key: str, allowed: Schema, *, other: str, value: str) -> Schema:
    """Return a schema that requires `key` to match `allowed` where the key `other` has the given value."""
    return {
        "if": {"properties": {other: {"const": value}}, "required": [other]},
        "then": {"properties": {key: allowed}, "required": [key]},
    }
