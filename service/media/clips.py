"""Cut the stretch of video around a moment, out of the packets the camera wrote.

Nothing is encoded anew while a browser can play the codec, so a clip shows exactly what was recorded.
Times are stream time in seconds: 0 is the presentation time of the video's first frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import av

from thirdcard.service.ports.errors import ServiceError

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.packet import Packet
    from av.video.stream import VideoStream

BROWSER_CODECS = frozenset({"h264", "vp9", "av1"})
ENCODED_RATE_FALLBACK = 25
TICK_S = Fraction(1, 12800)
STEPS_BACK_S = (0.0, 3.0, 12.0, 60.0)


class ClipError(ServiceError):
    """A stretch of video could not be cut out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipSpan:
    """What a clip covers, in stream time."""

    from_s: float
    to_s: float


@contextmanager
def open_video(path: Path) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The container and its first video stream; raises ClipError with the file's name."""
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise ClipError(f"{path}: holds no video stream; allowed: a container with one")
            yield container, container.streams.video[0]
    except (av.FFmpegError, OSError) as error:
        raise ClipError(f"{path}: {error}") from error


def start_pts(stream: VideoStream) -> int:
    """The presentation timestamp that is stream time 0, in the stream's own ticks."""
    return stream.start_time if stream.start_time is not None else 0


def seek(container: InputContainer, stream: VideoStream, t: float) -> None:
    """Go to a key frame at or before `t`, where one is.

    Containers without an index land anywhere; then the search begins further back, in the end at the beginning.
    """
    assert stream.time_base is not None
    wanted_pts = start_pts(stream) + int(max(t, 0.0) / stream.time_base)
    for back_s in STEPS_BACK_S:
        from_pts = start_pts(stream) + int(max(t - back_s, 0.0) / stream.time_base)
        if from_pts <= start_pts(stream):
            break
        if _go_to(container, stream, from_pts) and _next_key_pts(container, stream, wanted_pts) is not None:
            _go_to(container, stream, from_pts)
            return
    container.seek(0)


def _go_to(container: InputContainer, stream: VideoStream, pts: int) -> bool:
    try:
        container.seek(pts, stream=stream, backward=True)
    except av.FFmpegError:
        return False
    return True


def _next_key_pts(container: InputContainer, stream: VideoStream, last_pts: int) -> int | None:
    """The next key frame's timestamp; None where it comes after `last_pts`."""
    try:
        for packet in container.demux(stream):
            if packet.is_keyframe and packet.pts is not None:
                return packet.pts if packet.pts <= last_pts else None
            if packet.pts is not None and packet.pts > last_pts:
                return None
    except av.FFmpegError:
        return None
    return None


def cut_clip(video: Path, target: Path, span: ClipSpan) -> ClipSpan:
    """Write `span` of `video` to the MP4 file `target`.

    Begins at the key frame at or before the wanted start. Returns what was written.
    """
    with open_video(video) as (container, stream):
        if stream.codec_context.name in BROWSER_CODECS:
            return _remux(container, stream, target, span)
    return _encode(video, target, span)


def _remux(container: InputContainer, stream: VideoStream, target: Path, span: ClipSpan) -> ClipSpan:
    assert stream.time_base is not None
    packets = _packets(container, stream, span)
    if not packets:
        raise ClipError(f"{target.name}: the video holds nothing between {span.from_s:.1f} and {span.to_s:.1f} s")
    shift_pts = min(packet.pts for packet in packets if packet.pts is not None)
    last_pts = max(packet.pts for packet in packets if packet.pts is not None)
    with av.open(str(target), "w", format="mp4", options={"movflags": "faststart"}) as output:
        copy = output.add_stream_from_template(stream)
        for packet in packets:
            packet.pts = None if packet.pts is None else packet.pts - shift_pts
            packet.dts = None if packet.dts is None else packet.dts - shift_pts
            packet.stream = copy
            output.mux(packet)
    zero = start_pts(stream)
    return ClipSpan(
        from_s=float((shift_pts - zero) * stream.time_base), to_s=float((last_pts - zero) * stream.time_base)
    )


def _packets(container: InputContainer, stream: VideoStream, span: ClipSpan) -> list[Packet[VideoStream]]:
    """From the key frame at or before the start, in decoding order, until none before the end can follow."""
    assert stream.time_base is not None
    seek(container, stream, span.from_s)
    first_pts = start_pts(stream) + int(span.from_s / stream.time_base)
    end_pts = start_pts(stream) + int(span.to_s / stream.time_base)
    kept: list[Packet[VideoStream]] = []
    try:
        for packet in container.demux(stream):
            if packet.pts is None:
                continue
            if packet.is_keyframe and packet.pts <= first_pts:
                kept = []
            if (packet.pts if packet.dts is None else packet.dts) > end_pts:
                break
            if kept or packet.is_keyframe:
                kept.append(packet)
    except av.FFmpegError:
        pass  # the file ends in the middle: what was read so far is the evidence there is
    return _in_order([packet for packet in kept if packet.pts is not None and packet.pts >= (kept[0].pts or 0)])


def _in_order(packets: list[Packet[VideoStream]]) -> list[Packet[VideoStream]]:
    """Packets with decoding times, where their container tells only when they are shown."""
    following: int | None = None
    for packet in reversed(packets):
        if packet.dts is None:
            step = packet.duration or 1
            packet.dts = packet.pts if following is None else following - step
        following = packet.dts
    return packets


def _encode(video: Path, target: Path, span: ClipSpan) -> ClipSpan:
    """The same stretch, encoded as H.264: for codecs that no browser plays."""
    times: list[float] = []
    with open_video(video) as (container, stream), av.open(str(target), "w", format="mp4") as output:
        rate = stream.average_rate or ENCODED_RATE_FALLBACK
        copy = output.add_stream("libx264", rate=rate, options={"preset": "veryfast", "crf": "23"})
        copy.width, copy.height = stream.width // 2 * 2, stream.height // 2 * 2
        copy.pix_fmt, copy.codec_context.time_base = "yuv420p", TICK_S
        for t, frame in _decode(container, stream, span):
            times.append(t)
            picture = frame.reformat(copy.width, copy.height, "yuv420p")
            picture.pts, picture.time_base = round((t - times[0]) / TICK_S), TICK_S
            output.mux(copy.encode(picture))
        output.mux(copy.encode())
    if not times:
        raise ClipError(f"{target.name}: the video holds nothing between {span.from_s:.1f} and {span.to_s:.1f} s")
    return ClipSpan(from_s=times[0], to_s=times[-1])


def _decode(
    container: InputContainer, stream: VideoStream, span: ClipSpan, *, key_by_s: float | None = None
) -> Iterator[tuple[float, av.VideoFrame]]:
    assert stream.time_base is not None
    seek(container, stream, span.from_s if key_by_s is None else key_by_s)
    try:
        for frame in container.decode(stream):
            if frame.pts is None:
                continue
            t = float((frame.pts - start_pts(stream)) * stream.time_base)
            if t > span.to_s + 1e-6:
                return
            if t >= span.from_s - 1e-6:
                yield t, frame
    except av.FFmpegError:
        return


def decode_span(video: Path, span: ClipSpan, *, key_by_s: float | None = None) -> Iterator[tuple[float, av.VideoFrame]]:
    """Every frame of a stretch with its stream time; ends early where the file does.

    Args:
        video: The file.
        span: The stretch.
        key_by_s: Frames before the last key frame at or before this moment may be left out; None: all are wanted.
    """
    with open_video(video) as (container, stream):
        yield from _decode(container, stream, span, key_by_s=key_by_s)
