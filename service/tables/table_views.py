"""Tables and the versions of their set-ups for display."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thirdcard.calibration.errors import CalibrationError
from thirdcard.service.config.data_folder import Home
from thirdcard.service.config.place_folder import CameraFitFacts, PlaceFolder
from thirdcard.service.config.table_file import load_table
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store.database import Database
from thirdcard.service.tables.differences import FileChange, differences
from thirdcard.service.tables.gathering import as_shown
from thirdcard.service.tables.setups import (
    KnownTable,
    NoSuchSetupError,
    SetupView,
    SpoiledSetupError,
    find_known,
    find_version,
    list_versions,
    read_files,
    table_file_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldVersion:
    """A version, its files, and its differences from the previous version."""

    table: KnownTable
    setup: SetupView
    shown: dict[str, bytes]
    """The files by name, without the users and passwords of cameras."""
    changes: Sequence[FileChange]


def known_table(database: Database, table_id: str) -> KnownTable | None:
    """A table known to the service; None where there is none with that id."""
    with database.reading() as session:
        try:
            return find_known(session, table_id)
        except NoSuchSetupError:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFit:
    """The last refit of a camera that was moved after the set-up in force was made."""

    folder: PlaceFolder
    facts: CameraFitFacts


def camera_fit_of(home: Home, database: Database, table_id: str) -> KeptFit | None:
    """The last refit of a live table's camera; None where it was not moved, or the set-up changed since."""
    known = known_table(database, table_id)
    if known is None:
        return None
    try:
        table = load_table(table_file_of(home, known.setup))
    except (ServiceError, CalibrationError):
        return None
    folder = PlaceFolder(home.place(table_id))
    facts = folder.fit(table)
    return None if facts is None else KeptFit(folder=folder, facts=facts)


def told_version(home: Home, database: Database, table_id: str, version: int | None) -> ToldVersion:
    """A version of a table's set-up; without a number the one in force.

    Raises:
        NoSuchSetupError: There is no such table or version.
        SpoiledSetupError: Its files were changed.
    """
    with database.reading() as session:
        table = find_known(session, table_id)
        setup = table.setup if version is None else find_version(session, table_id, version)
        before = find_version(session, table_id, setup.version - 1) if setup.version > 1 else None
    shown = as_shown(read_files(home, setup))
    return ToldVersion(table=table, setup=setup, shown=shown, changes=_changes(home, before, shown))


def told_changes(home: Home, database: Database, table_id: str) -> list[tuple[SetupView, Sequence[FileChange]]]:
    """All versions of a table, the newest first, each with its differences from the previous one."""
    with database.reading() as session:
        versions = list_versions(session, table_id)
    shown = {one.version: _shown(home, one) for one in versions}
    return [(one, differences(shown.get(one.version - 1, {}), shown[one.version])) for one in versions]


def _changes(home: Home, before: SetupView | None, shown: dict[str, bytes]) -> list[FileChange]:
    return differences({} if before is None else _shown(home, before), shown)


def _shown(home: Home, setup: SetupView) -> dict[str, bytes]:
    try:
        return as_shown(read_files(home, setup))
    except SpoiledSetupError:
        return {}
