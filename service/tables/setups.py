"""The versions of every table's set-up: rows in the database, and files in `setups/` of the home folder.

A version's folder is complete before its row is added, and never changes afterwards. A folder without a row is not a
version.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from fcntl import LOCK_EX, flock
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from thirdcard.service.config.data_folder import Home
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.setup.table_check import TABLE
from thirdcard.service.store.setup_schema import SetupRow, WatchedTableRow
from thirdcard.service.tables.file_set import FileSet, move_folder, sync_folder, write_folder

DRAFT = ".new-"
"""The prefix of a folder that is not a version yet."""


class SetupError(ServiceError):
    """An operation on a table's set-up failed."""


class NoSuchSetupError(SetupError):
    """There is no such table, or no such version of it."""


class SpoiledSetupError(SetupError):
    """The files of a version were changed."""


class Wanted(StrEnum):
    """The wanted state of a table."""

    WATCHED = "watched"
    STOPPED = "stopped"
    GONE = "gone"
    """Its files were deleted; its versions still exist."""


class SetupOrigin(StrEnum):
    """The origin of a version."""

    FILE = "file"
    """The files in `tables/` were changed by hand."""
    CHANGE = "change"
    """A complete new set-up was sent."""
    RESTORE = "restore"
    """An older version was restored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """Who makes a version, when and why, and its origin."""

    who: str
    now: datetime
    why: str | None = None
    origin: SetupOrigin = SetupOrigin.CHANGE
    restored: int | None = None
    """The number of the restored version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupView:
    """One version of a table's set-up."""

    table_id: str
    version: int
    origin: SetupOrigin
    restored: int | None
    made_by: str
    made_at: datetime
    why: str | None
    digest: str
    digests: dict[str, str]
    """The SHA-256 of each file, by name."""
    films: dict[str, str]
    """The path of each film relative to the home folder, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTable:
    """A table known to the service, and its version in force."""

    table_id: str
    wanted: Wanted
    changed_by: str
    changed_at: datetime
    is_placed: bool
    """Whether the files in `tables/` are those of the version."""
    setup: SetupView


@contextmanager
def acting_alone(home: Home) -> Iterator[None]:
    """Hold the lock on all set-ups, against other processes and threads; waits for it."""
    home.setups.mkdir(parents=True, exist_ok=True)
    with (home.setups / ".lock").open("a") as lock:
        flock(lock, LOCK_EX)
        yield


def folder_of(home: Home, table_id: str, version: int) -> Path:
    """The folder of a version's files."""
    return home.setups / table_id / str(version)


def table_file_of(home: Home, setup: SetupView) -> Path:
    """The table file of a version, which the table's process loads."""
    return folder_of(home, setup.table_id, setup.version) / TABLE


@contextmanager
def drafted(home: Home, table_id: str, files: FileSet) -> Iterator[Path]:
    """A temporary folder with a set-up that is not a version yet; what remains of it is deleted at the end."""
    folder = home.setups / table_id
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    draft = Path(mkdtemp(prefix=DRAFT, dir=folder))
    try:
        draft.rmdir()
        write_folder(draft, files, home=home.folder)
        yield draft
    finally:
        rmtree(draft, ignore_errors=True)
        if is_new and not any(folder.iterdir()):
            folder.rmdir()


def record(session: Session, home: Home, table_id: str, files: FileSet, draft: Path, making: Making) -> int:
    """Make a draft the next version, in force at once; returns its number. The caller commits the transaction."""
    newest = session.scalar(select(func.max(SetupRow.version)).where(SetupRow.table_id == table_id)) or 0
    version = newest + 1
    move_folder(draft, folder_of(home, table_id, version))
    sync_folder(home.setups)
    told = {"files": files.digests(), "films": dict(sorted(files.films.items()))}
    session.add(
        SetupRow(
            table_id=table_id,
            version=version,
            origin=str(making.origin),
            restored=making.restored,
            made_by=making.who,
            made_at=making.now,
            why=making.why,
            digest=files.digest,
            files=json.dumps(told),
        )
    )
    row = session.get(WatchedTableRow, table_id)
    if row is None:
        row = WatchedTableRow(table_id=table_id, state=str(Wanted.WATCHED))
        session.add(row)
    elif row.state == Wanted.GONE:
        row.state = str(Wanted.WATCHED)
    row.version, row.is_placed = version, False
    row.changed_by, row.changed_at = making.who, making.now
    return version


def list_known(session: Session) -> list[KnownTable]:
    """Every known table except deleted ones, by id."""
    both = select(WatchedTableRow, SetupRow).join(
        SetupRow,
        (SetupRow.table_id == WatchedTableRow.table_id) & (SetupRow.version == WatchedTableRow.version),
    )
    rows = session.execute(both.order_by(WatchedTableRow.table_id)).all()
    return [_known(table, setup) for table, setup in rows if table.state != Wanted.GONE]


def find_known(session: Session, table_id: str) -> KnownTable:
    """A known table.

    Raises:
        NoSuchSetupError: There is no such table.
    """
    found = next((one for one in list_known(session) if one.table_id == table_id), None)
    if found is None:
        raise NoSuchSetupError("There is no such table.")
    return found


def list_versions(session: Session, table_id: str) -> list[SetupView]:
    """All versions of a table, the newest first; empty for an unknown table."""
    rows = session.scalars(select(SetupRow).where(SetupRow.table_id == table_id).order_by(SetupRow.version.desc()))
    return [_view(row) for row in rows]


def find_version(session: Session, table_id: str, version: int) -> SetupView:
    """One version of a table.

    Raises:
        NoSuchSetupError: There is no such version.
    """
    row = session.scalar(select(SetupRow).where(SetupRow.table_id == table_id, SetupRow.version == version))
    if row is None:
        raise NoSuchSetupError(f"There is no version {version} of this table.")
    return _view(row)


def read_files(home: Home, setup: SetupView) -> FileSet:
    """A version's files.

    Raises:
        SpoiledSetupError: The files were changed.
    """
    folder = folder_of(home, setup.table_id, setup.version)
    try:
        files = FileSet(files={name: (folder / name).read_bytes() for name in setup.digests}, films=setup.films)
    except OSError as error:
        raise SpoiledSetupError(f"{folder}: cannot be read: {error.strerror}") from error
    spoiled = [name for name, digest in files.digests().items() if digest != setup.digests[name]]
    if spoiled:
        raise SpoiledSetupError(f"{folder / spoiled[0]}: was changed since it was kept; no version can be made of it")
    return files


def drop_drafts(home: Home) -> None:
    """Delete the remains of failed attempts."""
    for draft in home.setups.glob(f"*/{DRAFT}*"):
        rmtree(draft, ignore_errors=True)


def changed_names(before: SetupView | None, after: SetupView) -> Sequence[str]:
    """The files that differ between two versions, by name."""
    old = {} if before is None else before.digests | before.films
    new = after.digests | after.films
    return sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))


def _known(table: WatchedTableRow, setup: SetupRow) -> KnownTable:
    return KnownTable(
        table_id=table.table_id,
        wanted=Wanted(table.state),
        changed_by=table.changed_by,
        changed_at=table.changed_at,
        is_placed=table.is_placed,
        setup=_view(setup),
    )


def _view(row: SetupRow) -> SetupView:
    told = json.loads(row.files)
    return SetupView(
        table_id=row.table_id,
        version=row.version,
        origin=SetupOrigin(row.origin),
        restored=row.restored,
        made_by=row.made_by,
        made_at=row.made_at,
        why=row.why,
        digest=row.digest,
        digests=told["files"],
        films=told["films"],
    )
