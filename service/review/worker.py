"""The processes of a review: last in turn, one thread each, gone with the one that began them or with its wish.

Their memory comes in large pages: pictures of 6 MB that are gone over again and again cost a twentieth less so.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.synchronize import Event

from thirdcard.service.watch.process_tuning import keep_to_one_thread

NICENESS = 19
"""What is watched live goes before what was recorded."""
LARGE_PAGES = ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")
"""Asked of the C library as a process begins: pictures in memory pages of 2 MB where the system has them."""
LOOK_S = 1.0
"""So often a process looks whether the one that began it is still there."""


@contextmanager
def worker_pool(processes: int, begin: Callable[..., None], *arguments: object) -> Iterator[ProcessPoolExecutor]:
    """Processes that each begin with `begin(*arguments)`, the first when there is something to do.

    Where the block is left by an error, as when somebody stops the review, they end at once, amid what they do.
    """
    os.environ.setdefault(*LARGE_PAGES)
    context = get_context("spawn")
    is_over = context.Event()
    pool = ProcessPoolExecutor(
        processes, context, initializer=_begin, initargs=(os.getpid(), is_over, begin, arguments)
    )
    try:
        yield pool
    except BaseException:
        is_over.set()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _begin(parent: int, is_over: Event, begin: Callable[..., None], arguments: tuple[object, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one that began this one
    os.nice(NICENESS)
    keep_to_one_thread()
    threading.Thread(target=_leave, args=(parent, is_over), daemon=True).start()
    begin(*arguments)


def _leave(parent: int, is_over: Event) -> None:
    """End this process when it is asked to, or the one that began it is gone, however it went."""
    while not is_over.wait(LOOK_S) and os.getppid() == parent:
        pass
    os._exit(1)
