"""One file of a recorded shift: when it began, how long it is, whether its own clock jumps, and what tells it apart."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from thirdcard.service.review import clocks
from thirdcard.vision.video.container import choose_stream, open_container
from thirdcard.vision.video.film_index import FilmIndex, FilmRun, film_index
from thirdcard.vision.video.video import holds_size, probe

VIDEO_SUFFIXES = frozenset(
    {".mp4", ".mkv", ".avi", ".ts", ".m2ts", ".mts", ".mov", ".m4v", ".webm", ".flv", ".asf", ".wmv", ".mpg", ".mpeg"}
)
ENDS_BYTES = 1 << 20
"""A file is told apart by so much of its beginning and its end, and by its size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedFile:
    """A video file of a shift."""

    path: Path
    size_bytes: int
    fingerprint: str
    """SHA-256 over its size, its beginning and its end."""
    began_at: datetime
    told_by: str
    """Whether its name, its container or the file's date says when it began."""
    other_clock: datetime | None
    """What its container says where its name is believed."""
    index: FilmIndex
    """What it holds."""
    size_wh_px: tuple[int, int]

    @property
    def runs(self) -> tuple[FilmRun, ...]:
        """Its parts between the gaps."""
        return self.index.runs

    @property
    def fault(self) -> str | None:
        """Why it cannot be watched to its end; None where it can."""
        return self.index.fault

    @property
    def lasts_s(self) -> float:
        """Until its last frame is over."""
        return self.index.lasts_s


def read_file(path: Path, zone: ZoneInfo, size_wh_px: tuple[int, int] | None = None) -> RecordedFile:
    """What a file is, from its index where that is whole, else from its packets; one frame is decoded.

    Args:
        path: The file.
        zone: The recorder's time zone.
        size_wh_px: The calibrated size, by which one of several films in the file is chosen.

    Raises:
        UnreadableVideoError: It cannot be opened, or holds no frame that can be decoded.
    """
    scan = _scan(path, size_wh_px)
    runs, metadata = scan.index.runs, scan.metadata
    by_name = clocks.began_by_name(path.name, zone)
    by_container = clocks.began_by_container(metadata)
    if by_name is not None:
        began_at, told_by = by_name, clocks.NAME
    elif by_container is not None:
        began_at, told_by = by_container, clocks.CONTAINER
    else:
        began_at, told_by = clocks.began_by_file(path, runs[-1].to_s), clocks.FILE
    return RecordedFile(
        path=path,
        size_bytes=path.stat().st_size,
        fingerprint=fingerprint_of(path),
        began_at=began_at,
        told_by=told_by,
        other_clock=by_container if told_by == clocks.NAME else None,
        index=scan.index,
        size_wh_px=scan.size_wh_px,
    )


def end_of(file: RecordedFile) -> datetime:
    """When its last frame is over."""
    return file.began_at + timedelta(seconds=file.lasts_s)


def fingerprint_of(path: Path) -> str:
    """SHA-256 in hexadecimal over a file's size, its first and its last megabyte."""
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(ENDS_BYTES))
        file.seek(max(size - ENDS_BYTES, 0))
        digest.update(file.read(ENDS_BYTES))
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class _Scan:
    index: FilmIndex
    size_wh_px: tuple[int, int]
    metadata: dict[str, str]


def _scan(path: Path, size_wh_px: tuple[int, int] | None) -> _Scan:
    """What the film's packets tell; one frame is decoded."""
    index = film_index(path, size_wh_px)
    info = probe(path, size_wh_px)
    size = info.size_wh_px
    if size_wh_px is not None and size != size_wh_px and holds_size(path, size_wh_px):
        size = size_wh_px
    with open_container(str(path)) as container:
        metadata = {**container.metadata, **choose_stream(container, size_wh_px).metadata}
    return _Scan(index, size, metadata)
