"""What is wrong, or doubtful, about a table's set-up: file, key, value, and what is allowed or what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from thirdcard.calibration.errors import MISSING as NO_VALUE
from thirdcard.calibration.errors import CalibrationError, show_value
from thirdcard.service.ports.errors import MISSING, TableError
from thirdcard.vision.addresses import public_text, public_value


class Grade(StrEnum):
    """How bad a problem is."""

    WRONG = "wrong"
    """The table must not be watched so: it cannot be, or somebody would be accused without a fault."""
    DOUBTFUL = "doubtful"
    """A person should look: it may be meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupProblem:
    """One of them."""

    grade: Grade
    where: str
    """The file, or what was looked at."""
    key: str = ""
    """The way to the value in the file; empty where it concerns the whole."""
    value: object = MISSING
    say: str
    """What is allowed, and where that does not suffice, what to do."""

    def __str__(self) -> str:
        found = f"{self.key} = {show_value(NO_VALUE if self.value is MISSING else self.value)}; " if self.key else ""
        return f"{self.where}: {found}{self.say}"

    def as_json(self) -> Mapping[str, object]:
        """As a mapping for programs; without `value` where there is none."""
        value = {} if self.value is MISSING else {"value": self.value}
        return {"grade": str(self.grade), "where": self.where, "key": self.key, **value, "say": self.say}


def wrong(where: str, key: str = "", *, value: object = MISSING, say: str) -> SetupProblem:
    """A problem with which the table must not be watched."""
    return SetupProblem(grade=Grade.WRONG, where=where, key=key, value=public_value(value), say=public_text(say))


def doubtful(where: str, key: str = "", *, value: object = MISSING, say: str) -> SetupProblem:
    """A problem at which a person should look."""
    return SetupProblem(grade=Grade.DOUBTFUL, where=where, key=key, value=public_value(value), say=public_text(say))


def refused(error: Exception) -> SetupProblem:
    """What a parser refused."""
    if isinstance(error, TableError):
        return wrong(error.where, error.key, value=error.value, say=error.allowed)
    if isinstance(error, CalibrationError):
        value = MISSING if error.value is NO_VALUE else error.value
        return wrong(error.where, error.key, value=value, say=error.allowed)
    where, _, said = str(error).partition(": ")
    return wrong(where, say=said) if said else wrong("set-up", say=where)
