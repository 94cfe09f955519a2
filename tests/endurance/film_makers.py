"""Make films like those of real recorders and cameras from the shipped recording: damaged, mistimed, oddly packed.

Times are in seconds from the beginning of the film that is made, unless they are called times of the recording.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
import numpy as np
from av.bitstream import BitStreamFilterContext
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from tests.repository import DEMO

RATE_HZ = 15
"""The frame rate of the shipped recording."""
TS_PACKET, SYNC = 188, 0x47
STAMP_BITS = 33
ANNEX_B = {"vob", "h264", "avi", "mpegts"}
"""Formats whose H.264 has start codes."""

Keep = Callable[[float], bool]
Shift = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Form:
    """A container format."""

    name: str | None = None
    """None: chosen by the target's suffix."""
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Coder:
    """An encoder."""

    name: str = "libx264"
    options: tuple[tuple[str, str], ...] = ()
    pix_fmt: str = "yuv420p"


def everything(_t: float) -> bool:
    """Keep every packet."""
    return True


def unshifted(_t: float) -> float:
    """Leave every stamp unchanged."""
    return 0.0


def cut(
    target: Path,
    from_s: float,
    to_s: float,
    *,
    form: Form = Form(),
    keep: Keep = everything,
    shift: Shift = unshifted,
) -> Path:
    """Copy a part of the shipped recording into another container; return the path of the film.

    Args:
        target: The file to write.
        from_s: The start in the recording. The first packet need not be a key frame.
        to_s: The end in the recording.
        form: The container format.
        keep: Returns whether the packet at this time is kept.
        shift: Returns the seconds to add to the stamp of the packet at this time.
    """
    with (
        av.open(str(DEMO / "video.mp4")) as source,
        av.open(str(target), "w", format=form.name, options=dict(form.options)) as output,
    ):
        stream = source.streams.video[0]
        copy = output.add_stream_from_template(stream)
        annex_b = BitStreamFilterContext("h264_mp4toannexb", stream) if output.format.name in ANNEX_B else None
        for packet in source.demux(stream):
            if packet.pts is None or packet.dts is None or packet.time_base is None:
                continue
            t = float(packet.pts * packet.time_base) - from_s
            if not (-1e-6 <= t < to_s - from_s - 1e-6 and keep(t)):
                continue
            late = int((shift(t) - from_s) / packet.time_base)
            packet.pts, packet.dts = packet.pts + late, packet.dts + late
            for each in annex_b.filter(packet) if annex_b else [packet]:
                each.stream = copy
                output.mux(each)
    return target


def pictures(from_s: float, to_s: float, *, every: int = 1) -> Iterator[tuple[float, VideoFrame]]:
    """Yield the frames of a part of the shipped recording, each with its time from the beginning of that part."""
    with av.open(str(DEMO / "video.mp4")) as source:
        stream = source.streams.video[0]
        assert stream.time_base is not None
        source.seek(int(from_s / stream.time_base), stream=stream)
        for frame in source.decode(stream):
            t = float(frame.time or 0.0)
            if t >= to_s - 1e-6:
                return
            number = round((t - from_s) * RATE_HZ)
            if number >= 0 and number % every == 0:
                yield number / RATE_HZ, frame


def encode(
    target: Path,
    frames: Iterator[tuple[float, VideoFrame]],
    *,
    coder: Coder = Coder(),
    size_wh_px: tuple[int, int] = (1280, 720),
    form: Form = Form(),
    prepare: Callable[[VideoStream], None] | None = None,
) -> Path:
    """Encode frames, each at its time; return the path of the film."""
    usual = {
        "libx264": {"preset": "veryfast", "crf": "23", "g": "30"},
        "libx265": {"preset": "ultrafast", "x265-params": "keyint=30:log-level=none"},
    }
    with av.open(str(target), "w", format=form.name) as output:
        settings = {**usual.get(coder.name, {}), **dict(coder.options)}
        stream = cast("VideoStream", output.add_stream(coder.name, rate=RATE_HZ, options=settings))
        stream.width, stream.height, stream.pix_fmt = *size_wh_px, coder.pix_fmt
        if coder.name in ("mpeg2video", "mpeg4", "mjpeg"):
            stream.codec_context.bit_rate = 12_000_000
            stream.codec_context.gop_size = 30
        stream.codec_context.time_base = Fraction(1, RATE_HZ)
        if prepare is not None:
            prepare(stream)
        for t, frame in frames:
            picture = frame.reformat(*size_wh_px, coder.pix_fmt)
            picture.pts, picture.time_base = round(t * RATE_HZ), Fraction(1, RATE_HZ)
            picture.pict_type = 0
            output.mux(stream.encode(picture))
        output.mux(stream.encode())
    return target


def without_colour(frames: Iterator[tuple[float, VideoFrame]], from_s: float) -> Iterator[tuple[float, VideoFrame]]:
    """Yield the frames as of a camera that switches to black and white at `from_s`."""
    for t, frame in frames:
        if t >= from_s:
            image = np.asarray(frame.to_ndarray(format="yuv420p"), np.uint8)
            image[frame.height :] = 128
            yield t, VideoFrame.from_ndarray(np.ascontiguousarray(image, np.uint8), format="yuv420p")
        else:
            yield t, frame


def turned(frames: Iterator[tuple[float, VideoFrame]]) -> Iterator[tuple[float, VideoFrame]]:
    """Yield the frames upside down, as from a camera that is mounted the other way round."""
    for t, frame in frames:
        image = np.ascontiguousarray(frame.to_ndarray(format="bgr24")[::-1, ::-1], np.uint8)
        yield t, VideoFrame.from_ndarray(image, format="bgr24")


def restamp(path: Path, change: Callable[[int, int], int]) -> Path:
    """Change the presentation time stamps in a transport stream's bytes; return its path.

    `change` returns a packet's new stamp for its number and old stamp, in ticks of 90 kHz.
    """
    data, number = bytearray(path.read_bytes()), 0
    for at in range(0, len(data) - TS_PACKET + 1, TS_PACKET):
        head = _pes_at(data, at)
        if head is None:
            continue
        for place in [head + 9, head + 14] if data[head + 7] & 0x40 else [head + 9]:
            stamp = change(number, _stamp(data, place)) % (1 << STAMP_BITS)
            _put_stamp(data, place, stamp)
        number += 1
    path.write_bytes(data)
    return path


def _pes_at(data: bytearray, at: int) -> int | None:
    """Return where the header of a stamped video packet begins in the TS packet at `at`; None if there is none."""
    if data[at] != SYNC or not data[at + 1] & 0x40:
        return None
    head = at + 4 + (1 + data[at + 4] if data[at + 3] & 0x20 else 0)
    is_video = head + 14 < at + TS_PACKET and data[head : head + 3] == b"\x00\x00\x01" and data[head + 3] & 0xF0 == 0xE0
    return head if is_video and data[head + 7] & 0x80 else None


def _stamp(data: bytearray, at: int) -> int:
    first, second, third, fourth, fifth = data[at : at + 5]
    return (first >> 1 & 7) << 30 | second << 22 | (third >> 1) << 15 | fourth << 7 | fifth >> 1


def _put_stamp(data: bytearray, at: int, stamp: int) -> None:
    data[at] = data[at] & 0xF1 | (stamp >> 30 & 7) << 1
    data[at + 1], data[at + 2] = stamp >> 22 & 0xFF, (stamp >> 15 & 0x7F) << 1 | 1
    data[at + 3], data[at + 4] = stamp >> 7 & 0xFF, (stamp & 0x7F) << 1 | 1


DAMAGES = ("flipped", "cut", "zeroed", "swapped", "repeated")


def damage(data: bytes, kind: str, rng: random.Random, *, lasts_bytes: int = 0) -> bytes:
    """Return a file's bytes with damage at a random place behind its head, as by a bad sector, cable or copy."""
    spoilt = bytearray(data)
    size = lasts_bytes or rng.choice([512, 4096, 16384, 65536])
    at = rng.randrange(len(data) // 50, len(data) - 2 * size)
    match kind:
        case "flipped":
            for _ in range(rng.randint(1, 12)):
                spoilt[at + rng.randrange(size)] ^= 1 << rng.randrange(8)
        case "cut":
            del spoilt[at : at + size]
        case "zeroed":
            spoilt[at : at + size] = bytes(size)
        case "swapped":
            spoilt[at : at + 2 * size] = spoilt[at + size : at + 2 * size] + spoilt[at : at + size]
        case "repeated":
            spoilt[at:at] = spoilt[at : at + size]
    return bytes(spoilt)
