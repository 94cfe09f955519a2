"""What the processes of a review have in common: last in turn, one thread each, gone with the one that began them."""

from __future__ import annotations

import os
import threading
import time

from service.one_thread import keep_to_one_thread

NICENESS = 19
"""What is watched live goes before what was recorded."""


def begin_worker(parent: int) -> None:
    """Begin a process that works for the process `parent`."""
    os.nice(NICENESS)
    keep_to_one_thread()
    threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()


def _leave_with(parent: int) -> None:
    """End this process when the one that began it is gone, however it went."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
