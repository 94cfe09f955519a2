"""Let one process at a time watch a table: the previous one has written everything before the next one reads.

A killed service leaves its tables' processes running for a moment; the lock ends with the process, however that ends.
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
"""Longer than such a process takes to end, seconds."""


class WatchedElsewhereError(ServiceError):
    """Another process watches the table."""


@contextmanager
def watching_alone(path: Path, is_wanted: Callable[[], bool], *, patience_s: float = PATIENCE_S) -> Iterator[bool]:
    """Wait until no other process of this machine watches the table, and keep others away meanwhile.

    Args:
        path: The lock's file; created if missing.
        is_wanted: Whether the table is still to be watched.
        patience_s: How long to wait for others, in seconds.

    Yields:
        Whether the table is to be watched: False if that is no longer wanted.

    Raises:
        WatchedElsewhereError: Another process does not end.
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
