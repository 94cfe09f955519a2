"""Let one process at a time watch a table: what an earlier one left is written before the next reads it.

A service that was killed leaves its tables' processes behind for a moment; the lock goes with the process, however it
ends.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from thirdcard.service.ports.errors import ServiceError

LOOK_S = 0.1
PATIENCE_S = 30.0
"""Longer than a process that was left behind takes to leave."""


class WatchedElsewhereError(ServiceError):
    """Another process watches the table."""


@contextmanager
def watching_alone(path: Path, is_wanted: Callable[[], bool], *, patience_s: float = PATIENCE_S) -> Iterator[bool]:
    """Wait until no other process of this machine watches the table, and keep others away meanwhile.

    Args:
        path: The lock's file; made where it is not there.
        is_wanted: Whether somebody still wants to have the table watched.
        patience_s: So long others are waited for.

    Yields:
        Whether the table is to be watched: False where nobody wants it any more.

    Raises:
        WatchedElsewhereError: Another process does not leave.
    """
    with path.open("a") as file:
        deadline = time.monotonic() + patience_s
        while is_wanted() and not _lock(file):
            if time.monotonic() > deadline:
                raise WatchedElsewhereError(
                    f"{path}: another process watches this table; is the service running twice?"
                )
            time.sleep(LOOK_S)
        yield is_wanted()


def _lock(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
