"""Give freed memory back to the system.

glibc keeps what a thread freed, in an arena of that thread's own, as long as anything above it is in use. A thread that
decodes and encodes pictures now and then so holds more and more that nobody uses; the other threads cannot take it.
"""

from __future__ import annotations

import ctypes

_TRIM = getattr(ctypes.CDLL(None), "malloc_trim", None)
"""None where the C library is not glibc; those others give back by themselves."""


def give_back() -> None:
    """Return all free pages of all threads; takes some milliseconds."""
    if _TRIM is not None:
        _TRIM(0)
