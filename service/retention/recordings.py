"""The stored camera video beyond what clips need: its size, and its deletion in favour of evidence."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from thirdcard.service.config.table_file import RING
from thirdcard.service.media.ring import segments

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A file that may be deleted."""

    began: datetime
    path: Path
    size_bytes: int


def recorded_bytes(ring: Path, now: datetime) -> int:
    """The bytes of all tables' recordings, without the last minutes that clips are cut from."""
    return sum(file.size_bytes for file in _recorded(ring, now))


def shorten_recordings(ring: Path, wanted_bytes: int, now: datetime) -> int:
    """Delete the oldest recordings of all tables until that many bytes are freed; returns the bytes freed."""
    gone = 0
    for file in sorted(_recorded(ring, now), key=lambda one: one.began):
        if gone >= wanted_bytes:
            break
        try:
            file.path.unlink(missing_ok=True)
        except OSError as error:
            logger.error("%s: cannot be deleted: %s", file.path, error)
            continue
        gone += file.size_bytes
    if gone:
        logger.info("recordings: %.1f GB went for want of room", gone / 10**9)
    return gone


def _recorded(ring: Path, now: datetime) -> list[_Recorded]:
    found = []
    for folder in ring.iterdir() if ring.is_dir() else ():
        for segment in segments(folder):
            if segment.began < now - RING:
                try:
                    found.append(_Recorded(segment.began, segment.path, segment.path.stat().st_size))
                except FileNotFoundError:
                    continue  # its camera deleted it meanwhile
    return found
