"""Start tables' processes by forking one that has already imported their program: the fork server.

The import takes most of a start's processor time. A house of eight tables imports once instead of eight times, and
shares the memory. The fork server opens no file, camera, model or database. The only threads that its imports start
belong to libraries of linear algebra, which handle forks.

Where the fork server does not work, a table's process starts by itself and imports its program again. So it does on
systems other than Linux, whose own libraries may not survive a fork. If the fork server is killed, all its processes
count as ended and are started again.
"""

from __future__ import annotations

import logging
import multiprocessing
import sys
from collections.abc import Callable
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path

from thirdcard.service.live.table_start import TABLE_PROCESS

logger = logging.getLogger(__name__)

HAS_FORK_SERVER = sys.platform == "linux"


def start_fork_server() -> None:
    """Start the fork server ahead of the first table, so that it imports while the caller does other work."""
    if not HAS_FORK_SERVER:
        return
    multiprocessing.set_forkserver_preload(["__main__", TABLE_PROCESS])
    try:
        forkserver.ensure_running()
    except OSError as error:
        logger.warning("tables' processes cannot be forked and start by themselves: %s", error)


def begin_process(
    body: Callable[[Path, Path, Connection], None], home: Path, table_file: Path, theirs: Connection
) -> BaseProcess:
    """Start a table's process on this machine.

    Args:
        body: The process's function.
        home: The service's folder.
        table_file: The table.
        theirs: The process's end of the pipe; closed here.

    Raises:
        OSError: The system cannot start another process.
    """

    def begin(context: ForkServerContext | SpawnContext) -> BaseProcess:
        name = f"table-{table_file.stem}"
        process = context.Process(target=body, args=(home, table_file, theirs), name=name, daemon=True)
        process.start()
        return process

    try:
        if not HAS_FORK_SERVER:
            return begin(multiprocessing.get_context("spawn"))
        start_fork_server()
        try:
            return begin(multiprocessing.get_context("forkserver"))
        except (OSError, EOFError) as error:
            logger.warning("%s: its process cannot be forked and starts by itself: %r", table_file, error)
            return begin(multiprocessing.get_context("spawn"))
    finally:
        theirs.close()
