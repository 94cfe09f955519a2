"""Store a camera's own packets of the last minutes or hours on disk, and cut clips out of them.

A segment begins with a key frame and is named by its time; its packets count from there. Segments are written packet by
packet, so those of a killed process can be read. Times are UTC.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import dropwhile, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import av

from thirdcard.service.media.clips import OUTAGE, ClipError

if TYPE_CHECKING:
    from av.container import OutputContainer
    from av.packet import Packet
    from av.video.stream import VideoStream

SEGMENT = timedelta(seconds=8)
"""A segment ends at the first key frame after this time."""
SUFFIX = ".mkv"
TICK = Fraction(1, 1000)
"""The time base of a segment: Matroska counts milliseconds."""
_NAME = "%Y%m%dT%H%M%S.%fZ"


class RingWriter:
    """Writes one camera's packets; use it from one thread, and close it."""

    def __init__(self, folder: Path, *, keep: timedelta) -> None:
        """`folder` belongs to the camera alone; segments older than `keep` are deleted."""
        self._folder, self._keep = folder, keep
        self._output: OutputContainer | None = None
        self._copy: VideoStream | None = None
        self._began = datetime.min.replace(tzinfo=UTC)
        self._last_dts = -1

    def add(self, packet: Packet[VideoStream], stream: VideoStream, at: datetime) -> None:
        """Write a packet received at `at`; packets before the first key frame are dropped.

        Raises:
            OSError: The disk refuses it; the segment ends there, and the next key frame begins another.
        """
        try:
            self._add(packet, stream, at)
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Finish the segment that is being written."""
        if self._output is not None:
            with contextlib.suppress(av.FFmpegError):
                self._output.close()
            self._output = self._copy = None

    def _add(self, packet: Packet[VideoStream], stream: VideoStream, at: datetime) -> None:
        if packet.is_keyframe and (self._output is None or at - self._began >= SEGMENT):
            self._begin(stream, at)
        if self._output is None or self._copy is None:
            return
        ticks = max(int((at - self._began) / timedelta(seconds=1) / TICK), self._last_dts + 1)
        lead = (packet.pts or 0) - (packet.dts if packet.dts is not None else packet.pts or 0)
        self._last_dts = ticks
        twin = av.Packet(bytes(packet))
        twin.dts, twin.time_base = ticks, TICK
        twin.pts = ticks + int(max(lead, 0) * (packet.time_base or TICK) / TICK)
        twin.is_keyframe = packet.is_keyframe
        twin.stream = self._copy
        self._output.mux(twin)

    def _begin(self, stream: VideoStream, at: datetime) -> None:
        self.close()
        self._folder.mkdir(parents=True, exist_ok=True)
        for old in segments(self._folder):
            if old.began < at - self._keep - SEGMENT:
                old.path.unlink(missing_ok=True)
        path = self._folder / f"{at.astimezone(UTC).strftime(_NAME)}{SUFFIX}"
        self._output = av.open(
            str(path), "w", format="matroska", options={"flush_packets": "1", "cluster_time_limit": "500"}
        )
        self._copy = self._output.add_stream_from_template(stream)
        self._copy.time_base = TICK
        self._began, self._last_dts = at, -1


@dataclass(frozen=True, slots=True, kw_only=True)
class RingFile:
    """A segment's file."""

    path: Path
    began: datetime


def segments(folder: Path) -> list[RingFile]:
    """A camera's segments, the oldest first."""
    found = []
    for path in folder.glob(f"*{SUFFIX}"):
        with contextlib.suppress(ValueError):
            began = datetime.fromisoformat(path.name.removesuffix(SUFFIX))
            found.append(RingFile(path=path, began=began))
    return sorted(found, key=lambda segment: segment.began)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A stretch without an outage of which packets are stored."""

    from_at: datetime
    to_at: datetime


def stretches(folder: Path) -> list[Stretch]:
    """The stored stretches of a camera, the oldest first; known from file names and dates, without opening any."""
    found: list[Stretch] = []
    files = segments(folder)
    for segment, following in pairwise([*files, None]):
        assert segment is not None
        with contextlib.suppress(FileNotFoundError):  # the oldest may be deleted meanwhile
            ended = datetime.fromtimestamp(segment.path.stat().st_mtime, UTC)
            ended = max(ended if following is None else min(ended, following.began), segment.began)
            if found and segment.began - found[-1].to_at <= OUTAGE:
                found[-1] = Stretch(from_at=found[-1].from_at, to_at=ended)
            else:
                found.append(Stretch(from_at=segment.began, to_at=ended))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipTimes:
    """The time that a clip covers."""

    began: datetime
    ended: datetime


def cut_from_ring(folder: Path, target: Path, *, at: datetime, from_at: datetime, to_at: datetime) -> ClipTimes:
    """Write a stretch of the ring to the MP4 file `target`, from the key frame at or before its start.

    A clip never spans an outage: it ends, or begins, there, on the side of the fault.

    Args:
        folder: The camera's.
        target: The output file.
        at: The time of the fault; in an outage the nearest stretch is used.
        from_at: Where the stretch begins.
        to_at: Where it ends.

    Raises:
        ClipError: The ring holds nothing of it.
    """
    chosen = _overlapping(segments(folder), from_at, to_at)
    marks = (_Mark(each.at, each.packet.is_keyframe, each.segment) for each in _packets(chosen, to_at))
    found = [one for one in _between_outages(marks) if max(each.at for each in one) >= from_at]
    if not found:
        raise ClipError(f"{target.name}: the ring holds nothing of {from_at:%H:%M:%S} to {to_at:%H:%M:%S}")
    kept = min(found, key=lambda one: _distance(one, at))
    first = max((i for i, each in enumerate(kept) if each.is_keyframe and each.at <= from_at), default=0)
    try:
        return _write(kept[first:], target)
    except av.FFmpegError as error:
        raise ClipError(f"{target.name}: {error}") from error


@dataclass(frozen=True, slots=True)
class _Kept:
    """A packet in the ring."""

    at: datetime
    packet: Packet[VideoStream]
    segment: RingFile


@dataclass(frozen=True, slots=True)
class _Mark:
    """The place of a packet: those of an hour fit into memory, the packets do not."""

    at: datetime
    is_keyframe: bool
    segment: RingFile


def _overlapping(found: list[RingFile], from_at: datetime, to_at: datetime) -> list[RingFile]:
    """The segments that may hold a part of a stretch: all that begin in it, and the last before."""
    inside = [segment for segment in found if from_at < segment.began <= to_at]
    before = [segment for segment in found if segment.began <= from_at]
    chosen = [*before[-1:], *inside]
    if not chosen:
        raise ClipError(f"the ring holds nothing of {from_at:%H:%M:%S} to {to_at:%H:%M:%S}")
    return chosen


def _packets(chosen: list[RingFile], to_at: datetime) -> Iterator[_Kept]:
    for segment in chosen:
        try:
            with av.open(str(segment.path)) as container:
                for packet in container.demux(container.streams.video[0]):
                    if packet.pts is None or packet.time_base is None:
                        continue
                    at = segment.began + timedelta(seconds=float(packet.pts * packet.time_base))
                    if at > to_at:
                        break
                    yield _Kept(at, packet, segment)
        except (av.FFmpegError, IndexError):
            continue  # a killed process left a file without a complete packet


def _between_outages(marks: Iterable[_Mark]) -> list[list[_Mark]]:
    """The packets of each stretch without an outage, from its first key frame on."""
    found: list[list[_Mark]] = []
    last: datetime | None = None
    for each in marks:
        if last is None or each.at - last > OUTAGE:
            found.append([])
        last = each.at if last is None else max(last, each.at)
        if found[-1] or each.is_keyframe:
            found[-1].append(each)
    return [stretch for stretch in found if stretch]


def _distance(stretch: list[_Mark], at: datetime) -> timedelta:
    """The distance of a time from a stretch."""
    began, ended = stretch[0].at, max(each.at for each in stretch)
    return max(began - at, at - ended, timedelta())


def _read(kept: list[_Mark]) -> Iterator[_Kept]:
    """Read the packets of a stretch again."""
    files = list(dict.fromkeys(each.segment for each in kept))
    packets = _packets(files, max(each.at for each in kept))
    begun = dropwhile(lambda each: (each.segment, each.at) != (kept[0].segment, kept[0].at), packets)
    return islice(begun, len(kept))


def _write(kept: list[_Mark], target: Path) -> ClipTimes:
    began, ended = kept[0].at, kept[0].at
    last = -1
    with (
        av.open(str(kept[0].segment.path)) as template,
        av.open(str(target), "w", format="mp4", options={"movflags": "faststart"}) as output,
    ):
        copy = output.add_stream_from_template(template.streams.video[0])
        for each in _read(kept):
            packet, ended = each.packet, max(ended, each.at)
            pts = int((each.at - began) / timedelta(seconds=1) / TICK)
            lead = 0 if packet.dts is None or packet.pts is None else packet.pts - packet.dts
            twin = av.Packet(bytes(packet))
            last = max(last + 1, pts - int(lead * (packet.time_base or TICK) / TICK))
            twin.dts, twin.pts, twin.time_base = last, max(pts, last), TICK
            twin.is_keyframe = packet.is_keyframe
            twin.stream = copy
            output.mux(twin)
    return ClipTimes(began=began, ended=ended)
