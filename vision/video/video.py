"""Read a video's frames with their presentation times, near the speed of its decoder.

Times are seconds since the first frame. Files, network cameras and devices are read alike; only a file has an end
that can be told from a break. Knows nothing of what the pictures show.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import av
from av.container import InputContainer
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from thirdcard.vision.errors import UnreadableVideoError, VideoBreakError
from thirdcard.vision.frames import Frame
from thirdcard.vision.video.network import open_network, reason_of, without_address

_SHORTFALL_S = 1.0
"""How much earlier than its container says a file may end without being called broken."""

AHEAD_BYTES = 32 << 20
"""Some ten seconds of one who watches a recording at 20 times its speed."""
PIECE_BYTES = 512 << 10
"""Systems read no more at one wish than their disks take at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoInfo:
    """What a video says of itself before it is read."""

    codec: str
    size_wh_px: tuple[int, int]
    rate_hz: float | None
    """Mean frame rate; None where unknown."""
    duration_s: float | None
    """None for live sources and where the container does not say."""
    frame_count: int | None


class VideoReader:
    """The frames of one source, in order; use it in a `with` block and iterate over it once."""

    def __init__(
        self,
        source: str | Path,
        *,
        threads: int = 2,
        on_packet: Callable[[Packet[VideoStream]], None] | None = None,
        transport: str = "tcp",
    ) -> None:
        """Remembers what to open.

        Args:
            source: A file's path, `rtsp://…` or another address that FFmpeg opens.
            threads: Decoder threads.
            on_packet: Is handed each of the video's packets before it is decoded, for keeping clips.
            transport: Over which an RTSP camera is asked to send: tcp, udp or auto.
        """
        self.source = str(source)
        self.is_live = "://" in self.source and not self.source.startswith("file:")
        self._threads = threads
        self._on_packet = on_packet
        self._transport = transport
        self._container: InputContainer | None = None
        self._frames = 0
        self._packets = 0
        self._t = 0.0

    def __enter__(self) -> VideoReader:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open(self) -> VideoReader:
        """Opens the source; raises UnreadableVideoError where that fails or it holds no video."""
        if self._container is None:
            self._container = open_container(self.source, is_live=self.is_live, transport=self._transport)
            try:
                self._prepare_stream()
            except UnreadableVideoError:
                self.close()
                raise
        return self

    def close(self) -> None:
        """Lets the source go; harmless when it is not open."""
        if self._container is not None:
            self._container.close()
            self._container = None

    @property
    def stream(self) -> VideoStream:
        """The opened video stream, for muxers that copy its packets."""
        assert self._container is not None, "open() comes first"
        return self._container.streams.video[0]

    @property
    def info(self) -> VideoInfo:
        """What the opened source says of itself."""
        return _describe(self.stream, self._container)

    def __iter__(self) -> Iterator[Frame]:
        """Yields the frames; raises VideoBreakError where the source breaks before its end."""
        self.open()
        first_s: float | None = None
        time_s = 0.0
        for decoded in self._decode():
            if decoded.is_corrupt and not self.is_live:
                raise self._break("a frame is damaged")
            time_s = self._time_of(decoded)
            first_s = time_s if first_s is None else first_s
            self._t = time_s - first_s
            yield Frame.from_decoded(self._frames, self._t, decoded)
            self._frames += 1
        self._check_end(time_s)

    def _prepare_stream(self) -> None:
        context = self.stream.codec_context
        if context is None:
            raise UnreadableVideoError(self.source, "its codec is unknown")
        self.stream.thread_type = "AUTO"
        self.stream.thread_count = self._threads

    def _decode(self) -> Iterator[VideoFrame]:
        assert self._container is not None
        try:
            for packet in self._container.demux(self.stream):
                if packet.size:
                    self._packets += 1
                    if packet.is_corrupt and not self.is_live:
                        raise self._break("a packet is damaged")
                    if self._on_packet is not None:
                        self._on_packet(packet)
                yield from self._decode_packet(packet)
        except av.FFmpegError as error:
            raise self._break(reason_of(error)) from without_address(error)

    def _decode_packet(self, packet: Packet[VideoStream]) -> list[VideoFrame]:
        try:
            return packet.decode()
        except av.FFmpegError as error:
            if self.is_live:
                return []  # a camera joined between key frames, or a lost packet: the next key frame mends it
            raise self._break(reason_of(error)) from without_address(error)

    def _time_of(self, decoded: VideoFrame) -> float:
        if decoded.pts is None:
            return self._frames / (self.info.rate_hz or 25.0)
        return float(decoded.time)

    def _check_end(self, time_s: float) -> None:
        """A file must reach the end that its container promised; a live source has no end at all.

        Some containers give the length, others the time of the end: `time_s` is the last frame's time as it is
        written in the file.
        """
        if self.is_live:
            raise self._break("the source stopped sending")
        if self._frames == 0:
            raise UnreadableVideoError(self.source, "holds no frame that can be decoded")
        info = self.info
        if info.frame_count is not None and self._packets < info.frame_count:
            raise self._break(f"{self._packets} of {info.frame_count} frames are there")
        step_s = 1.0 / info.rate_hz if info.rate_hz else 0.0
        if info.duration_s is not None and max(self._t, time_s) + step_s < info.duration_s - _SHORTFALL_S:
            raise self._break(f"it should last {info.duration_s:.2f} s")

    def _break(self, reason: str) -> VideoBreakError:
        return VideoBreakError(self.source, reason, t=self._t, frames=self._frames)


def probe(source: str | Path) -> VideoInfo:
    """Opens a source and decodes its first frame; raises UnreadableVideoError where either fails."""
    with VideoReader(source, threads=1) as reader:
        try:
            next(iter(reader))
        except VideoBreakError as error:
            raise UnreadableVideoError(reader.source, error.reason) from error
        return reader.info


def open_container(source: str, *, is_live: bool = False, transport: str = "tcp") -> InputContainer:
    """A source's container with at least one video stream; raises UnreadableVideoError where it is none."""
    if not is_live:
        _check_file(source)
    container = open_network(source, transport=transport)
    if not container.streams.video:
        container.close()
        raise UnreadableVideoError(source, "holds no video stream")
    return container


def _check_file(source: str) -> None:
    path = Path(source.removeprefix("file:"))
    if not path.exists():
        raise UnreadableVideoError(source, "no such file")
    if path.is_dir():
        raise UnreadableVideoError(source, "is a folder")
    if path.is_file() and path.stat().st_size == 0:
        raise UnreadableVideoError(source, "is empty")


def _describe(stream: VideoStream, container: InputContainer | None) -> VideoInfo:
    duration_s: float | None = None
    if stream.duration is not None and stream.time_base is not None:
        duration_s = float(stream.duration * stream.time_base)
    elif container is not None and container.duration and len(container.streams) == 1:
        duration_s = container.duration / av.time_base
    return VideoInfo(
        codec=stream.codec_context.name,
        size_wh_px=(stream.codec_context.width, stream.codec_context.height),
        rate_hz=float(stream.average_rate) if stream.average_rate else None,
        duration_s=duration_s,
        frame_count=stream.frames or None,
    )


class ReadAhead:
    """Has the system read what a file holds next while what came before is looked at: nobody waits for the disk.

    Does nothing where the system takes no such wishes.
    """

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
