"""The versions of every table's set-up: their rows in the database, and their files in `setups/` of the home.

A version's folder is whole before its row is there, and never changes afterwards. What has no row is no version.
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
"""Begins the name of a folder that is no version yet."""


class SetupError(ServiceError):
    """Something cannot be done with a table's set-up."""


class NoSuchSetupError(SetupError):
    """There is no such table, or no such version of it."""


class SpoiledSetupError(SetupError):
    """A version's files are not those that were kept."""


class Wanted(StrEnum):
    """What is to become of a table."""

    WATCHED = "watched"
    STOPPED = "stopped"
    GONE = "gone"
    """Its files were deleted; its versions are still there."""


class SetupOrigin(StrEnum):
    """Where a version came from."""

    FILE = "file"
    """Somebody changed the files in `tables/`."""
    CHANGE = "change"
    """It was sent as a whole."""
    RESTORE = "restore"
    """It is an older one once more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """Who makes a version, when, why, and out of what."""

    who: str
    now: datetime
    why: str | None = None
    origin: SetupOrigin = SetupOrigin.CHANGE
    restored: int | None = None
    """Which one is restored."""


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
    """Where each film lies, from the home on, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTable:
    """A table that the service knows, and the version that is in force."""

    table_id: str
    wanted: Wanted
    changed_by: str
    changed_at: datetime
    is_placed: bool
    """Whether the files in `tables/` are those of the version."""
    setup: SetupView


@contextmanager
def acting_alone(home: Home) -> Iterator[None]:
    """Keep every other process and thread from changing set-ups meanwhile; waits for its turn."""
    home.setups.mkdir(parents=True, exist_ok=True)
    with (home.setups / ".lock").open("a") as lock:
        flock(lock, LOCK_EX)
        yield


def folder_of(home: Home, table_id: str, version: int) -> Path:
    """Where a version's files lie."""
    return home.setups / table_id / str(version)


def table_file_of(home: Home, setup: SetupView) -> Path:
    """The table's file of a version, which is what a table's process loads."""
    return folder_of(home, setup.table_id, setup.version) / TABLE


@contextmanager
def drafted(home: Home, table_id: str, files: FileSet) -> Iterator[Path]:
    """The folder of a set-up that is no version yet; what is left of it at the end goes."""
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
    """Make a draft the next version, and the one in force, in a transaction that the caller ends; gives its number."""
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
    """Every table but those that are gone, by id."""
    both = select(WatchedTableRow, SetupRow).join(
        SetupRow,
        (SetupRow.table_id == WatchedTableRow.table_id) & (SetupRow.version == WatchedTableRow.version),
    )
    rows = session.execute(both.order_by(WatchedTableRow.table_id)).all()
    return [_known(table, setup) for table, setup in rows if table.state != Wanted.GONE]


def find_known(session: Session, table_id: str) -> KnownTable:
    """One of them.

    Raises:
        NoSuchSetupError: There is no such table.
    """
    found = next((one for one in list_known(session) if one.table_id == table_id), None)
    if found is None:
        raise NoSuchSetupError("There is no such table.")
    return found


def list_versions(session: Session, table_id: str) -> list[SetupView]:
    """All versions of a table, the newest first; none of one that never was."""
    rows = session.scalars(select(SetupRow).where(SetupRow.table_id == table_id).order_by(SetupRow.version.desc()))
    return [_view(row) for row in rows]


def find_version(session: Session, table_id: str, version: int) -> SetupView:
    """One of them.

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
        SpoiledSetupError: They are not as they were kept.
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
    """Delete what broken attempts left behind."""
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
