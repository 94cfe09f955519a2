"""Processes that work side by side: one thread each."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import cv2

from service.review.local_engine import _begin


def threads() -> int:
    """In a process that has begun."""
    return int(cv2.getNumThreads())


def test_a_process_that_reviews_has_one_thread_for_its_pictures() -> None:
    context = get_context("spawn")
    with ProcessPoolExecutor(1, context, initializer=_begin, initargs=(context.Queue(), os.getpid())) as pool:
        assert pool.submit(threads).result() == 1
