"""The keys of a YAML mapping, declared once: their allowed values and their meaning.

The parser reads through these declarations, and the JSON Schema of the file is made from them.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Any, ClassVar, Final, Generic, TypeVar

from thirdcard.rules.errors import RulebookPlaceError
from thirdcard.rules.game.words import BET_PATTERN, Bet

Schema = dict[str, Any]
"""A part of a JSON Schema, draft 2020-12."""

_NOT_BLANK = r"\S"
_NUMBER = (
    r"^\s*(?P<number>[0-9]{1,9}([.][0-9]{0,18})?|[.][0-9]{1,18})(\s*(/|:|to\s)\s*(?P<divisor>0*[1-9][0-9]{0,8}))?\s*$"
)
"""`2`, `0.95`, `19/20`, `40:1` or `40 to 1`."""


class Required:
    """The default of a key that must be given."""


REQUIRED: Final = Required()

Value = TypeVar("Value", covariant=True)


class RulebookEntry(ABC, Generic[Value]):
    """One key; its name is that of the attribute that declares it."""

    name: str

    def __init__(self, about: str, *, default: Value | Required = REQUIRED) -> None:
        self.about = about
        self.default = default

    def __set_name__(self, _owner: type, name: str) -> None:
        self.name = name

    def read(self, value: Any, place: str) -> Value:
        """The parsed value.

        Args:
            value: The value in the file.
            place: Its place, for messages.

        Raises:
            RulebookPlaceError: The value is not allowed.
            TypeError: The entry holds further tables, which are read as nodes.
        """
        raise TypeError(f"{place}: {type(self).__name__} is read as a node")

    def reads(self, _value: object) -> bool:
        """Whether the value is read as a whole; one with further tables is not."""
        return True

    @abstractmethod
    def schema(self) -> Schema:
        """The JSON Schema of the value."""

    def parts(self) -> Iterable[type[EntryTable]]:
        """The tables that the value may contain."""
        return ()


class EntryTable:
    """A mapping of the file: one attribute for each key."""

    besides: ClassVar[Schema] = {}
    """Additions to the JSON Schema that concern several keys."""

    @classmethod
    def all(cls) -> tuple[RulebookEntry[Any], ...]:
        """All keys, in order of declaration."""
        return tuple(key for key in vars(cls).values() if isinstance(key, RulebookEntry))


class TextEntry(RulebookEntry[str]):
    """A text; white space counts as one blank."""

    def read(self, value: Any, place: str) -> str:
        if not isinstance(value, str) or not value.strip():
            raise RulebookPlaceError(place, f" = {value}; allowed: a text")
        return " ".join(value.split())

    def schema(self) -> Schema:
        return {"type": "string", "pattern": _NOT_BLANK}


class SectionEntry(RulebookEntry[str | None]):
    """A section, or null where no section says so; the key must be there either way."""

    def read(self, value: Any, place: str) -> str | None:
        if value is not None and not (isinstance(value, str) and value.strip()):
            raise RulebookPlaceError(place, f" = {value}; allowed: a section in quotes, or null")
        return value

    def schema(self) -> Schema:
        return {"type": ["string", "null"], "pattern": _NOT_BLANK}


class FlagEntry(RulebookEntry[bool]):
    """True or false."""

    def __init__(
        self, about: str, *, of: tuple[bool, ...] = (True, False), default: bool | Required = REQUIRED
    ) -> None:
        super().__init__(about, default=default)
        self.values = of

    def read(self, value: Any, place: str) -> bool:
        if not isinstance(value, bool) or value not in self.values:
            allowed = ", ".join(str(one).lower() for one in self.values)
            raise RulebookPlaceError(place, f" = {value}; allowed: {allowed}")
        return value

    def schema(self) -> Schema:
        return {"type": "boolean"} if len(self.values) > 1 else {"const": self.values[0]}


class PayEntry(RulebookEntry[Fraction]):
    """A number or a fraction, exact."""

    def read(self, value: Any, place: str) -> Fraction:
        found = None if isinstance(value, bool) else re.fullmatch(_NUMBER, str(value))
        if found is None:
            raise RulebookPlaceError(place, f" = {value}; allowed: a number, a fraction or odds such as 40 to 1")
        return Fraction(found["number"]) / int(found["divisor"] or 1)

    def schema(self) -> Schema:
        return {
            "type": ["number", "string"],
            "pattern": re.sub("[?]P<[a-z]+>", "", _NUMBER),
            "minimum": 0,
            "maximum": 999_999_999,
        }


Word = TypeVar("Word", bound=StrEnum)


class ChoiceEntry(RulebookEntry[Word]):
    """One word of an enumeration."""

    def __init__(
        self,
        about: str,
        kind: type[Word],
        *,
        of: Iterable[Word] | None = None,
        default: Word | Required | None = REQUIRED,
    ) -> None:
        super().__init__(about, default=default)  # type: ignore[arg-type]
        self.kind = kind
        self.words = tuple(kind if of is None else of)

    def read(self, value: Any, place: str) -> Word:
        text = TextEntry.read(_ANY_TEXT, value, place)
        if text not in self.words:
            raise RulebookPlaceError(place, f" = {text}; allowed: {', '.join(self.words)}")
        return self.kind(text)

    def schema(self) -> Schema:
        return {"enum": [str(word) for word in self.words]}


class NameEntry(RulebookEntry[str]):
    """One of the names allowed."""

    def __init__(self, about: str, names: Iterable[str]) -> None:
        super().__init__(about)
        self.names = tuple(sorted(names))

    def read(self, value: Any, place: str) -> str:
        text = TextEntry.read(_ANY_TEXT, value, place)
        if text not in self.names:
            raise RulebookPlaceError(place, f" = {text}; allowed: {', '.join(self.names)}")
        return text

    def schema(self) -> Schema:
        return {"enum": list(self.names)}


class TextsEntry(RulebookEntry[tuple[str, ...]]):
    """A list of texts, possibly empty."""

    def __init__(
        self, about: str, *, each: Schema | None = None, default: tuple[str, ...] | Required = REQUIRED
    ) -> None:
        """Declare the key.

        Args:
            about: What it means.
            each: Additional schema for each text.
            default: The value where it is missing.
        """
        super().__init__(about, default=default)
        self.each = each or {}

    def read(self, value: Any, place: str) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
            raise RulebookPlaceError(place, f" = {value}; allowed: a list of texts in brackets, such as [winner=tie]")
        return tuple(value)

    def schema(self) -> Schema:
        return {"type": "array", "items": {"type": "string"} | self.each}


class ChoicesEntry(RulebookEntry[tuple[Word, ...]]):
    """A list of words of an enumeration, possibly empty."""

    def __init__(
        self,
        about: str,
        kind: type[Word],
        *,
        default: tuple[Word, ...] | Required = REQUIRED,
        besides: Schema | None = None,
    ) -> None:
        super().__init__(about, default=default)
        self.kind = kind
        self.besides = besides or {}

    def read(self, value: Any, place: str) -> tuple[Word, ...]:
        words = TextsEntry.read(_ANY_TEXTS, value, place)
        for word in words:
            if word not in self.kind.__members__.values():
                raise RulebookPlaceError(place, f" = {word}; allowed: {', '.join(self.kind)}")
        return tuple(self.kind(word) for word in words)

    def schema(self) -> Schema:
        return {"type": "array", "items": {"enum": [str(word) for word in self.kind]}} | self.besides


class BetEntry(RulebookEntry[Bet]):
    """One of the given bets."""

    def __init__(self, about: str, *, of: Iterable[Bet]) -> None:
        super().__init__(about)
        self.bets = tuple(of)

    def read(self, value: Any, place: str) -> Bet:
        if value not in self.bets:
            raise RulebookPlaceError(place, f" = {value}; allowed: {', '.join(self.bets)}")
        return Bet(value)

    def schema(self) -> Schema:
        return {"enum": [str(bet) for bet in self.bets]}


class BetsEntry(RulebookEntry[tuple[Bet, ...]]):
    """A list of bets, possibly empty."""

    def read(self, value: Any, place: str) -> tuple[Bet, ...]:
        names = TextsEntry.read(_ANY_TEXTS, value, place)
        try:
            return tuple(map(Bet, names))
        except ValueError as error:
            raise RulebookPlaceError(place, f" = {value}; allowed: a list of bets") from error

    def schema(self) -> Schema:
        return {"type": "array", "items": {"type": "string", "pattern": BET_PATTERN}}


class WholeEntry(RulebookEntry[int]):
    """A whole number in a range."""

    def __init__(self, about: str, *, low: int, high: int, default: int | Required = REQUIRED) -> None:
        super().__init__(about, default=default)
        self.low, self.high = low, high

    def read(self, value: Any, place: str) -> int:
        if type(value) is not int or not self.low <= value <= self.high:
            raise RulebookPlaceError(place, f" = {value}; allowed: a number from {self.low} to {self.high}")
        return value

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


class WholesEntry(RulebookEntry[frozenset[int]]):
    """A list of whole numbers in a range."""

    def __init__(self, about: str, *, low: int, high: int, plural: str) -> None:
        super().__init__(about)
        self.low, self.high, self.plural = low, high, plural

    def read(self, value: Any, place: str) -> frozenset[int]:
        if not isinstance(value, list) or not all(
            type(entry) is int and self.low <= entry <= self.high for entry in value
        ):
            raise RulebookPlaceError(
                place, f" = {value}; allowed: a list of {self.plural} from {self.low} to {self.high}"
            )
        return frozenset(value)

    def schema(self) -> Schema:
        return {"type": "array", "items": {"type": "integer", "minimum": self.low, "maximum": self.high}}


class ValuesEntry(RulebookEntry[tuple[str | int | bool | None, ...]]):
    """The values of an option: a list that is not empty."""

    def read(self, value: Any, place: str) -> tuple[str | int | bool | None, ...]:
        if not isinstance(value, list) or not value or not all(_is_electable(entry) for entry in value):
            raise RulebookPlaceError(place, f" = {value}; allowed: a list, the default first")
        return tuple(value)

    def schema(self) -> Schema:
        return {"type": "array", "minItems": 1, "items": {"type": ["string", "integer", "boolean", "null"]}}


def _is_electable(value: object) -> bool:
    return value is None or isinstance(value, str | int | bool)


class InnerEntry(RulebookEntry[Mapping[Any, Any]]):
    """A mapping with keys of its own."""

    def __init__(self, about: str, keys: type[EntryTable], *, is_required: bool = True) -> None:
        super().__init__(about, default=REQUIRED if is_required else {})
        self.keys = keys

    def keys_of(self, _value: object) -> type[EntryTable]:
        """The keys that this value may have."""
        return self.keys

    def reads(self, _value: object) -> bool:
        return False

    def schema(self) -> Schema:
        return reference(self.keys)

    def parts(self) -> Iterable[type[EntryTable]]:
        return (self.keys,)


class ManyEntry(RulebookEntry[Sequence[Mapping[Any, Any]]]):
    """A list of mappings that is not empty."""

    def __init__(
        self, about: str, keys: type[EntryTable], *, is_required: bool = True, besides: Schema | None = None
    ) -> None:
        super().__init__(about, default=REQUIRED if is_required else ())
        self.keys = keys
        self.besides = besides or {}

    def reads(self, _value: object) -> bool:
        return False

    def schema(self) -> Schema:
        return {"type": "array", "minItems": 1, "items": reference(self.keys)} | self.besides

    def parts(self) -> Iterable[type[EntryTable]]:
        return (self.keys,)


class NamedEntry(RulebookEntry[Mapping[Any, Any]]):
    """A mapping whose keys are names, each with the same kind of value."""

    def __init__(
        self,
        about: str,
        each: RulebookEntry[Any],
        *,
        required: Iterable[object] = (),
        others: Iterable[object] | None = None,
        besides: tuple[str, str] | None = None,
        is_required: bool = True,
    ) -> None:
        """Declare the names.

        Args:
            about: What the mapping means.
            each: How each value is read.
            required: The names that must be there.
            others: Further names that may be there; None: any.
            besides: A pattern of further allowed names, and its description.
            is_required: Whether the mapping must be there.
        """
        super().__init__(about, default=REQUIRED if is_required else {})
        self.each = each
        self.required = tuple(str(name) for name in required)
        self.others = None if others is None else tuple(str(name) for name in others)
        self.pattern: str | None = None if besides is None else besides[0]
        self.names_about = "" if besides is None else besides[1]

    def allows(self, name: object) -> bool:
        """Whether the name is allowed."""
        if self.pattern is not None and re.fullmatch(self.pattern, str(name)):
            return True
        return self.others is None or str(name) in (*self.required, *self.others)

    def reads(self, _value: object) -> bool:
        return False

    def schema(self) -> Schema:
        each = self.each.schema() | ({"description": self.each.about} if self.each.about else {})
        known = (*self.required, *(self.others or ()))
        found: Schema = {"type": "object", "additionalProperties": each if self.others is None else False}
        if known:
            found["properties"] = dict.fromkeys(known, each)
        if self.pattern is not None:
            found["patternProperties"] = {self.pattern: each}
        if self.required:
            found["required"] = list(self.required)
        return found

    def parts(self) -> Iterable[type[EntryTable]]:
        return self.each.parts()


def reference(keys: type[EntryTable]) -> Schema:
    """A schema reference to a mapping's definition."""
    return {"$ref": f"#/$defs/{_definition_name(keys)}"}


def definitions(keys: type[EntryTable]) -> dict[str, Schema]:
    """The schema definitions of all mappings that this one may contain, by name."""
    found: dict[str, Schema] = {}
    waiting = [inner for key in keys.all() for inner in key.parts()]
    while waiting:
        part = waiting.pop(0)
        if _definition_name(part) not in found:
            found[_definition_name(part)] = mapping_schema(part)
            waiting += [inner for key in part.all() for inner in key.parts()]
    return found


def mapping_schema(keys: type[EntryTable]) -> Schema:
    """The JSON Schema of a mapping."""
    schema: Schema = {
        "title": (keys.__doc__ or "").rstrip("."),
        "type": "object",
        "additionalProperties": False,
        "properties": {key.name: key.schema() | {"description": key.about} for key in keys.all()},
    }
    required = [key.name for key in keys.all() if key.default is REQUIRED]
    return schema | ({"required": required} if required else {}) | keys.besides


def _definition_name(keys: type[EntryTable]) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", keys.__name__.removesuffix("Keys")).lower()


_ANY_TEXT = TextEntry("")
_ANY_TEXTS = TextsEntry("")
