"""The service's folder: tables, database, evidence, and files that are only used while it runs."""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from thirdcard.service.config.output_files import OutputPathError
from thirdcard.service.config.pseudonyms import KEY_FILE
from thirdcard.service.config.rulebook_files import SETUPS
from thirdcard.service.config.table_file import TableConfig, load_table
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store.database import Database, open_database, sqlite_url
from thirdcard.vision.inference.model_spec import MODELS_VARIABLE

_OWN_ENDINGS = (".yaml", ".db", ".db-wal", ".db-shm", ".turn")
PRIVATE = 0o077
"""Permissions on the service's files that other users of the machine do not get."""
URL_VARIABLE = "THIRDCARD_DATABASE_URL"


class HomeError(ServiceError):
    """The folder cannot be used."""


@dataclass(frozen=True, slots=True)
class Home:
    """The paths in the service's folder."""

    folder: Path

    @property
    def tables(self) -> Path:
        """The watched tables: a file each, or a folder with a `table.yaml`."""
        return self.folder / "tables"

    @property
    def new_tables(self) -> Path:
        """Tables whose set-up has begun."""
        return self.folder / "new-tables"

    @property
    def setups(self) -> Path:
        """Every version of each table's files; the newest of each is watched."""
        return self.folder / SETUPS

    @property
    def evidence(self) -> Path:
        """Clips and stills."""
        return self.folder / "evidence"

    @property
    def ring(self) -> Path:
        """The latest video of every camera, as it was sent."""
        return self.folder / "ring"

    @property
    def live(self) -> Path:
        """The newest picture and state of every table."""
        return self.folder / "live"

    def place(self, table_id: str) -> Path:
        """The folder that describes where one table's camera is."""
        return self.live / f"{table_id}.place"

    def refuse_output(self, path: Path, *, option: str) -> None:
        """Refuse an output's path that is one of the service's own.

        Raises:
            OutputPathError: It is.
        """
        place, home = path.resolve(), self.folder.resolve()
        own = [
            home / name for name in ("tables", "new-tables", SETUPS, "rulebooks", "models", "evidence", "ring", "live")
        ]
        is_own_file = place.parent == home and (place.suffix in _OWN_ENDINGS or place.name == KEY_FILE)
        if place == home or is_own_file or any(place.is_relative_to(folder) for folder in own):
            raise OutputPathError(f"{option} = {path}; must not be among the service's own files")

    def make(self) -> None:
        """Create missing folders, and make them unreadable for other users of the machine.

        From then on, new files of this process are readable only for its own user.

        Raises:
            HomeError: It is no folder, or cannot be written.
        """
        os.umask(PRIVATE)
        try:
            for folder in (self.folder, self.tables, self.setups, self.evidence, self.ring, self.live):
                folder.mkdir(parents=True, exist_ok=True)
            self._close_to_others()
        except OSError as error:
            allowed = "must be a folder that can be written"
            raise HomeError(f"--home = {self.folder}; {allowed}: {error.strerror}") from error

    def _close_to_others(self) -> None:
        """Remove other users' permissions; files of another owner are left alone."""
        for folder in (self.folder, self.tables, self.setups, self.evidence, self.ring, self.live):
            with suppress(PermissionError):
                folder.chmod(0o777 & ~PRIVATE)
        for file in (*self.folder.iterdir(), *self.tables.iterdir()):
            if file.is_file() and (file.suffix in _OWN_ENDINGS or file.name == KEY_FILE):
                with suppress(PermissionError):
                    file.chmod(0o666 & ~PRIVATE)

    def open_database(self, environment: Mapping[str, str], writer: Executor | None = None) -> Database:
        """Open the database that the environment names, else the one in the folder.

        Args:
            environment: Of the process.
            writer: A thread that `Database.write` runs in.
        """
        return open_database(environment.get(URL_VARIABLE) or sqlite_url(self.folder / "thirdcard.db"), writer)

    def use_models(self, environment: MutableMapping[str, str]) -> None:
        """Make this process and its children use the folder's own models, if it has any.

        Models that the environment names already are kept.
        """
        models = self.folder / "models"
        if not environment.get(MODELS_VARIABLE) and (models / "registry.yaml").is_file():
            environment[MODELS_VARIABLE] = str(models.resolve())

    def load_tables(self) -> list[TableConfig]:
        """Load every table of the folder, sorted by the name of its file or folder.

        Raises:
            HomeError: Two tables have the same id.
            ServiceError: A table's file cannot be used.
        """
        found: dict[str, TableConfig] = {}
        for path in table_files(self.tables):
            table = load_table(path)
            if table.id in found:
                first = found[table.id].path.relative_to(self.tables)
                raise HomeError(f"{path}: id = {table.id}; {first} has the same")
            found[table.id] = table
        return list(found.values())


def table_files(folder: Path) -> list[Path]:
    """The tables' files in a folder, sorted: `B07.yaml`, or `B07/table.yaml`."""
    found = [*folder.glob("*.yaml"), *folder.glob("*/table.yaml")]
    return sorted(path for path in found if not path.relative_to(folder).parts[0].startswith("."))
