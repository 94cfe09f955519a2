"""Start a table's process with low priority, except for its database transactions.

Tables are always busy, pages for milliseconds only, so tables yield. But a table that holds the database lock while the
machine runs others delays pages, alerts and all other tables (priority inversion: L. Sha, R. Rajkumar, J. P. Lehoczky,
"Priority Inheritance Protocols", 1990). On Linux each thread has its own niceness: the thread that writes to the
database starts before the process lowers its priority, and keeps its own.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

NICENESS = 10
TABLE_PROCESS = "thirdcard.service.live.table_process"
"""Imported late: the import takes seconds, and must have low priority too."""


def start_table(home: Path, table_file: Path, service: Connection) -> None:
    """The main function of the process.

    Args:
        home: The service's folder.
        table_file: The table.
        service: Where messages go and orders come from.
    """
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="database") as writer:
        writer.submit(threading.get_native_id).result()  # the thread has started
        is_own_process = multiprocessing.parent_process() is not None
        if is_own_process and threading.current_thread() is threading.main_thread():
            os.nice(max(NICENESS - os.nice(0), 0))
        importlib.import_module(TABLE_PROCESS).run_table(home, table_file, service, writer)
