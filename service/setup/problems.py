"""Problems of a table's set-up: file, key, value, and what is allowed or what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from thirdcard.calibration.errors import MISSING, CalibrationError, show_value
from thirdcard.service.ports.errors import TableError
from thirdcard.vision.addresses import public_text, public_value

NOTHING: object = object()
"""Stands for a value in problems that are not about a single one."""


class Grade(StrEnum):
    """The severity of a problem."""

    WRONG = "wrong"
    """The table must not be watched: it cannot be, or somebody would be accused wrongly."""
    DOUBTFUL = "doubtful"
    """A person should check it: it may be intended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupProblem:
    """A problem of a table's set-up."""

    grade: Grade
    where: str
    """The file, or the thing that was checked."""
    key: str = ""
    """The path to the value in the file; empty for the whole file."""
    value: object = NOTHING
    """The value found; MISSING where the key is not there."""
    say: str
    """What is allowed and, where needed, what to do."""

    def __str__(self) -> str:
        found = self.key if self.value is NOTHING else f"{self.key} = {show_value(self.value)}"
        found = f"{found}{': ' if self.value is NOTHING else '; '}" if self.key else ""
        return f"{self.where}: {found}{self.say}"

    def as_json(self) -> Mapping[str, object]:
        """A mapping for JSON; without `value` where there is none."""
        value = {} if self.value is NOTHING or self.value is MISSING else {"value": self.value}
        return {"grade": str(self.grade), "where": self.where, "key": self.key, **value, "say": self.say}


def wrong(where: str, key: str = "", *, value: object = NOTHING, say: str) -> SetupProblem:
    """A problem that forbids watching the table."""
    return SetupProblem(grade=Grade.WRONG, where=where, key=key, value=public_value(value), say=public_text(say))


def doubtful(where: str, key: str = "", *, value: object = NOTHING, say: str) -> SetupProblem:
    """A problem that a person should check."""
    return SetupProblem(grade=Grade.DOUBTFUL, where=where, key=key, value=public_value(value), say=public_text(say))


def refused(error: Exception) -> SetupProblem:
    """The problem for a parser's error."""
    if isinstance(error, TableError | CalibrationError):
        return wrong(error.where, error.key, value=error.value, say=error.allowed)
    where, _, said = str(error).partition(": ")
    return wrong(where, say=said) if said else wrong("set-up", say=where)
