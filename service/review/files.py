"""One file of a recorded shift: when it began, how long it is, whether its own clock jumps, and what tells it apart."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import av
from av.container import InputContainer
from av.index import IndexEntry
from av.video.stream import VideoStream

from thirdcard.service.review import clocks
from thirdcard.vision.errors import UnreadableVideoError
from thirdcard.vision.video.video import open_container

VIDEO_SUFFIXES = frozenset(
    {".mp4", ".mkv", ".avi", ".ts", ".m2ts", ".mts", ".mov", ".m4v", ".webm", ".flv", ".asf", ".wmv", ".mpg", ".mpeg"}
)
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
    """Whether its name, its container or the file's date says when it began."""
    other_clock: datetime | None
    """What its container says where its name is believed."""
    runs: tuple[Run, ...]
    size_wh_px: tuple[int, int]
    fault: str | None = None
    """Why it cannot be watched to its end; None where it can."""

    @property
    def lasts_s(self) -> float:
        """Until its last frame is over."""
        return self.runs[-1].to_s


def read_file(path: Path, zone: ZoneInfo) -> RecordedFile:
    """What a file is, from its index where that is whole, else from its packets; one frame is decoded.

    Raises:
        UnreadableVideoError: It cannot be opened, or holds no frame that can be decoded.
    """
    scan = _scan(path)
    runs, metadata = scan.runs, scan.metadata
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
        runs=runs,
        size_wh_px=scan.size_wh_px,
        fault=scan.fault,
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
