"""The errors of layouts, chip sets and calibrations, each with a text of one line."""

from __future__ import annotations

import re
from typing import Self

MISSING = object()
"""Stands for the value of a missing key."""

_LONGEST_VALUE = 80
_BLANKS = re.compile(r"[ \t\r\n]+")


def show_value(value: object) -> str:
    """Return a value as one short line of text, in quotes where YAML would read it as something else without them."""
    if value is MISSING:
        return "(missing)"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    found = value if isinstance(value, str) else str(value)
    text = "".join(one if one.isprintable() else _escaped(one) for one in _BLANKS.sub(" ", found))
    if not isinstance(value, str):
        text = text.strip()
    text = text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 4] + " ..."
    return f'"{text}"' if isinstance(value, str) and _needs_quotes(value) else text


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()


def _needs_quotes(text: str) -> bool:
    """Whether YAML reads a text without quotes as a number, a truth value, null or a date, or drops a part of it."""
    if not text.isprintable() or text != text.strip():
        return True
    import yaml  # only where a text is shown: the start of a command stays light

    tag = yaml.resolver.Resolver().resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    return bool(tag != yaml.resolver.BaseResolver.DEFAULT_SCALAR_TAG)


class CalibrationError(Exception):
    """The root of this package's errors; its text is `where: key = value; allowed`."""

    def __init__(self, where: str, key: str = "", *, value: object = MISSING, allowed: str) -> None:
        self.where = where
        self.key = key
        self.value = value
        self.allowed = allowed
        found = f"{key} = {show_value(value)}; " if key else ""
        super().__init__(f"{where}: {found}{allowed}")

    def at(self, where: str, prefix: str = "") -> Self:
        """Return the same error with its place: the file, and the path of the key in it."""
        joint = "." if prefix and self.key and not self.key.startswith("[") else ""
        return type(self)(where, f"{prefix}{joint}{self.key}", value=self.value, allowed=self.allowed)


class DocumentError(CalibrationError):
    """A file is missing, cannot be read, or is not a YAML mapping."""


class NoSuchNameError(CalibrationError):
    """A reference names neither a file nor anything built in."""


class LayoutError(CalibrationError):
    """A layout's value is not allowed."""


class ChipsError(CalibrationError):
    """A chip set's value is not allowed."""


class CameraError(CalibrationError):
    """A calibration's value is not allowed."""


class PoseMissingError(CalibrationError):
    """A point above the cloth was to be mapped by a calibration that knows only the plane."""


class FitError(CalibrationError):
    """The given points or markers do not determine a camera."""
