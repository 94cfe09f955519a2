"""Read once for all who ask for the same at the same moment: when an alert comes, two hundred browsers come with it.

What was read is given until this process has written what anybody is shown, or has heard that a table has written, for
two seconds at the longest. So who has decided sees his decision, and who was notified of an alert finds it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar, cast

Work = TypeVar("Work")

KEEP = timedelta(seconds=2.0)
MOST = 500
"""Pieces of work that are kept at once."""


@dataclass(slots=True)
class _Piece:
    since: datetime
    work: Future[Any] = field(default_factory=Future)


class Sharing:
    """What was read lately; for all threads."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._pieces: dict[Hashable, _Piece] = {}

    def renew(self) -> None:
        """Something changed: what was read before is given to nobody who asks from now on."""
        with self._lock:
            self._pieces.clear()

    def get(self, key: Hashable, read: Callable[[], Work]) -> Work:
        """What `read` gives, or gave to another who asked with that key a moment ago; so do its errors."""
        with self._lock:
            piece = self._pieces.get(key)
            is_mine = piece is None or not self._holds(piece)
            if is_mine:
                if len(self._pieces) >= MOST:
                    self._pieces.clear()
                piece = self._pieces[key] = _Piece(self._clock())
        assert piece is not None, "it was there or was made"
        if is_mine:
            self._do(piece, read)
        return cast("Work", piece.work.result())

    def peek(self, key: Hashable) -> Any | None:
        """What is there already; None where it would have to be read, or waited for."""
        piece = self._pieces.get(key)
        return piece.work.result() if piece is not None and piece.work.done() and self._holds(piece) else None

    def _holds(self, piece: _Piece) -> bool:
        has_failed = piece.work.done() and piece.work.exception() is not None
        return abs(self._clock() - piece.since) <= KEEP and not has_failed

    def _do(self, piece: _Piece, read: Callable[[], Any]) -> None:
        try:
            piece.work.set_result(read())
        except BaseException as error:
            piece.work.set_exception(error)
