"""Cut a stretch of video out of the camera's packets.

Nothing is re-encoded if a browser can play the codec, so a clip shows exactly what was recorded. Times are stream time
in seconds, on the same repaired clock that the watch uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import av

from thirdcard.service.ports.errors import ServiceError
from thirdcard.vision.errors import VideoBreakError, VisionError
from thirdcard.vision.frames import SightLost
from thirdcard.vision.video.film_index import OpenFilm, film_index, open_film
from thirdcard.vision.video.packets import FilmPacket
from thirdcard.vision.video.sound_frames import SoundFrames

if TYPE_CHECKING:
    from av.packet import Packet
    from av.video.stream import VideoStream

BROWSER_CODECS = frozenset({"h264", "vp9", "av1"})
ENCODED_RATE = 25
TICK_S = Fraction(1, 12800)
COPY_COMMENT = "A copy, encoded as H.264 to be played in browsers. The original clip is the evidence."
EDGE_S = 1e-6
OUTAGE = timedelta(seconds=4)
"""A longer silence is an outage; the watch then also counts the camera as silent."""


class ClipError(ServiceError):
    """The stretch of video could not be cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipSpan:
    """The time that a clip covers, in stream time."""

    from_s: float
    to_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmFacts:
    """How to read a film file."""

    size_wh_px: tuple[int, int] | None = None
    """The size of the wanted film, where the file holds several."""
    rate_hz: float | None = None
    """Frames per second where the file has no times; None: as it says."""
    is_damaged: bool = False
    """Whether the film may be damaged: then it is decoded, and undecodable frames are left out."""


def cut_clip(
    video: Path, target: Path, span: ClipSpan, film: FilmFacts | None = None, *, at_s: float | None = None
) -> ClipSpan:
    """Write `span` of `video` to the MP4 file `target`; returns the stretch that was written.

    It begins at the key frame at or before the wanted start, and never spans an outage: it ends, or begins, there.

    Args:
        video: The file.
        target: The output file.
        span: The stretch.
        film: Which film of the file, and how to read it; None: the one that `watch` would choose.
        at_s: The time that must be shown where there is an outage; None: the longer side is kept.

    Raises:
        ClipError: The stretch cannot be cut.
    """
    film = film or FilmFacts()
    with opened(video, span.from_s, film) as found:
        if found.stream.codec_context.name in BROWSER_CODECS:
            return _remux(found, target, span, at_s, is_checked=film.is_damaged)
        if shown := _between_outages(_packets(found, span), at_s):
            to_s = min(span.to_s, max(each.t for each in shown))
            span = ClipSpan(from_s=max(span.from_s, shown[0].t), to_s=to_s)
    return _encode(video, target, span, film)


@contextmanager
def opened(video: Path, from_s: float, film: FilmFacts) -> Iterator[OpenFilm]:
    """Open a film at the key frame at or before a time; raises ClipError with the file's name."""
    try:
        index = film_index(video, film.size_wh_px, film.rate_hz)
        with open_film(video, from_s, index, film.size_wh_px, film.rate_hz) as found:
            yield found
    except (VisionError, av.FFmpegError, OSError) as error:
        said = str(error)
        raise ClipError(said if said.startswith(f"{video}: ") else f"{video}: {said}") from error


def _remux(film: OpenFilm, target: Path, span: ClipSpan, at_s: float | None, *, is_checked: bool) -> ClipSpan:
    chosen = _packets(film, span)
    shown = _between_outages(_playable(chosen, film) if is_checked else chosen, at_s)
    packets = _in_order([one.packet for one in shown])
    if not packets:
        raise ClipError(f"{target.name}: the video holds nothing between {span.from_s:.1f} and {span.to_s:.1f} s")
    shift_pts = min(packet.pts for packet in packets if packet.pts is not None)
    last_pts = max(packet.pts for packet in packets if packet.pts is not None)
    with av.open(str(target), "w", format="mp4", options={"movflags": "faststart"}) as output:
        copy = output.add_stream_from_template(film.stream)
        for packet in packets:
            packet.pts = None if packet.pts is None else packet.pts - shift_pts
            packet.dts = None if packet.dts is None else packet.dts - shift_pts
            packet.stream = copy
            output.mux(packet)
    return ClipSpan(from_s=shift_pts * film.tick_s, to_s=last_pts * film.tick_s)


def _packets(film: OpenFilm, span: ClipSpan) -> list[FilmPacket]:
    """The packets in decoding order, from the key frame at or before the start to the last that can be before
    the end."""
    kept: list[FilmPacket] = []
    with suppress(VideoBreakError):  # the film breaks off: what was read so far is the evidence there is
        for each in film.packets:
            if each.packet.is_keyframe and each.t <= span.from_s + EDGE_S:
                kept = []
            if each.decode * film.tick_s > span.to_s + EDGE_S:
                break
            kept.append(each)
    return kept


def _between_outages(packets: list[FilmPacket], at_s: float | None) -> list[FilmPacket]:
    """The packets of the stretch without an outage that contains a time, or is nearest to it; from its key frame on."""
    found: list[list[FilmPacket]] = []
    last_t: float | None = None
    for each in packets:
        if last_t is None or each.t - last_t > OUTAGE.total_seconds():
            found.append([])
        last_t = each.t if last_t is None else max(last_t, each.t)
        if found[-1] or each.packet.is_keyframe or len(found) == 1:
            found[-1].append(each)
    found = [stretch for stretch in found if stretch]

    def badness(stretch: list[FilmPacket]) -> float:
        began, ended = stretch[0].t, max(each.t for each in stretch)
        return began - ended if at_s is None else max(began - at_s, at_s - ended, 0.0)

    return min(found, key=badness, default=[])


def _playable(packets: list[FilmPacket], film: OpenFilm) -> list[FilmPacket]:
    """The packets without damaged stretches, at which browsers stop: there the previous picture stays."""
    sound, lost_from_t, kept = SoundFrames(film.tick_s), None, []
    lost: list[tuple[float, float]] = []
    found = chain.from_iterable(sound.take(each, film.stream.decode) for each in packets)
    for item in chain(found, sound.end(film.stream.decode)):
        if isinstance(item, SightLost):
            lost_from_t = item.t
        elif lost_from_t is not None:
            lost.append((lost_from_t, item.t))
            lost_from_t = None
    if lost_from_t is not None:
        lost.append((lost_from_t, float("inf")))
    for each in packets:
        if not any(from_t - EDGE_S <= each.t < to_t - EDGE_S for from_t, to_t in lost):
            kept.append(each)
    return kept


def _in_order(packets: list[Packet[VideoStream]]) -> list[Packet[VideoStream]]:
    """Packets with decoding times in order, as a muxer needs, and display times where the container gives none."""
    last: int | None = None
    for packet in packets:
        if packet.dts is not None:
            packet.dts = last = packet.dts if last is None else max(packet.dts, last + 1)
        packet.pts = packet.dts if packet.pts is None else packet.pts
        if packet.pts is not None and packet.dts is not None:
            packet.pts = max(packet.pts, packet.dts)
    return packets


def _encode(video: Path, target: Path, span: ClipSpan, film: FilmFacts, *, comment: str = "") -> ClipSpan:
    """Encode a stretch as H.264, for codecs that no browser plays; returns its span."""
    times: list[float] = []
    with av.open(str(target), "w", format="mp4") as output:
        output.metadata.update({"comment": comment} if comment else {})
        copy = output.add_stream("libx264", rate=ENCODED_RATE, options={"preset": "veryfast", "crf": "23"})
        copy.codec_context.time_base = TICK_S
        for t, frame in decode_span(video, span, film=film):
            if not times:
                copy.width, copy.height = frame.width // 2 * 2, frame.height // 2 * 2
                copy.pix_fmt = "yuv420p"
            times.append(t)
            picture = frame.reformat(copy.width, copy.height, "yuv420p")
            picture.pts, picture.time_base = round((t - times[0]) / TICK_S), TICK_S
            output.mux(copy.encode(picture))
        output.mux(copy.encode() if times else [])
    if not times:
        raise ClipError(f"{target.name}: the video holds nothing between {span.from_s:.1f} and {span.to_s:.1f} s")
    return ClipSpan(from_s=times[0], to_s=times[-1])


def encode_whole(video: Path, target: Path) -> None:
    """Write a whole film to the MP4 file `target` as H.264; the file's comment says that it is a copy.

    Raises:
        ClipError: It cannot be read.
    """
    _encode(video, target, ClipSpan(from_s=0.0, to_s=float("inf")), FilmFacts(), comment=COPY_COMMENT)


def decode_span(
    video: Path, span: ClipSpan, *, key_by_s: float | None = None, film: FilmFacts | None = None
) -> Iterator[tuple[float, av.VideoFrame]]:
    """Every intact frame of a stretch with its stream time; ends early where the film does.

    Args:
        video: The file.
        span: The stretch.
        key_by_s: Frames before the last key frame at or before this time may be left out; None: all are wanted.
        film: Which film of the file, and how to read it.

    Raises:
        ClipError: The file cannot be opened.
    """
    film = film or FilmFacts()
    with opened(video, span.from_s if key_by_s is None else key_by_s, film) as found:
        sound = SoundFrames(found.tick_s)
        with suppress(VideoBreakError):
            taken = chain.from_iterable(sound.take(each, found.stream.decode) for each in found.packets)
            for item in chain(taken, sound.end(found.stream.decode)):
                if isinstance(item, SightLost):
                    continue
                if item.t > span.to_s + EDGE_S:
                    return
                if item.t >= span.from_s - EDGE_S:
                    yield item.t, item.decoded
