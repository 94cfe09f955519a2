"""Read a film's frames with their times, nearly as fast as its decoder: the only way to read video here.

Times are seconds since the film's first key frame, on a clock that was corrected where the film's own was wrong. Where
nothing can be seen, a `SightLost` between the frames says so, and why. Files, network cameras and devices are read in
the same way; only a file has an end that can be distinguished from a break. Knows nothing of what the pictures show.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice
from pathlib import Path
from types import TracebackType

import av
from av.container import InputContainer
from av.logging import Capture
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from thirdcard.vision.errors import UnreadableVideoError, VideoBreakError
from thirdcard.vision.frames import Frame, SightFault, SightLost, whole_ticks_s
from thirdcard.vision.video.container import VideoInfo, choose_stream, describe, open_container
from thirdcard.vision.video.film_clock import ClockFault
from thirdcard.vision.video.network import LossEar, is_lossy_stream
from thirdcard.vision.video.packets import PacketReader
from thirdcard.vision.video.picture_fit import PictureFit
from thirdcard.vision.video.sound_frames import SoundFrames, SoundPicture

SHORTFALL_S = 1.0
"""How many seconds earlier than its container declares a file may end without counting as broken."""
LEAST_STEP_S = 0.001
"""Least seconds between two frames: frames with equal times are moved apart by this."""
TELLS_ITS_LENGTH = ("mov", "matroska", "flv")
"""Containers whose length was written by their maker; that of others is estimated by FFmpeg from the content."""

LEAST_PACKETS, FIRST_PACKETS = 12, 40
"""Packets needed to know the frame rate, and the number of a film's first packets that are read for it."""
MOST_KEYS = 2000
"""Largest number of key frames whose size is checked: an hour at usual distances."""

AHEAD_BYTES = 32 << 20
"""Bytes to read ahead: about ten seconds of a watch at 20 times the recording's speed."""
PIECE_BYTES = 512 << 10
"""Bytes per request: systems read no more at one request than their disks take at once."""


@dataclass(frozen=True, slots=True)
class _Opened:
    """A source that is open."""

    container: InputContainer
    stream: VideoStream
    listening: ExitStack
    """Ends the listening for lost packets when closed."""
    is_begun_unsound: bool
    """Whether some were lost while it was opened."""


class VideoReader:
    """The frames of one source, in order; use it in a `with` block and iterate over it once."""

    def __init__(
        self,
        source: str | Path,
        *,
        threads: int = 3,
        size_wh_px: tuple[int, int] | None = None,
        rate_hz: float | None = None,
        on_packet: Callable[[Packet[VideoStream]], None] | None = None,
        transport: str = "tcp",
    ) -> None:
        """Store what to open.

        Args:
            source: A file's path, `rtsp://…` or another address that FFmpeg opens.
            threads: Decoder threads. With two, the decoder stands still while a picture is watched, and on two cores a
                table is watched a tenth slower than with three; more than three gain nothing.
            size_wh_px: The calibrated size, to which frames are fitted; None: frames keep their own.
            rate_hz: Frames per second where the source has no times; None: as it declares.
            on_packet: Called with each of the film's packets, its time corrected, before it is decoded; for keeping
                clips.
            transport: Over which an RTSP camera is asked to stream: tcp, udp or auto.
        """
        self.source = str(source)
        self.is_live = "://" in self.source and not self.source.startswith("file:")
        self._threads, self._size, self._rate_hz = threads, size_wh_px, rate_hz
        self._on_packet, self._transport = on_packet, transport
        self._opened: _Opened | None = None
        self._packets: PacketReader | None = None
        self._frames = 0
        self._t = 0.0

    def __enter__(self) -> VideoReader:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open(self) -> VideoReader:
        """Open the source.

        Raises:
            UnreadableVideoError: That fails, or the source holds no video.
        """
        if self._opened is None:
            is_lossy = is_lossy_stream(self.source, self._transport)
            with ExitStack() as ears, Capture() if is_lossy else nullcontext([]) as words:
                if is_lossy:
                    ears.enter_context(LossEar())
                container = open_container(self.source, is_live=self.is_live, transport=self._transport)
                listening = ears.pop_all()
            stream = choose_stream(container, self._size)
            stream.thread_type, stream.thread_count = "SLICE" if is_lossy else "AUTO", self._threads
            self._opened = _Opened(container, stream, listening, LossEar.has_heard(words))
        return self

    def close(self) -> None:
        """Close the source; harmless when it is not open."""
        if self._opened is not None:
            self._opened.listening.close()
            self._opened.container.close()
            self._opened = None

    @property
    def stream(self) -> VideoStream:
        """The opened stream, for muxers that copy its packets."""
        assert self._opened is not None, "open() comes first"
        return self._opened.stream

    @property
    def info(self) -> VideoInfo:
        """What the opened source declares about itself; its rate is measured once some stamps were read."""
        assert self._opened is not None, "open() comes first"
        info = describe(self.stream, self._opened.container)
        return info if self.step_s is None else replace(info, rate_hz=1 / self.step_s)

    @property
    def step_s(self) -> float | None:
        """Usual seconds from frame to frame; None before a dozen packets were read."""
        if self._packets is None or self._packets.count < LEAST_PACKETS:
            return None
        return self._packets.clock.step * float(self.stream.time_base or 1)

    @property
    def faults(self) -> list[tuple[float, ClockFault, float]]:
        """Where the film's clock was wrong so far: at which second, how, and by how many seconds."""
        return [] if self._packets is None else self._packets.faults

    @property
    def has_no_times(self) -> bool:
        """Whether no packet had a time so far: times are then counted by the rate."""
        return self._packets is not None and 0 < self._packets.count <= self._packets.clock.unstamped

    def __iter__(self) -> Iterator[Frame]:
        """Yield only the frames; raise VideoBreakError if the source breaks before its end."""
        return (item for item in self.looks() if isinstance(item, Frame))

    def looks(self) -> Iterator[Frame | SightLost]:
        """Yield the frames, and between them marks from when on nothing is seen.

        Raises:
            VideoBreakError: The source breaks before its end.
            UnreadableVideoError: It cannot be opened, or holds no frame that can be decoded.
        """
        self.open()
        assert self._opened is not None
        container, stream = self._opened.container, self._opened.stream
        self._packets = packets = PacketReader(self.source, container, stream, rate_hz=self._rate_hz)
        packets.is_live, packets.is_begun_unsound = self.is_live, self._opened.is_begun_unsound
        sound = SoundFrames(float(stream.time_base or 1))
        fit = PictureFit(self._size, stream.sample_aspect_ratio)
        is_fitting = True
        for item in self._sound(packets, sound):
            if isinstance(item, SightLost):
                yield item
                continue
            t = item.t if not self._frames else max(item.t, whole_ticks_s(self._t + LEAST_STEP_S))
            frame = fit.fitted(self._frames, t, item.decoded)
            if frame is None and is_fitting:
                yield SightLost(t, SightFault.SIZE)
            is_fitting = frame is not None
            self._t = t
            self._frames += 1
            if frame is not None:
                yield frame
        self._check_end(packets)

    def _sound(self, packets: PacketReader, sound: SoundFrames) -> Iterator[SoundPicture | SightLost]:
        try:
            for each in packets:
                if self._on_packet is not None:
                    self._on_packet(each.packet)
                yield from sound.take(each, self.stream.decode)
            yield from sound.end(self.stream.decode)
        except VideoBreakError as error:
            raise self._break(error.reason) from error

    def _check_end(self, packets: PacketReader) -> None:
        """Raise VideoBreakError unless a file reached the end that its container declares; a live source has no end."""
        if self.is_live:
            raise self._break("the source stopped sending")
        if self._frames == 0:
            raise UnreadableVideoError(self.source, "holds no frame that can be decoded")
        assert self._opened is not None
        info, name = describe(self.stream, self._opened.container), self._opened.container.format.name
        if not name.startswith(TELLS_ITS_LENGTH) or packets.faults:
            return
        if info.frame_count is not None and packets.count < info.frame_count:
            raise self._break(f"{packets.count} of {info.frame_count} frames are there")
        ends_s = self._t + ((packets.zero or 0) + packets.clock.step) * float(self.stream.time_base or 1)
        if info.duration_s is not None and max(ends_s, self._t) < info.duration_s - SHORTFALL_S:
            raise self._break(f"it should last {info.duration_s:.2f} s")

    def _break(self, reason: str) -> VideoBreakError:
        return VideoBreakError(self.source, reason, t=self._t, frames=self._frames)


def probe(source: str | Path, size_wh_px: tuple[int, int] | None = None) -> VideoInfo:
    """Open a source and decode its first frame.

    Args:
        source: The file.
        size_wh_px: Size of the wanted stream, where the file holds several.

    Raises:
        UnreadableVideoError: It cannot be opened, or holds no frame that can be decoded.
    """
    with open_container(str(source)) as container:
        stream = choose_stream(container, size_wh_px)
        sound = SoundFrames(float(stream.time_base or 1))
        reader = PacketReader(str(source), container, stream)
        try:
            found = chain.from_iterable(sound.take(each, stream.decode) for each in reader)
            for item in chain(found, sound.end(stream.decode)):
                if not isinstance(item, SightLost):
                    return replace(describe(stream, container), size_wh_px=_size(item.decoded))
        except VideoBreakError as error:
            raise UnreadableVideoError(str(source), error.reason) from error
    raise UnreadableVideoError(str(source), "holds no frame that can be decoded")


def measured_step_s(source: str | Path, size_wh_px: tuple[int, int] | None, rate_hz: float | None) -> float | None:
    """Return the usual seconds from frame to frame, by a film's first stamps; None where it has too few.

    Raises:
        UnreadableVideoError: It cannot be opened.
    """
    with open_container(str(source)) as container:
        stream = choose_stream(container, size_wh_px)
        reader = PacketReader(str(source), container, stream, rate_hz=rate_hz)
        with suppress(VideoBreakError):
            for _ in islice(reader, FIRST_PACKETS):
                pass
        if reader.count < LEAST_PACKETS:
            return None
        return reader.clock.step * float(stream.time_base or 1)


def holds_size(source: str | Path, size_wh_px: tuple[int, int]) -> bool:
    """Whether any of a film's key frames has a size, or is shown in it because its pixels are not square.

    Raises:
        UnreadableVideoError: It cannot be opened.
    """
    with open_container(str(source)) as container:
        stream = choose_stream(container, size_wh_px)
        stream.codec_context.skip_frame = "NONKEY"
        with suppress(av.FFmpegError):
            for decoded in islice(container.decode(stream), MOST_KEYS):
                if size_wh_px in (_size(decoded), _square(decoded, stream.sample_aspect_ratio)):
                    return True
    return False


def _square(decoded: VideoFrame, pixel_aspect: Fraction | None) -> tuple[int, int]:
    """Return the size at which viewers show a picture whose pixels are not square."""
    width, height = _size(decoded)
    return round(width * float(pixel_aspect or 1)), height


def _size(decoded: VideoFrame) -> tuple[int, int]:
    """Return the size at which the picture is shown, with the film's declared rotation."""
    is_turned = round(decoded.rotation) % 180 == 90
    return (decoded.height, decoded.width) if is_turned else (decoded.width, decoded.height)


class ReadAhead:
    """Asks the system to read ahead in a file, so that nobody waits for the disk.

    Does nothing where the system does not support such requests.
    """

    def __init__(self, path: str) -> None:
        """Take the file; one that cannot be opened is ignored here."""
        self._file: int | None = None
        self._asked_bytes = -1
        """Up to where it was asked for; -1 before the first request."""
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
        """Report how far the file was read, in bytes; None where that is not known."""
        if self._file is None or at_bytes is None:
            return
        if not at_bytes <= self._asked_bytes <= at_bytes + AHEAD_BYTES:
            self._asked_bytes = at_bytes
        while self._asked_bytes + PIECE_BYTES <= at_bytes + AHEAD_BYTES:
            with suppress(OSError):
                os.posix_fadvise(self._file, self._asked_bytes, PIECE_BYTES, os.POSIX_FADV_WILLNEED)
            self._asked_bytes += PIECE_BYTES
