"""Drafts of tables: each is a folder whose files are written step by step.

A draft is not watched, and can be left and resumed. `new-tables/B07/` holds `draft.yaml`, the camera's picture, and the
files of the future table.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from thirdcard.calibration.documents import read_document
from thirdcard.calibration.errors import CalibrationError, DocumentError
from thirdcard.calibration.layout import BET_PATTERN
from thirdcard.service.config.data_folder import Home
from thirdcard.service.config.parse_errors import table_error_from
from thirdcard.service.config.table_file import (
    MOST_ID_BYTES,
    MOST_ID_CHARACTERS,
    Limits,
    OptionValue,
    ShoeFile,
    TableId,
)
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.setup.problems import Grade, SetupProblem
from thirdcard.service.tables.file_set import write_file
from thirdcard.vision.addresses import public_text
from thirdcard.vision.errors import VisionError

DRAFT, STILL, LAYOUT, OVERHEAD, CHIPS = "draft.yaml", "still.jpg", "layout.yaml", "overhead.yaml", "chips.yaml"
LENS, VIEWS = "lens.yaml", "board"
"""The lens calibration, and the folder of its views."""
MOST_AREAS, MOST_CORNERS, MOST_POINTS = 400, 200, 2000
"""A full table of fourteen seats has a hundred areas, a circle 24 corners."""
MOST_DRAFTS = 50
Number = Annotated[float, Field(ge=-1e5, le=1e5, allow_inf_nan=False)]
Place = tuple[Number, Number]
Word = Annotated[str, Field(min_length=1, max_length=80)]


class StepError(ServiceError):
    """The step's input cannot be used; earlier results stay."""

    def __init__(self, message: str, *, problems: tuple[SetupProblem, ...] = (), field: str | None = None) -> None:
        self.problems, self.field = problems, field
        super().__init__(public_text(message))


def _spoiled(error: Exception) -> StepError:
    return StepError(f"{error}. What was begun cannot be used; drop this table and begin again.")


class NoSuchDraftError(ServiceError):
    """There is no draft of that name."""


class DraftStateError(ServiceError):
    """A table of that name exists already, or an earlier step is not done."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class CameraPart(_Model):
    """The saved camera."""

    source: str
    """A film's path, a URL with user and password, or a device."""
    transport: Literal["tcp", "udp", "auto"] = "auto"
    size_px: tuple[int, int]


class SketchArea(_Model):
    """One drawn area."""

    id: Word
    kind: Word
    hand: Literal["player", "banker"] | None = None
    seat: Annotated[int, Field(ge=1, le=99)] | None = None
    bet: Annotated[str, Field(pattern=BET_PATTERN)] | None = None
    name: Word | None = None
    polygon: list[Place] = Field(min_length=3, max_length=MOST_CORNERS)
    """Millimetres from the cloth's top left corner."""


class Sketch(_Model):
    """A cloth drawn onto the picture."""

    name: Word = "drawn"
    size_mm: tuple[Number, Number]
    frame_mm: tuple[Number, Number, Number, Number]
    """Left, top, width and depth in mm of the rectangle whose corners were clicked: the whole cloth, or a part
    of it."""
    corners_px: list[Place] = Field(default_factory=list, max_length=4)
    """Its corners in pixels: top left, top right, bottom right, bottom left, with the dealer's edge up."""
    areas: list[SketchArea] = Field(default_factory=list, max_length=MOST_AREAS)


class HousePart(_Model):
    """The house's choices."""

    rulebook: Word
    options: dict[str, OptionValue] = Field(default_factory=dict)
    shoe: ShoeFile = Field(default_factory=ShoeFile)
    limits: Limits = Field(default_factory=Limits)
    card_mm: tuple[Number, Number] = (63.0, 88.0)
    gestures: list[Literal["no_more_bets"]] = Field(default_factory=list)


class DraftFile(_Model):
    """The content of `draft.yaml`."""

    camera: CameraPart | None = None
    cloth: str | None = None
    """The chosen cloth: a built-in name, `table:` and a table's id, or `drawn`."""
    sketch: Sketch | None = None
    points: dict[str, Place] = Field(default_factory=dict, max_length=MOST_POINTS)
    """Reference points in pixels of the picture."""
    chips: str | None = None
    """The source of the chips: a built-in name, `own` or `enrolled`."""
    house: HousePart | None = None


@dataclass(frozen=True, slots=True)
class NewTable:
    """A draft of one table."""

    folder: Path

    @property
    def table_id(self) -> str:
        """The table's id."""
        return self.folder.name

    def read(self) -> DraftFile:
        """The saved content.

        Raises:
            StepError: The file is damaged.
        """
        try:
            return DraftFile.model_validate(dict(read_document(self.folder / DRAFT)))
        except DocumentError as error:
            raise _spoiled(error) from error
        except ValidationError as error:
            raise _spoiled(table_error_from(error, DraftFile, str(self.folder / DRAFT))) from error

    def change(self, **parts: Any) -> None:
        """Replace parts of `draft.yaml`; the file is replaced atomically."""
        changed = DraftFile.model_validate({**dict(self.read()), **parts})
        text = yaml.safe_dump(changed.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
        write_file(self.folder / DRAFT, text.encode())

    def has(self, name: str) -> bool:
        """Whether the draft has that file."""
        return (self.folder / name).is_file()

    def put(self, name: str, content: bytes) -> None:
        """Write a file of the draft atomically."""
        write_file(self.folder / name, content)

    def take_away(self, *names: str) -> None:
        """Delete files that are no longer valid."""
        for name in names:
            (self.folder / name).unlink(missing_ok=True)

    def needed(self, name: str, say: str) -> Path:
        """The path of a file that a step needs.

        Raises:
            DraftStateError: It does not exist yet.
        """
        if not self.has(name):
            raise DraftStateError(say)
        return self.folder / name

    def states(self) -> dict[str, bool]:
        """Each step, and whether it is done."""
        file = self.read()
        return {
            "camera": file.camera is not None,
            "cloth": self.has(LAYOUT),
            "calibration": self.has(OVERHEAD),
            "chips": self.has(CHIPS),
            "house": file.house is not None,
        }


@dataclass(frozen=True, slots=True)
class Drafts:
    """The drafts in a service's folder."""

    home: Home

    def all(self) -> list[NewTable]:
        """All drafts, sorted by name."""
        return [NewTable(path.parent) for path in sorted(self.home.new_tables.glob(f"*/{DRAFT}"))]

    def find(self, table_id: str) -> NewTable:
        """The draft with that id.

        Raises:
            NoSuchDraftError: There is none.
        """
        found = next((one for one in self.all() if one.table_id == table_id), None)
        if found is None:
            raise NoSuchDraftError(f"Nobody has begun a table {table_id}.")
        return found

    def begin(self, table_id: str) -> NewTable:
        """Create a draft.

        Raises:
            StepError: The id is not allowed, or there are too many drafts.
            DraftStateError: A draft or table of that id exists already.
        """
        try:
            TypeAdapter(TableId).validate_python(table_id)
        except ValidationError as error:
            rest = r"not begin with a dot, have no blank at its ends, and hold no / \ + # and no invisible character"
            say = f"must be 1 to {MOST_ID_CHARACTERS} characters, at most {MOST_ID_BYTES} bytes, {rest}"
            raise StepError(f"id = {table_id}; {say}", field="table") from error
        if any(one.table_id == table_id for one in self.all()):
            raise DraftStateError(f"{table_id} is begun already; take it up again, or drop it.")
        if (self.home.tables / table_id).exists() or (self.home.tables / f"{table_id}.yaml").exists():
            raise DraftStateError(f"There is a table {table_id} already; choose another name, or change its set-up.")
        if len(self.all()) >= MOST_DRAFTS:
            raise StepError(f"{MOST_DRAFTS} tables are begun; finish or drop one first.")
        draft = NewTable(self.home.new_tables / table_id)
        draft.folder.mkdir(parents=True, exist_ok=True)
        draft.put(DRAFT, b"{}\n")
        return draft

    def drop(self, table_id: str) -> None:
        """Delete a draft.

        Raises:
            NoSuchDraftError: There is none of that id.
        """
        shutil.rmtree(self.find(table_id).folder)


@contextmanager
def in_words() -> Iterator[None]:
    """Turn errors of a fit, a camera or a file into a StepError with the same text."""
    try:
        yield
    except (StepError, DraftStateError):
        raise
    except (CalibrationError, VisionError, ServiceError) as error:
        raise StepError(str(error), field=getattr(error, "key", None)) from error


def refuse_wrong(problems: list[SetupProblem]) -> tuple[SetupProblem, ...]:
    """The doubtful points among the problems.

    Raises:
        StepError: At least one problem is an error.
    """
    bad = tuple(one for one in problems if one.grade is Grade.WRONG)
    if bad:
        raise StepError("\n".join(map(str, bad)), problems=bad)
    return tuple(problems)
