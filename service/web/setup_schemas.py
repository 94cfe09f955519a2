"""Tables' set-ups as JSON; files go as base64."""

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
    """Why something is done with a table."""

    why: Reason | None = None


class SetupIn(WhyIn):
    """A whole set-up."""

    files: dict[FileName, Content] = Field(
        min_length=1,
        max_length=MOST_FILES,
        description="each file of the table's folder by its name, in base64; table.yaml among them",
    )

    def contents(self) -> dict[str, bytes]:
        """The files."""
        return {name: base64.b64decode(content) for name, content in self.files.items()}


class SetupQuery(Incoming):
    """Which version."""

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
    """Files that are named and not kept with the version."""

    @classmethod
    def of(cls, setup: SetupView) -> SetupOut:
        """What is sent of a version."""
        fields = {name: getattr(setup, name) for name in cls.model_fields if hasattr(setup, name)}
        fields |= {"origin": str(setup.origin), "files": setup.digests, "films": sorted(setup.films)}
        return cls.model_validate(fields)


class FileChangeOut(BaseModel):
    """A file that differs from the version before."""

    name: str
    what: str
    lines: list[str]
    """A unified difference; none of what is no text."""

    @classmethod
    def of(cls, change: FileChange) -> FileChangeOut:
        """What is sent of it."""
        return cls(name=change.name, what=change.what, lines=list(change.lines))


class SetupFilesOut(BaseModel):
    """One version with its files; a camera's address shows neither user nor password."""

    table: str
    state: str
    """watched or stopped."""
    setup: SetupOut
    contents: dict[str, str]
    """Each file in base64, by name."""
    changes: list[FileChangeOut]
    """What differs from the version before."""

    @classmethod
    def of(
        cls, known: KnownTable, setup: SetupView, shown: dict[str, bytes], changes: Iterable[FileChange]
    ) -> SetupFilesOut:
        """What is sent of a version."""
        return cls(
            table=known.table_id,
            state=str(known.wanted),
            setup=SetupOut.of(setup),
            contents={name: base64.b64encode(content).decode() for name, content in shown.items()},
            changes=[FileChangeOut.of(change) for change in changes],
        )


class ProblemOut(BaseModel):
    """What is wrong or doubtful about a set-up."""

    grade: str
    where: str
    key: str
    value: Any = None
    say: str

    @classmethod
    def of(cls, problem: SetupProblem) -> ProblemOut:
        """What is sent of it."""
        return cls.model_validate(problem.as_json())


class CameraFitOut(BaseModel):
    """The last fit of a camera that was moved."""

    at: str
    text: str
    moved_mm: float
    within_mm: float
    """How far it may be off at most, in nine cases of ten."""
    is_used: bool
    """Whether the table is watched with it; else a person should look at it first."""

    @classmethod
    def of(cls, facts: CameraFitFacts) -> CameraFitOut:
        """What is sent of it."""
        return cls(**asdict(facts))


class MadeOut(BaseModel):
    """What was done with a table."""

    table: str
    version: int | None
    """In force now; null where files that were read anew are refused."""
    problems: list[ProblemOut]

    @classmethod
    def of(cls, made: Made) -> MadeOut:
        """What is sent of it."""
        return cls(
            table=made.table_id, version=made.version, problems=[ProblemOut.of(problem) for problem in made.problems]
        )
