"""One file of a recorded shift: when it began, how long it is, whether its own clock jumps, and what tells it apart."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path, PurePath
from zoneinfo import ZoneInfo

import av
from av.container import InputContainer
from av.index import IndexEntry
from av.stream import Disposition
from av.video.stream import VideoStream

from thirdcard.service.review import clocks
from thirdcard.service.review.clocks import Claim
from thirdcard.service.review.coded_pictures import opening_of
from thirdcard.vision.errors import UnreadableVideoError
from thirdcard.vision.video.video import open_container

_NAMED_AS_FILM = (
    ".mp4 .mkv .avi .ts .m2ts .mts .mov .m4v .webm .flv .asf .wmv .mpg .mpeg .vob .3gp .ps .dav .h264 .264 .h265 .265 "
    ".hevc .mjpeg .mjpg"
)
VIDEO_SUFFIXES = frozenset(_NAMED_AS_FILM.split(" "))
"""What is called so is meant as film: it is broken where it cannot be read. Anything else may be film as well."""
BESIDE_FILM = frozenset({".yaml", ".yml", ".jsonl"})
"""What belongs to a table; not worth a word."""
PICTURES = re.compile(r"image2|_pipe$|^(gif|apng|ico|webp)")
"""FFmpeg's readers of still pictures: they give a frame, but no film."""
TEXTS = frozenset({"tty", "bin", "xbin", "adf", "idf", "txd"})
"""FFmpeg's readers that draw text."""
TEXT = "is text, no film"
JUMP_S = 1.5
"""A longer step from one packet to the next is a clock that jumps."""
BACK_S = 5.0
"""Pictures come out of order by less than this; a longer step back is a clock that jumps."""
LONE_FRAME_S = 0.04
ENDS_BYTES = 1 << 20
"""A file is told apart by so much of its beginning and its end, and by its size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A part of a file in which its clock runs evenly, in seconds from the file's first frame."""

    from_s: float
    to_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedFile:
    """A video file of a shift."""

    path: Path
    size_bytes: int
    fingerprint: str
    """SHA-256 over its size, its beginning and its end."""
    began_at: datetime
    told_by: str
    """Whether its name, its container, the file's date or an earlier review says when it began."""
    runs: tuple[Run, ...]
    size_wh_px: tuple[int, int]
    fault: str | None = None
    """Why it cannot be watched to its end; None where it can."""
    claims: tuple[Claim, ...] = ()
    """What each of its clocks says of when it began, what is believed first in front."""
    heard: tuple[datetime, datetime] | None = None
    """The first and the last moment in UTC that the signals of just this file bear."""
    opening: str = ""
    """A hash over its first coded pictures; files that begin alike have the same."""

    @property
    def lasts_s(self) -> float:
        """Until its last frame is over."""
        return self.runs[-1].to_s

    @property
    def other_clock(self) -> datetime | None:
        """What its container says where its name is believed."""
        by_container = next((claim.at for claim in self.claims if claim.told_by == clocks.CONTAINER), None)
        return by_container if self.told_by == clocks.NAME else None


class NoFilmError(UnreadableVideoError):
    """A file is something else than a film."""


def may_be_film(name: str) -> bool:
    """Whether a file is worth opening: neither hidden nor one of those that belong to a table."""
    path = PurePath(name)
    return not path.name.startswith(".") and path.suffix.lower() not in BESIDE_FILM


def why_no_film(container: InputContainer) -> str | None:
    """Why what was opened is no film, though FFmpeg gives frames of it; None where it is one."""
    name = container.format.name
    if PICTURES.search(name):
        return "is a picture, no film"
    if name in TEXTS:
        return TEXT
    if all(stream.disposition & Disposition.attached_pic for stream in container.streams.video):
        return "holds no video but a cover picture"
    return None


def read_file(path: Path, zone: ZoneInfo) -> RecordedFile:
    """What a file is, from its index where that is whole, else from its packets; one frame is decoded.

    Raises:
        UnreadableVideoError: It cannot be opened, or holds no frame that can be decoded.
        NoFilmError: It is something else.
    """
    scan = _scan(path)
    claims = _claims(path, scan, zone)
    return RecordedFile(
        path=path,
        size_bytes=path.stat().st_size,
        fingerprint=fingerprint_of(path),
        began_at=claims[0].at,
        told_by=claims[0].told_by,
        runs=scan.runs,
        size_wh_px=scan.size_wh_px,
        fault=scan.fault,
        claims=claims,
        opening=opening_of(path),
    )


def _claims(path: Path, scan: _Scan, zone: ZoneInfo) -> tuple[Claim, ...]:
    """What each clock says of when a file began: its name, its container, its date."""
    by_container = clocks.began_by_container(scan.metadata)
    return (
        *clocks.claims_by_name(path.name, zone),
        *(() if by_container is None else (Claim(told_by=clocks.CONTAINER, at=by_container),)),
        Claim(told_by=clocks.FILE, at=clocks.began_by_file(path, scan.runs[-1].to_s)),
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
    runs: tuple[Run, ...]
    size_wh_px: tuple[int, int]
    metadata: dict[str, str]
    fault: str | None


def _scan(path: Path) -> _Scan:
    try:
        with open_container(str(path)) as container:
            reason = why_no_film(container)
            if reason is not None:
                raise NoFilmError(str(path), reason)
            stream = container.streams.video[0]
            metadata = {**container.metadata, **stream.metadata}
            first = next(iter(container.decode(stream)), None)
            if first is None or stream.time_base is None:
                raise UnreadableVideoError(str(path), "holds no frame that can be decoded")
            container.seek(0)
            index = _index(container, stream)
            held = [entry for entry in index if entry.pos + entry.size <= path.stat().st_size]
            times, fault = _times((entry.timestamp for entry in held) if held else _packets(container, stream), stream)
            if held and len(held) < len(index):
                fault = f"breaks after {max(times):.1f} s: the file is cut off"
    except av.FFmpegError as error:
        raise UnreadableVideoError(str(path), _reason(error)) from error
    if not times:
        raise UnreadableVideoError(str(path), "holds no frame with a time")
    return _Scan(_even_runs(times), (first.width, first.height), metadata, fault)


def _index(container: InputContainer, stream: VideoStream) -> list[IndexEntry]:
    """The file's own index; empty where it does not tell when each picture is shown."""
    is_whole = "mp4" in container.format.name and len(stream.index_entries) == stream.frames
    return list(stream.index_entries) if is_whole and not stream.codec_context.has_b_frames else []


def _packets(container: InputContainer, stream: VideoStream) -> Iterable[int]:
    """The ticks at which the pictures are shown, by reading all of the file."""
    for packet in container.demux(stream):
        if packet.pts is not None and packet.size:
            yield packet.pts


def _times(ticks: Iterable[int], stream: VideoStream) -> tuple[list[float], str | None]:
    """When each picture is shown, as far as the file can be read, and what stops it."""
    times: list[float] = []
    latest_s, zero = 0.0, stream.start_time or 0
    assert stream.time_base is not None
    numerator, denominator = stream.time_base.numerator, stream.time_base.denominator
    try:
        for tick in ticks:
            at_s = (tick - zero) * numerator / denominator
            if at_s < latest_s - BACK_S:
                return times, f"its clock jumps back by {latest_s - at_s:.1f} s after {latest_s:.1f} s"
            latest_s = max(latest_s, at_s)
            times.append(at_s)
    except av.FFmpegError as error:
        return times, f"breaks after {latest_s:.1f} s: {_reason(error)}"
    return times, None


def _reason(error: av.FFmpegError) -> str:
    return " ".join(str(error.strerror or error).split())


def _even_runs(times: list[float]) -> tuple[Run, ...]:
    """The stretches between the jumps."""
    shown = sorted(times)
    steps = sorted(after - before for before, after in pairwise(shown))
    step_s = steps[len(steps) // 2] if steps else LONE_FRAME_S
    runs, from_s = [], shown[0]
    for before, after in pairwise(shown):
        if after - before > JUMP_S + 2 * step_s:
            runs.append(Run(from_s=from_s, to_s=before + step_s))
            from_s = after
    return (*runs, Run(from_s=from_s, to_s=shown[-1] + step_s))
