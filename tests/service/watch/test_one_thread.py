"""Processes that work side by side: one thread each."""

from __future__ import annotations

import cv2

from thirdcard.service.review.worker import worker_pool


def threads() -> int:
    """In a process that has begun."""
    return int(cv2.getNumThreads())


def nothing() -> None:
    """Done at a process's beginning."""


def test_a_process_that_reviews_has_one_thread_for_its_pictures() -> None:
    with worker_pool(1, nothing) as pool:
        assert pool.submit(threads).result() == 1
