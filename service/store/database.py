"""Open the database: SQLite in the service's folder, or PostgreSQL at a URL; opening migrates it to the newest version.

SQLite writers take the lock when their transaction starts, not at the first write, so that two of them wait for each
other instead of failing. A committed transaction is on the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.orm import Session

from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store.row_record import follow_rows
from thirdcard.service.store.touched import follow_changes
from thirdcard.service.store.turn import wait_for_migrations

MIGRATIONS = Path(__file__).with_name("migrations")
BUSY_S = 30
CONNECT_S = 10
"""The connection timeout in seconds."""
T = TypeVar("T")
_WRITING = {"is_writing": True}
_ONE_MOMENT: dict[str, Any] = {"isolation_level": "REPEATABLE READ"}
"""As SQLite does by default: all reads of one transaction see the same state."""


class DatabaseError(ServiceError):
    """The database cannot be opened."""


class WritingSession(Session):
    """Marks the hours whose tallies its changes affect, and records the rows that it changes."""


follow_changes(WritingSession)
follow_rows(WritingSession)


class Database:
    """Sessions of one database.

    Args:
        engine: The connections.
        writer: A thread in which `write` runs; None for the caller's thread.
    """

    def __init__(self, engine: Engine, writer: Executor | None = None) -> None:
        self.engine = engine
        self._writer = writer
        self.after_writing: list[Callable[[], None]] = []
        """Called after each commit of this process that may concern what is displayed."""

    @contextmanager
    def writing(self, *, is_shown: bool = True) -> Iterator[Session]:
        """A session whose changes are on the disk when the block ends, all or none.

        Args:
            is_shown: Whether the changes are displayed at once; if not, the callbacks of `after_writing` are not
                called.
        """
        with (
            self.engine.connect().execution_options(**_WRITING) as connection,
            WritingSession(connection) as session,
            session.begin(),
        ):
            yield session
        for tell in self.after_writing if is_shown else ():
            tell()

    def write(self, work: Callable[[Session], T]) -> T:
        """Run `work` in one transaction and return its result; its changes are then on the disk.

        SQLite has one writer at a time. A low-priority thread that holds its lock on a busy machine blocks everybody,
        also threads of high priority: such a process passes `writer`, a thread of normal priority.

        Raises:
            SQLAlchemyError: The database does not answer. Whether the changes were committed is unknown.
        """

        def transact() -> T:
            with self.writing() as session:
                return work(session)

        return transact() if self._writer is None else self._writer.submit(transact).result()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that sees one consistent state of the database."""
        options = _ONE_MOMENT if self.engine.dialect.name == "postgresql" else {}
        with self.engine.connect().execution_options(**options) as connection, Session(connection) as session:
            yield session

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def open_database(url: str, writer: Executor | None = None) -> Database:
    """Open the database, and create or migrate its tables.

    Args:
        url: The database's address.
        writer: A thread in which `Database.write` runs.

    Raises:
        DatabaseError: The address is not valid, or no database answers there.
    """
    try:
        engine = _engine(url)
        _migrate(engine)
    except (ArgumentError, SQLAlchemyError, ImportError, OSError) as error:
        reason = " ".join(str(getattr(error, "orig", None) or error).split())
        raise DatabaseError(f"database = {_shown(url)}; cannot be opened: {reason}") from error
    return Database(engine, writer)


def sqlite_url(path: Path) -> str:
    """The URL of an SQLite file."""
    return f"sqlite:///{path}"


def _engine(url: str) -> Engine:
    parsed = make_url(url)
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    if not parsed.drivername.startswith("sqlite"):
        return create_engine(
            parsed, pool_pre_ping=True, pool_size=8, max_overflow=24, connect_args={"connect_timeout": CONNECT_S}
        )
    engine = create_engine(parsed, connect_args={"timeout": BUSY_S}, pool_size=8, max_overflow=24)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # the driver begins no transaction itself: `_begin_sqlite` does
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", f"busy_timeout = {BUSY_S * 1000}"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    is_writing = connection.get_execution_options().get("is_writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")


def _migrate(engine: Engine) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.connect() as connection:
        if MigrationContext.configure(connection).get_current_revision() == _newest_revision(config):
            return  # nobody has to wait for a lock when nothing changes
    with engine.connect().execution_options(**_WRITING) as connection, connection.begin():
        wait_for_migrations(connection)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _newest_revision(config: Config) -> str | None:
    return ScriptDirectory.from_config(config).get_current_head()


def _shown(url: str) -> str:
    """The URL without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return url.split("@")[-1]
