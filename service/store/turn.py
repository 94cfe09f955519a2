"""A lock that one process of a database holds at a time, across a transaction and its report to another process.

SQLite's own lock would make every writer wait. So this is another lock: on a file beside SQLite's, or an advisory lock
of the PostgreSQL server. It is released when its process or connection ends, however it ends.
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
"""Seconds between two attempts to take the lock."""
ENDING = ".turn"
"""The ending of the file beside SQLite's."""
SEALING, MIGRATING = 0x7468_6401, 0x7468_6402
"""Numbers of PostgreSQL's advisory locks; they must only differ from other programs' in the same database."""
_OWN_RIGHTS = 0o600


class TurnTakenError(ServiceError):
    """Another process holds the lock for too long."""


@contextmanager
def turn(engine: Engine, patience_s: float) -> Iterator[None]:
    """Wait for the lock, and hold it while the block runs.

    Args:
        engine: The database's connections.
        patience_s: The longest wait for another process, in seconds.

    Raises:
        TurnTakenError: Another process holds it longer.
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
    """Keep other processes from migrating the database until this transaction ends; SQLite does so by itself."""
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
