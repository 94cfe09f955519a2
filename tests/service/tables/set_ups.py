"""A service's folder with tables that have correct set-ups, and acts on them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.service.hand_clock import HandClock
from tests.service.setup.broken import Setup, good_setup
from thirdcard.service.config.data_folder import Home
from thirdcard.service.store.database import Database
from thirdcard.service.tables.file_set import FileSet
from thirdcard.service.tables.setups import find_known, list_versions, read_files
from thirdcard.service.tables.table_acts import TableActs


def sent_files(setup: Setup, folder: Path) -> dict[str, bytes]:
    """The files of a set-up as sent by a person, without its film."""
    folder.mkdir(parents=True, exist_ok=True)
    setup.write(folder)
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "video.mp4"}


def write_table(home: Home, name: str, setup: Setup | None = None) -> Path:
    """Write a table into a folder of its own, as by hand; returns the table's file."""
    setup = setup or good_setup()
    setup.table["id"] = name
    folder = home.tables / name
    folder.mkdir(parents=True, exist_ok=True)
    return setup.write(folder)


@dataclass(slots=True)
class House:
    """A folder, its database, and a person who acts."""

    home: Home
    database: Database
    clock: HandClock

    def acts(self, who: str = "ada") -> TableActs:
        """The acts of that person."""
        return TableActs(home=self.home, database=self.database, now=self.clock, who=who)

    def in_force(self, table_id: str = "B07") -> tuple[int, FileSet]:
        """The version in force, and its files."""
        with self.database.reading() as session:
            setup = find_known(session, table_id).setup
        return setup.version, read_files(self.home, setup)

    def versions(self, table_id: str = "B07") -> list[tuple[int, str, str, str | None]]:
        """All versions, the newest first: number, origin, who, why."""
        with self.database.reading() as session:
            return [(one.version, str(one.origin), one.made_by, one.why) for one in list_versions(session, table_id)]

    def limit(self, table_id: str = "B07") -> int:
        """The maximum bet by the version in force."""
        limit: int = yaml.safe_load(self.in_force(table_id)[1].files["table.yaml"])["limits"]["maximum"]
        return limit

    def on_disk(self, table_id: str = "B07") -> dict[str, bytes]:
        """The files in the table's own folder, by name."""
        folder = self.home.tables / table_id
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def with_limit(maximum: int, table_id: str = "B07") -> Setup:
    """A correct set-up with another maximum bet."""
    setup = good_setup()
    setup.table["id"] = table_id
    setup.table["limits"]["maximum"] = maximum
    return setup
