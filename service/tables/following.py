"""Watch the tables that the database wants watched, with the set-ups in force.

Changes come from this process, from the command line or from another machine: all of them write to the database, which
is read here at intervals. After a failed read the next try follows soon.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, overload

from sqlalchemy.exc import SQLAlchemyError

from thirdcard.calibration.errors import CalibrationError
from thirdcard.rules.errors import RulesError
from thirdcard.service.config.data_folder import Home
from thirdcard.service.config.table_facts import TableFacts, facts_of
from thirdcard.service.config.table_file import TableConfig, load_table
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store.database import Database
from thirdcard.service.tables.setups import KnownTable, Wanted, list_known, table_file_of

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 2.0
"""Seconds until a change by another process takes effect; changes by this process take effect at once."""
STOP_S = 10.0
"""Longer than any read takes, even with a busy database."""


class Watching(Protocol):
    """Starts and stops the watch of tables."""

    def watch(self, table_id: str, table_file: Path) -> None:
        """Watch a table; with a new set-up, an already watched table changes over after the current round."""

    def unwatch(self, table_id: str) -> None:
        """Stop watching a table."""

    def wanted(self) -> dict[str, Path]:
        """The set-ups that are watched or will be next, by table id."""

    def running(self) -> dict[str, Path]:
        """The set-ups that are watched now, by table id."""


class FactsOfTables(Sequence[TableFacts]):
    """The present facts of the tables from their files; changes while the service runs."""

    def __init__(self) -> None:
        self._facts: tuple[TableFacts, ...] = ()

    def put(self, facts: Sequence[TableFacts]) -> None:
        """Replace the facts."""
        self._facts = tuple(facts)

    def __iter__(self) -> Iterator[TableFacts]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    @overload
    def __getitem__(self, index: int) -> TableFacts: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[TableFacts]: ...
    def __getitem__(self, index: int | slice) -> TableFacts | Sequence[TableFacts]:
        return self._facts[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """The parsed files of a version."""

    config: TableConfig
    facts: TableFacts


@dataclass(slots=True)
class Following:
    """Keeps the watched tables of one service in line with its database."""

    home: Home
    database: Database
    watching: Watching
    facts: FactsOfTables
    tables: MutableMapping[str, TableConfig]
    """Each table as it is watched now, by id; kept up to date."""
    _shown: dict[str, Path] = field(default_factory=dict)
    """The table file that `tables` and `facts` report, by id."""
    _read: dict[Path, _Read] = field(default_factory=dict)
    _due: threading.Event = field(default_factory=threading.Event)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def learn(self, known: Sequence[KnownTable]) -> None:
        """Load the facts of all tables before any table is watched.

        Raises:
            ServiceError: A file cannot be used.
        """
        for one in known:
            self._show(one.table_id, table_file_of(self.home, one.setup))
        self._tell()

    def start(self) -> None:
        """Read the database now and then at intervals."""
        self._look()
        self.database.after_writing.append(self.wake)
        self._thread = threading.Thread(target=self._run, name="set-ups", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop reading the database."""
        self._stopping.set()
        self._due.set()
        if self._thread is not None:
            self._thread.join(STOP_S)

    def wake(self) -> None:
        """Read the database soon: something may have changed."""
        self._due.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._due.wait(LOOK_EVERY_S)
            self._due.clear()
            if self._stopping.is_set():
                return
            try:
                self._look()
            except Exception:  # the thread must not end: tables could not be changed any more
                logger.exception("which tables are to be watched could not be followed")

    def _look(self) -> None:
        try:
            with self.database.reading() as session:
                known = list_known(session)
        except SQLAlchemyError as error:
            logger.warning("which tables are to be watched cannot be read: %s", error)
            return
        self._follow(known)
        self._show_running(known)

    def _follow(self, known: Sequence[KnownTable]) -> None:
        wanted = {one.table_id: table_file_of(self.home, one.setup) for one in known if one.wanted is Wanted.WATCHED}
        watched = self.watching.wanted()
        for table_id in watched.keys() - wanted.keys():
            self.watching.unwatch(table_id)
        for table_id, path in wanted.items():
            if watched.get(table_id) != path:
                self._do(table_id, path, self._watch)

    def _watch(self, table_id: str, path: Path) -> None:
        if table_id not in self._shown:
            self._show(table_id, path)
            self._tell()
        self.watching.watch(table_id, path)

    def _show_running(self, known: Sequence[KnownTable]) -> None:
        """Make pages and signal checks use the set-up with which each table is watched now."""
        now = {one.table_id: table_file_of(self.home, one.setup) for one in known} | self.watching.running()
        if now == self._shown:
            return
        for table_id in self._shown.keys() - now.keys():
            del self._shown[table_id], self.tables[table_id]
        for table_id, path in now.items():
            if self._shown.get(table_id) != path:
                self._do(table_id, path, self._show)
        self._tell()

    def _show(self, table_id: str, path: Path) -> None:
        if path not in self._read:
            config = load_table(path)
            self._read[path] = _Read(config=config, facts=facts_of(config))
        self._shown[table_id], self.tables[table_id] = path, self._read[path].config

    def _tell(self) -> None:
        self._read = {path: self._read[path] for path in self._shown.values()}
        self.facts.put([self._read[path].facts for _, path in sorted(self._shown.items())])

    @staticmethod
    def _do(table_id: str, path: Path, act: Callable[[str, Path], None]) -> None:
        """Bring one table in line; after an error the other tables go on, and it is tried again."""
        try:
            act(table_id, path)
        except (ServiceError, RulesError, CalibrationError, OSError) as error:
            logger.error("table %s: its set-up cannot be used: %s", table_id, error, extra={"table": table_id})
