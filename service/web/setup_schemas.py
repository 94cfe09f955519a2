"""Tables' set-ups as JSON; files are in base64."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from thirdcard.service.config.place_folder import CameraFitFacts
from thirdcard.service.ports.moments import Moment
from thirdcard.service.setup.problems import SetupProblem
from thirdcard.service.tables.differences import FileChange
from thirdcard.service.tables.file_set import MOST_BYTES, MOST_FILES
from thirdcard.service.tables.setups import KnownTable, SetupView
from thirdcard.service.tables.table_acts import Made
from thirdcard.service.web.requests import LARGEST_ID, Incoming, Reason

LARGEST_BODY_BYTES = MOST_BYTES * 4 // 3 + 200_000
"""All files in base64, and their names."""


def _base64(text: str) -> str:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("must be base64") from error
    return text


Content = Annotated[str, AfterValidator(_base64)]
FileName = Annotated[str, StringConstraints(min_length=1, max_length=600)]


class WhyIn(Incoming):
    """The reason for an act on a table."""

    why: Reason | None = None


class SetupIn(WhyIn):
    """A whole set-up."""

    files: dict[FileName, Content] = Field(
        min_length=1,
        max_length=MOST_FILES,
        description="each file of the table's folder by its name, in base64; table.yaml among them",
    )

    def contents(self) -> dict[str, bytes]:
        """The decoded files, by name."""
        return {name: base64.b64decode(content) for name, content in self.files.items()}


class SetupQuery(Incoming):
    """The version of a set-up."""

    version: Annotated[int, Field(ge=1, le=LARGEST_ID)] | None = Field(
        default=None, description="a number; left out: the version in force"
    )


class SetupOut(BaseModel):
    """One version of a set-up."""

    version: int
    origin: str
    """file, change or restore."""
    restored: int | None
    made_by: str
    made_at: Moment
    why: str | None
    digest: str
    """SHA-256 over all files."""
    files: dict[str, str]
    """The SHA-256 of each file, by name."""
    films: list[str]
    """Named files that are not stored with the version."""

    @classmethod
    def of(cls, setup: SetupView) -> SetupOut:
        """The JSON model of a version."""
        fields = {name: getattr(setup, name) for name in cls.model_fields if hasattr(setup, name)}
        fields |= {"origin": str(setup.origin), "files": setup.digests, "films": sorted(setup.films)}
        return cls.model_validate(fields)


class FileChangeOut(BaseModel):
    """A file that differs from the previous version."""

    name: str
    what: str
    lines: list[str]
    """A unified diff; empty where the file is not a text."""

    @classmethod
    def of(cls, change: FileChange) -> FileChangeOut:
        """The JSON model of a change."""
        return cls(name=change.name, what=change.what, lines=list(change.lines))


class SetupFilesOut(BaseModel):
    """One version with its files; a camera's address has no user and password."""

    table: str
    state: str
    """watched or stopped."""
    setup: SetupOut
    contents: dict[str, str]
    """Each file in base64, by name."""
    changes: list[FileChangeOut]
    """The differences from the previous version."""

    @classmethod
    def of(
        cls, known: KnownTable, setup: SetupView, shown: dict[str, bytes], changes: Iterable[FileChange]
    ) -> SetupFilesOut:
        """The JSON model of a version with its files."""
        return cls(
            table=known.table_id,
            state=str(known.wanted),
            setup=SetupOut.of(setup),
            contents={name: base64.b64encode(content).decode() for name, content in shown.items()},
            changes=[FileChangeOut.of(change) for change in changes],
        )


class ProblemOut(BaseModel):
    """A problem of a set-up."""

    grade: str
    where: str
    key: str
    value: Any = None
    say: str

    @classmethod
    def of(cls, problem: SetupProblem) -> ProblemOut:
        """The JSON model of a problem."""
        return cls.model_validate(problem.as_json())


class CameraFitOut(BaseModel):
    """The last refit of a camera that was moved."""

    at: str
    text: str
    moved_mm: float
    within_mm: float
    """The error in mm that nine cases of ten stay below."""
    is_used: bool
    """Whether the table is watched with it; otherwise a person must check it first."""

    @classmethod
    def of(cls, facts: CameraFitFacts) -> CameraFitOut:
        """The JSON model of a refit."""
        return cls(**asdict(facts))


class MadeOut(BaseModel):
    """The result of an act on a table."""

    table: str
    version: int | None
    """The version now in force; null where files read again are refused."""
    problems: list[ProblemOut]

    @classmethod
    def of(cls, made: Made) -> MadeOut:
        """The JSON model of the result."""
        return cls(
            table=made.table_id, version=made.version, problems=[ProblemOut.of(problem) for problem in made.problems]
        )
