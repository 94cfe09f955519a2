"""The errors of layouts, chip sets and calibrations, each with a text of one line."""

from __future__ import annotations

from typing import Self

MISSING = object()
"""Stands for the value of a missing key."""

_LONGEST_VALUE = 80


def show_value(value: object) -> str:
    """Return a value as one short line of text."""
    if value is MISSING:
        return "(missing)"
    text = "null" if value is None else " ".join(str(value).split())
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 4] + " ..."


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
