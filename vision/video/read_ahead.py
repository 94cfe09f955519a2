"""Have the system read what a file holds next while what came before is looked at: nobody waits for the disk."""

from __future__ import annotations

import os
from contextlib import suppress
from types import TracebackType

AHEAD_BYTES = 32 << 20
"""Some ten seconds of one who watches a recording at 20 times its speed."""
PIECE_BYTES = 512 << 10
"""Systems read no more at one wish than their disks take at once."""


class ReadAhead:
    """One file that is read from somewhere on; does nothing where the system takes no such wishes."""

    def __init__(self, path: str) -> None:
        """Takes the file; one that cannot be opened is nobody's trouble here."""
        self._file: int | None = None
        self._asked_bytes = -1
        """Up to where it was asked for; -1 before the first wish."""
        if hasattr(os, "posix_fadvise"):
            with suppress(OSError):
                self._file = os.open(path, os.O_RDONLY)

    def __enter__(self) -> ReadAhead:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def reached(self, at_bytes: int | None) -> None:
        """Say how far the file was read; None where that is not known."""
        if self._file is None or at_bytes is None:
            return
        if not at_bytes <= self._asked_bytes <= at_bytes + AHEAD_BYTES:
            self._asked_bytes = at_bytes
        while self._asked_bytes + PIECE_BYTES <= at_bytes + AHEAD_BYTES:
            with suppress(OSError):
                os.posix_fadvise(self._file, self._asked_bytes, PIECE_BYTES, os.POSIX_FADV_WILLNEED)
            self._asked_bytes += PIECE_BYTES
