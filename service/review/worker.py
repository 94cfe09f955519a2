"""The processes of a review: lowest priority, one thread each, and ending with their parent or by its order.

They use large memory pages: repeated passes over pictures of 6 MB then cost a twentieth less.
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
"""Live watches go before recordings."""
LARGE_PAGES = ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")
"""Requested from the C library at the start of a process: memory pages of 2 MB for pictures, where the system
has them."""
LOOK_S = 1.0
"""Seconds between checks that the parent is still there."""


@contextmanager
def worker_pool(processes: int, begin: Callable[..., None], *arguments: object) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes that each begin with `begin(*arguments)`; the first starts when there is work.

    If the block is left by an error, as when somebody stops the review, they end at once.
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    os.nice(NICENESS)
    keep_to_one_thread()
    threading.Thread(target=_leave, args=(parent, is_over), daemon=True).start()
    begin(*arguments)


def _leave(parent: int, is_over: Event) -> None:
    """End this process when asked to, or when its parent is gone for any reason."""
    while not is_over.wait(LOOK_S) and os.getppid() == parent:
        pass
    os._exit(1)
