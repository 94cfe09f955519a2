"""One file of a recorded shift: when it began, its length, jumps of its clock, and its fingerprint."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path, PurePath
from zoneinfo import ZoneInfo

from thirdcard.service.review import clocks
from thirdcard.service.review.clocks import Claim
from thirdcard.service.review.coded_pictures import opening_of
from thirdcard.vision.video.container import TEXT, choose_stream, open_container
from thirdcard.vision.video.film_index import FilmIndex, FilmRun, film_index
from thirdcard.vision.video.video import holds_size, probe

_NAMED_AS_FILM = (
    ".mp4 .mkv .avi .ts .m2ts .mts .mov .m4v .webm .flv .asf .wmv .mpg .mpeg .vob .3gp .ps .dav .h264 .264 .h265 .265 "
    ".hevc .mjpeg .mjpg"
)
VIDEO_SUFFIXES = frozenset(_NAMED_AS_FILM.split(" "))
"""Files with these endings are meant as film: broken if unreadable. Files with other endings may be film too."""
BESIDE_FILM = frozenset({".yaml", ".yml", ".jsonl"})
"""Files that belong to a table, and are not reported."""
IS_TEXT = TEXT
"""The reason given for a text file."""
ENDS_BYTES = 1 << 20
"""The length of its beginning and end that identify a file, together with its size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedFile:
    """A video file of a shift."""

    path: Path
    size_bytes: int
    fingerprint: str
    """SHA-256 over its size, its beginning and its end."""
    began_at: datetime
    told_by: str
    """Whether its name, its container, the file's date or an earlier review gives its beginning."""
    index: FilmIndex
    """Its content."""
    size_wh_px: tuple[int, int]
    claims: tuple[Claim, ...] = ()
    """Its beginning according to each of its clocks, the most trusted first."""
    heard: tuple[datetime, datetime] | None = None
    """The first and the last UTC time in the signals of this file."""
    opening: str = ""
    """A hash over its first coded pictures; files that begin alike have the same."""

    @property
    def runs(self) -> tuple[FilmRun, ...]:
        """Its parts between gaps."""
        return self.index.runs

    @property
    def fault(self) -> str | None:
        """Why it cannot be watched to its end; None where it can."""
        return self.index.fault

    @property
    def lasts_s(self) -> float:
        """The time until the end of its last frame, seconds."""
        return self.index.lasts_s

    @property
    def other_clock(self) -> datetime | None:
        """The beginning by its container, where its name is believed instead; else None."""
        by_container = next((claim.at for claim in self.claims if claim.told_by == clocks.CONTAINER), None)
        return by_container if self.told_by == clocks.NAME else None


def may_be_film(name: str) -> bool:
    """Whether a file is worth opening: neither hidden nor one of a table's files."""
    path = PurePath(name)
    return not path.name.startswith(".") and path.suffix.lower() not in BESIDE_FILM


def read_file(path: Path, zone: ZoneInfo, size_wh_px: tuple[int, int] | None = None) -> RecordedFile:
    """Read a file's facts from its index if complete, else from its packets; one frame is decoded.

    Args:
        path: The file.
        zone: The recorder's time zone.
        size_wh_px: The calibrated size, by which one of several films in the file is chosen.

    Raises:
        UnreadableVideoError: It cannot be opened, or no frame can be decoded.
        NoFilmError: It is no film.
    """
    scan = _scan(path, size_wh_px)
    claims = _claims(path, scan, zone)
    return RecordedFile(
        path=path,
        size_bytes=path.stat().st_size,
        fingerprint=fingerprint_of(path),
        began_at=claims[0].at,
        told_by=claims[0].told_by,
        index=scan.index,
        size_wh_px=scan.size_wh_px,
        claims=claims,
        opening=opening_of(path),
    )


def _claims(path: Path, scan: _Scan, zone: ZoneInfo) -> tuple[Claim, ...]:
    """The beginning of a file according to its name, its container and its date."""
    by_container = clocks.began_by_container(scan.metadata)
    return (
        *clocks.claims_by_name(path.name, zone),
        *(() if by_container is None else (Claim(told_by=clocks.CONTAINER, at=by_container),)),
        Claim(told_by=clocks.FILE, at=clocks.began_by_file(path, scan.index.lasts_s)),
    )


def end_of(file: RecordedFile) -> datetime:
    """When its last frame ends."""
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
    """The facts from the film's packets; one frame is decoded."""
    with open_container(str(path)) as container:
        metadata = {**container.metadata, **choose_stream(container, size_wh_px).metadata}
    index = film_index(path, size_wh_px)
    size = probe(path, size_wh_px).size_wh_px
    if size_wh_px is not None and size != size_wh_px and holds_size(path, size_wh_px):
        size = size_wh_px
    return _Scan(index, size, metadata)
