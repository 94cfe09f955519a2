"""Settings of a worker process: one thread of its own, and freed memory given back to the system.

Two processes that share their pictures among two threads each wait for one another, busily: a tenth of their time.
glibc keeps what a thread freed in that thread's arena as long as anything above it is in use. A thread that decodes and
encodes pictures now and then so holds more and more memory that nobody uses and that other threads cannot take.
"""

from __future__ import annotations

import ctypes

import cv2


def give_back() -> None:
    """Return all free pages of all threads; takes some milliseconds.

    C libraries other than glibc do so by themselves.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def keep_to_one_thread() -> None:
    """OpenCV begins no threads of its own in this process; models have one each as it is."""
    cv2.setNumThreads(1)
