"""Share one read among all who ask for the same at the same time: each alert makes hundreds of browsers ask at once.

A result is reused until this process writes something visible, or learns that a table has written, and for at most two
seconds. So a person sees their own decision at once, and whoever was notified of an alert finds it.
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
"""The most results kept at once."""


@dataclass(slots=True)
class _Piece:
    since: datetime
    work: Future[Any] = field(default_factory=Future)


class Sharing:
    """A thread-safe cache of recent reads."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._pieces: dict[Hashable, _Piece] = {}

    def renew(self) -> None:
        """Drop all results, since something changed."""
        with self._lock:
            self._pieces.clear()

    def get(self, key: Hashable, read: Callable[[], Work]) -> Work:
        """The result of `read`, or of another thread's read with that key moments ago; its exception likewise."""
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
        """The cached result; None where it would have to be read, or waited for."""
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
