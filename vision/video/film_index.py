"""The index of a film file, made without decoding: its unbroken runs, its clock, and how to seek to a moment.

A film whose clock runs evenly is entered by its time stamps. Of any other the places of its key frames are kept, and it
is entered there. Seconds from the film's first key frame.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path

import av
from av.container import InputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from thirdcard.vision.errors import UnreadableVideoError, VideoBreakError
from thirdcard.vision.video.container import check_file, choose_stream, open_container
from thirdcard.vision.video.film_clock import GAP_S, GAP_STEPS, ClockFault, ClockStart, FilmClock, Stamp
from thirdcard.vision.video.network import reason_of
from thirdcard.vision.video.packets import PacketPlace, PacketReader

SEEK_BACK_S = (0.0, 3.0, 12.0, 60.0)
"""Seconds by which seeking goes further back, in turn: containers without an index may land anywhere."""
KEPT_INDEXES = 64
"""Number of films whose index is kept in memory: without an index the whole file is read again. Chosen by hand."""

SizeWh = tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class FilmRun:
    """A part of a film in which nothing is missing."""

    from_s: float
    to_s: float
    """The end of its last picture."""


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """A key frame of a film whose clock does not run evenly."""

    t: float
    decode: int
    """Its corrected decoding tick, before the film's zero is subtracted."""
    reading: int | None
    """The time by the film's own clock, in ticks."""
    position: int | None
    """In bytes from the file's beginning; None where its container does not say."""
    number: int
    """The number of its packet in the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmIndex:
    """The index of one film file; small enough to be sent to other processes."""

    zero: int
    """The corrected tick of the film's time 0."""
    step: int
    """Usual ticks from one packet to the next."""
    step_s: float
    runs: tuple[FilmRun, ...]
    packets: int
    keys: tuple[KeyPlace, ...] = ()
    """Empty where its clock runs evenly: then time stamps suffice for seeking."""
    faults: tuple[tuple[float, ClockFault, float], ...] = ()
    """Where its clock was wrong: at which second, how, and by how many seconds."""
    assumed_rate_hz: float | None = None
    """The frame rate assumed for a film without stamps and without a given rate; None where it is known."""
    fault: str | None = None
    """Why it cannot be read to its end; None where it can."""

    @property
    def lasts_s(self) -> float:
        """The end of its last picture, in seconds."""
        return self.runs[-1].to_s


@dataclass(slots=True)
class OpenFilm:
    """A film opened at a key frame."""

    container: InputContainer
    stream: VideoStream
    packets: PacketReader
    tick_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.tick_s = float(self.stream.time_base or 1)


def film_index(path: str | Path, size_wh_px: SizeWh = None, rate_hz: float | None = None) -> FilmIndex:
    """Return the index of a file; the file is read only once while it stays unchanged.

    Args:
        path: The file.
        size_wh_px: Size of the wanted stream, where the file holds several.
        rate_hz: Frames per second where it has no times; None: as the stream declares.

    Raises:
        UnreadableVideoError: It cannot be opened, or holds no video.
    """
    check_file(str(path))
    facts = Path(str(path).removeprefix("file:")).stat()
    return _index_of(str(path), facts.st_size, facts.st_mtime_ns, size_wh_px, rate_hz)


@lru_cache(maxsize=KEPT_INDEXES)
def _index_of(path: str, size_bytes: int, _changed_ns: int, size_wh_px: SizeWh, rate_hz: float | None) -> FilmIndex:
    with open_container(path) as container:
        stream = choose_stream(container, size_wh_px)
        reader = PacketReader(path, container, stream, rate_hz=rate_hz)
        try:
            listed = _listed(container, stream, reader, size_bytes)
            return listed if listed is not None else _scanned(reader, is_rate_told=rate_hz is not None)
        except av.FFmpegError as error:
            raise UnreadableVideoError(path, reason_of(error)) from error


def _listed(container: InputContainer, stream: VideoStream, reader: PacketReader, size_bytes: int) -> FilmIndex | None:
    """Make the index from the container's own; None if that is incomplete or lacks presentation times."""
    entries = list(stream.index_entries)
    is_whole = "mp4" in container.format.name and len(entries) == stream.frames
    if not is_whole or stream.codec_context.has_b_frames or any(entry.is_discard for entry in entries):
        return None
    first = next(iter(reader), None)
    keys = [number for number, entry in enumerate(entries) if entry.is_keyframe]
    if first is None or not keys or reader.zero is None or stream.time_base is None:
        return None
    clock = FilmClock(stream.time_base, rate_hz=None)
    runs = _Runs(float(stream.time_base), entries[keys[0]].timestamp)
    held = 0
    for entry in entries[keys[0] :]:
        if entry.pos + entry.size > size_bytes:
            break
        held += 1
        for mended in clock.take(Stamp(entry.timestamp, entry.timestamp, is_key=entry.is_keyframe)):
            if mended.fault is not None:
                return None
            runs.add(mended.decode, mended.gap)
    for mended in clock.end():
        if mended.fault is not None:
            return None
        runs.add(mended.decode, mended.gap)
    if not held:
        return None
    found = runs.all(clock.step)
    is_cut = held < len(entries) - keys[0]
    fault = f"breaks after {runs.latest_s:.1f} s: the file is cut off" if is_cut else None
    return FilmIndex(
        zero=reader.zero, step=clock.step, step_s=clock.step * float(stream.time_base), runs=found, packets=held,
        fault=fault,
    )  # fmt: skip


def _scanned(reader: PacketReader, *, is_rate_told: bool) -> FilmIndex:
    """Make the index by reading all of a file's packets."""
    tick_s = float(reader.stream.time_base or 1)
    is_reordered = bool(reader.stream.codec_context.has_b_frames)
    runs, keys, fault, packets = _Runs(tick_s, 0, is_reordered=is_reordered), [], None, 0
    try:
        for each in reader:
            packets += 1
            at = each.decode if each.packet.pts is None else each.packet.pts
            runs.add(at, each.mended.gap)
            if each.packet.is_keyframe:
                decode, position = each.mended.decode, each.packet.pos
                place = KeyPlace(at * tick_s, decode, each.reading, position, each.number)
                keys.append(place)
    except VideoBreakError as error:
        fault = f"breaks after {runs.latest_s:.1f} s: {error.reason}"
    if not packets:
        raise UnreadableVideoError(reader.source, "holds no frame that can be decoded")
    clock = reader.clock
    is_plain = not reader.faults and not clock.unstamped and (reader.stream.start_time or 0) >= 0
    rate_hz = 1 / (clock.step * tick_s)
    is_assumed = clock.unstamped >= packets and not is_rate_told
    return FilmIndex(
        zero=reader.zero or 0,
        step=clock.step,
        step_s=clock.step * tick_s,
        runs=runs.all(clock.step),
        packets=packets,
        keys=() if is_plain else tuple(keys),
        faults=tuple(reader.faults),
        assumed_rate_hz=rate_hz if is_assumed else None,
        fault=fault,
    )


class _Runs:
    """Collects the stretches between gaps as packets come; if pictures are reordered, all times are kept first."""

    def __init__(self, tick_s: float, zero: int, *, is_reordered: bool = False) -> None:
        self._tick_s, self._zero = tick_s, zero
        self._runs: list[list[int]] = []
        self._shown: list[int] | None = [] if is_reordered else None

    @property
    def latest_s(self) -> float:
        """The latest time so far, in seconds."""
        latest = max(self._shown) if self._shown else self._runs[-1][1] if self._runs else self._zero
        return (latest - self._zero) * self._tick_s

    def add(self, at: int, gap: int) -> None:
        """Add a picture shown at tick `at`, with `gap` missing ticks before it."""
        if self._shown is not None:
            self._shown.append(at)
            return
        if not self._runs or gap:
            self._runs.append([at, at])
        self._runs[-1][1] = max(self._runs[-1][1], at)

    def all(self, step: int) -> tuple[FilmRun, ...]:
        """Return all runs."""
        longest = max(round(GAP_S / self._tick_s), GAP_STEPS * step)
        for at in sorted(self._shown or ()):
            if not self._runs or at - self._runs[-1][1] - step > longest:
                self._runs.append([at, at])
            self._runs[-1][1] = at
        return tuple(
            FilmRun((begun - self._zero) * self._tick_s, (ended + step - self._zero) * self._tick_s)
            for begun, ended in self._runs
        )


@contextmanager
def open_film(
    path: str | Path, from_s: float, index: FilmIndex, size_wh_px: SizeWh = None, rate_hz: float | None = None
) -> Iterator[OpenFilm]:
    """Open a film at the key frame at or before a moment.

    Raises:
        UnreadableVideoError: It cannot be opened.
    """
    source = str(path)
    container = open_container(source)
    try:
        stream = choose_stream(container, size_wh_px)
        place = _place(container, stream, from_s, index)
        if place is None and from_s > 0.0:  # a seek to the beginning may land elsewhere if a clock wraps
            container.close()
            container = open_container(source)
            stream = choose_stream(container, size_wh_px)
        yield OpenFilm(container, stream, PacketReader(source, container, stream, rate_hz=rate_hz, place=place))
    finally:
        container.close()


def _place(container: InputContainer, stream: VideoStream, from_s: float, index: FilmIndex) -> PacketPlace | None:
    """Seek to the key frame at or before a moment; None if the container is at its beginning."""
    if from_s <= 0.0:
        return None
    return _by_key(container, stream, from_s, index) if index.keys else _by_time(container, stream, from_s, index)


def _by_time(container: InputContainer, stream: VideoStream, from_s: float, index: FilmIndex) -> PacketPlace | None:
    assert stream.time_base is not None
    wanted = index.zero + int(from_s / stream.time_base)
    for back_s in SEEK_BACK_S:
        to = index.zero + int((from_s - back_s) / stream.time_base)
        if to <= index.zero:
            return None
        peeked = _peek(container, stream, partial(container.seek, to, stream=stream, backward=True))
        key = next((packet for packet in peeked if packet.is_keyframe), None)
        if key is not None and key.pts is not None and key.dts is not None and index.zero <= key.pts <= wanted:
            start = ClockStart(decode=key.dts, step=index.step)
            return PacketPlace(start=start, zero=index.zero, number=0, peeked=(key,))
    return None


def _by_key(container: InputContainer, stream: VideoStream, from_s: float, index: FilmIndex) -> PacketPlace | None:
    place = bisect.bisect_right([key.t for key in index.keys], from_s + 1e-6) - 1
    if place <= 0:
        return None
    key = index.keys[place]
    start = ClockStart(decode=key.decode, step=index.step)

    def by_stamp() -> None:
        container.seek(key.reading or 0, stream=stream, backward=True)

    def by_byte() -> None:
        container.seek(key.position or 0, stream=stream, unsupported_byte_offset=True)

    ways = [by_byte if key.position else None, by_stamp if key.reading is not None else None]
    for way in ways:
        peeked = [] if way is None else _peek(container, stream, way)
        if peeked and peeked[-1].is_keyframe and _is_at(peeked[-1], key):
            return PacketPlace(start=start, zero=index.zero, number=key.number, peeked=(peeked[-1],))
    return None


def _is_at(packet: Packet[VideoStream], key: KeyPlace) -> bool:
    if key.position is not None and packet.pos is not None:
        return packet.pos == key.position
    return packet.dts == key.reading


def _peek(container: InputContainer, stream: VideoStream, go: Callable[[], None]) -> list[Packet[VideoStream]]:
    """Return the packets up to the next key frame after a seek by `go`; none where it fails."""
    peeked: list[Packet[VideoStream]] = []
    try:
        go()
        for packet in container.demux(stream):
            if packet.size:
                peeked.append(packet)
                if packet.is_keyframe:
                    break
    except av.FFmpegError:
        return []
    return peeked
