"""A turn that only one process of a database has at a time, across a transaction and its report to another process.

SQLite's own lock would keep every writer waiting meanwhile. So a turn is a lock of its own: of a file beside SQLite's,
of the server with PostgreSQL. It ends with the process or connection that has it, however these end.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from sqlalchemy import Connection, Engine, text

from thirdcard.service.ports.errors import ServiceError

LOOK_S = 0.05
"""How often it is looked whether the turn is free."""
ENDING = ".turn"
"""Of the file beside SQLite's."""
SEALING, MIGRATING = 0x7468_6401, 0x7468_6402
"""Numbers of PostgreSQL's advisory locks; they must only differ from other programs' in the same database."""
_OWN_RIGHTS = 0o600


class TurnTakenError(ServiceError):
    """Another process has the turn for long."""


@contextmanager
def turn(engine: Engine, patience_s: float) -> Iterator[None]:
    """Wait for the turn, and have it while the block runs.

    Args:
        engine: The database's connections.
        patience_s: So long another process may have it.

    Raises:
        TurnTakenError: It has it longer.
    """
    with ExitStack() as held:
        take = _file_turn(engine, held) if engine.dialect.name == "sqlite" else _server_turn(engine, held)
        waits = int(patience_s / LOOK_S)
        while not take():
            if not waits:
                raise TurnTakenError(f"another process has had its turn for {patience_s:g} s")
            waits -= 1
            time.sleep(LOOK_S)
        yield


def wait_for_migrations(connection: Connection) -> None:
    """Let nobody else bring the database up to date until this transaction ends; SQLite lets nobody in any case."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": MIGRATING})


def _file_turn(engine: Engine, held: ExitStack) -> Callable[[], bool]:
    file = os.open(f"{engine.url.database}{ENDING}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _OWN_RIGHTS)
    held.callback(os.close, file)

    def take() -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    return take


def _server_turn(engine: Engine, held: ExitStack) -> Callable[[], bool]:
    connection = held.enter_context(engine.connect().execution_options(isolation_level="AUTOCOMMIT"))

    def take() -> bool:
        if not connection.scalar(text("SELECT pg_try_advisory_lock(:number)"), {"number": SEALING}):
            return False
        held.callback(connection.scalar, text("SELECT pg_advisory_unlock(:number)"), {"number": SEALING})
        return True

    return take
