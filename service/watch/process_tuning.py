"""Tune a worker process: one thread of its own, and freed memory returned to the system.

Two processes that each process pictures with two threads spend a tenth of their time waiting for one another. glibc
keeps what a thread freed in that thread's arena as long as anything above it is in use. A thread that decodes and
encodes pictures now and then so holds more and more unused memory that other threads cannot use.
"""

from __future__ import annotations

import ctypes

import cv2


def give_back() -> None:
    """Return all free memory pages of all threads to the system; takes some milliseconds.

    C libraries other than glibc do so by themselves.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def keep_to_one_thread() -> None:
    """Stop OpenCV from starting threads in this process; the models have one thread each anyway."""
    cv2.setNumThreads(1)
