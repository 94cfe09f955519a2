"""Read a stretch of a recorded video, skipping what lies between two key frames where nothing moved.

Of each group of pictures only the key frame is decoded at first. If the next key frame shows the same cloth and nothing
is pending, the rest of the group is never decoded; otherwise all of it is. While nothing can happen without leaving a
trace, key frames are skipped as well, for up to `LONGEST_PASSED_S`. What comes and goes between two decoded key frames
without a trace is not seen. A group with a damaged packet is never skipped. Seconds from the film's zero.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import av
import numpy as np
from av.packet import Packet
from av.video.codeccontext import VideoCodecContext
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from thirdcard.vision.errors import VideoBreakError
from thirdcard.vision.frames import Frame, SightFault, SightLost
from thirdcard.vision.plane.change_gate import MOTION_LEVELS, SMALL_WH_PX, ChangeGate, Picture, difference
from thirdcard.vision.video.film_index import FilmIndex, OpenFilm, film_index, open_film
from thirdcard.vision.video.packets import FilmPacket
from thirdcard.vision.video.picture_fit import PictureFit
from thirdcard.vision.video.sound_frames import SoundFrames, SoundPicture
from thirdcard.vision.video.video import ReadAhead

LONGEST_PASSED_S = 4.0
"""Most seconds that are skipped at once; a longer group is decoded whole, since too much could come and go in it."""
LEAST_CELLS = 1
"""Number of differing cells from which something moved."""
MOST_PACKETS = 600
"""A longer group is processed in parts, so that no more packets are held than that."""


@dataclass(frozen=True, slots=True)
class FilmStretch:
    """A part of a video file."""

    source: str
    from_s: float
    to_s: float
    index: FilmIndex | None = None
    """The file's index; None: it is made by reading the file."""
    size_wh_px: tuple[int, int] | None = None
    """The calibrated size, to which frames are fitted; None: frames keep their own."""

    def known(self) -> FilmIndex:
        """Return the file's index."""
        return film_index(self.source, self.size_wh_px) if self.index is None else self.index


@dataclass(slots=True)
class StillSkipper:
    """Yields the frames of one table's videos that are worth a look; the same files give the same frames."""

    gate: ChangeGate
    """Locates the cloth; nothing is remembered in it."""
    is_waited_for: Callable[[], bool]
    """Whether the caller has something pending: then nothing is skipped."""
    is_idle: Callable[[], bool]
    """Whether nothing can happen without leaving a trace: then key frames are skipped as well."""
    decoded: int = 0
    passed: int = 0
    """Frames that were skipped, since nothing moved."""
    _t: float = field(default=0.0, init=False)

    def frames(self, stretch: FilmStretch) -> Iterator[Frame]:
        """Yield only the frames; see `looks`."""
        return (item for item in self.looks(stretch) if isinstance(item, Frame))

    def looks(self, stretch: FilmStretch) -> Iterator[Frame | SightLost]:
        """Yield the frames of a stretch, and marks where nothing can be seen.

        Begins at the key frame at or before the stretch's beginning.

        Raises:
            UnreadableVideoError: The file cannot be opened.
            VideoBreakError: It breaks before the stretch's end.
        """
        index = stretch.known()
        with (
            open_film(stretch.source, stretch.from_s, index, stretch.size_wh_px) as film,
            ReadAhead(stretch.source) as ahead,
        ):
            fit, is_fitting = PictureFit(stretch.size_wh_px, film.stream.sample_aspect_ratio), True
            for item in self._items(film, stretch, ahead):
                if item.t > stretch.to_s + 1e-6:
                    continue
                if isinstance(item, SightLost):
                    yield item
                    continue
                self._t = item.t
                frame = fit.fitted(self.decoded, item.t, item.decoded)
                self.decoded += 1
                if frame is not None:
                    yield frame
                elif is_fitting:
                    yield SightLost(item.t, SightFault.SIZE)
                is_fitting = frame is not None

    def _items(self, film: OpenFilm, stretch: FilmStretch, ahead: ReadAhead) -> Iterator[SoundPicture | SightLost]:
        try:
            yield from self._pictures(_groups(film, stretch, ahead), film)
        except VideoBreakError as error:
            raise VideoBreakError(stretch.source, error.reason, t=self._t, frames=self.decoded) from error

    def _pictures(self, groups: Iterable[_Group], film: OpenFilm) -> Iterator[SoundPicture | SightLost]:
        """Yield whole groups, and only the first key frame of those in which nothing moved."""
        whole, ahead, sound = _Decoder(film.stream), _Ahead(groups, film.stream, self.gate), SoundFrames(film.tick_s)
        is_first, going = True, whole
        while (group := ahead.at(0)) is not None:
            count = ahead.count_still(is_far=self.is_idle())
            if count and not is_first and not self.is_waited_for():
                yield from sound.end(lambda _: whole.end())
                if group.key is not None:
                    yield from sound.take_decoded(group.packets[0], [group.key])
                self.passed += ahead.pass_over(count) - 1
            else:
                going = going if group.is_continued else group.rest or whole
                yield from group.pictures(sound, going)
                ahead.pass_over(1)
            is_first = False
        yield from sound.end(lambda _: going.end())


def key_frame(stretch: FilmStretch) -> Frame | None:
    """Return the sound key frame at or before a stretch's beginning, else the first after it; None where there is none.

    Raises:
        UnreadableVideoError: The file cannot be opened.
    """
    with open_film(stretch.source, stretch.from_s, stretch.known(), stretch.size_wh_px) as film:
        decoder, fit = _Decoder(film.stream), PictureFit(stretch.size_wh_px, film.stream.sample_aspect_ratio)
        try:
            for group in _groups(film, stretch):
                decoder.begin(group)
                frame = None if group.key is None else fit.fitted(0, group.packets[0].t, group.key)
                if frame is not None:
                    return frame
        except VideoBreakError:
            return None
    return None


@dataclass(slots=True)
class _Group:
    """A key frame with all packets up to the next."""

    packets: list[FilmPacket]
    is_continued: bool = False
    """Whether it continues the previous one, and is only a part of a group."""
    is_followed: bool = False
    """Whether the next one continues it."""
    lasts_s: float = np.inf
    key: VideoFrame | None = None
    """The decoded key frame; None where it could not be decoded, or is damaged."""
    is_begun: bool = False
    """Whether decoding of its key frame was attempted."""
    is_doubtful: bool = False
    """Whether one of its packets is damaged or has a wrong time."""
    cells: Picture | None = None
    """The cloth as its key frame shows it."""
    rest: _Decoder | None = None
    """The decoder that has decoded the key frame and can continue; None where it had to be flushed for that."""

    def add(self, packet: FilmPacket) -> None:
        """Add a packet."""
        self.packets.append(packet)
        self.is_doubtful |= packet.is_broken_off or packet.is_spoilt or packet.mended.fault is not None

    def pictures(self, sound: SoundFrames, decoder: _Decoder) -> Iterator[SoundPicture | SightLost]:
        """Yield all pictures; if `rest` has decoded the first, it continues."""
        packets = self.packets
        if self.rest is not None:
            yield from sound.take_decoded(packets[0], [] if self.key is None else [self.key])
            packets = packets[1:]
        for each in packets:
            yield from sound.take(each, decoder.pictures)
        if self.rest is not None and not self.is_followed:
            yield from sound.end(lambda _: decoder.end())


class _Decoder:
    """Decodes packets independently of their container's own decoder."""

    def __init__(self, stream: VideoStream) -> None:
        context = av.CodecContext.create(stream.codec_context.name, "r")
        assert isinstance(context, VideoCodecContext)
        context.extradata = stream.codec_context.extradata
        context.thread_count = 1
        self._context = context
        self._is_in_order = not stream.codec_context.has_b_frames

    def begin(self, group: _Group) -> None:
        """Decode a group's key frame, and stay with the group if pictures are shown in the order in which they come."""
        group.is_begun = True
        try:
            pictures = self.pictures(group.packets[0].packet)
            if pictures and self._is_in_order:
                group.rest = self
            else:
                pictures += self.end()
        except av.FFmpegError:
            pictures = []
        group.key = next((one for one in pictures if not one.is_corrupt), None)
        if group.key is None:
            group.rest = None

    def pictures(self, packet: Packet[VideoStream] | None) -> list[VideoFrame]:
        """Decode a packet and return pictures; those that the decoder holds back come with the next call."""
        return self._context.decode(packet)

    def reset(self) -> None:
        """Forget what it holds back; the next packet must be a key frame."""
        self._context.flush_buffers()

    def end(self) -> list[VideoFrame]:
        """Return what it held back; the next packet must be a key frame."""
        try:
            return self._context.decode(None)
        finally:
            self._context.flush_buffers()


def _groups(film: OpenFilm, stretch: FilmStretch, ahead: ReadAhead | None = None) -> Iterator[_Group]:
    """Yield the groups that a stretch touches, and the one after it."""
    group: _Group | None = None
    begins_s = 0.0
    for each in film.packets:
        at_s = each.t
        is_key = each.packet.is_keyframe
        if is_key and ahead is not None:
            ahead.reached(each.packet.pos)
        if group is None or is_key or len(group.packets) >= MOST_PACKETS:
            if group is not None:
                group.lasts_s = at_s - begins_s if is_key and not group.is_continued else np.inf
                group.is_followed = not is_key
                if at_s > stretch.from_s:
                    yield group
                if begins_s > stretch.to_s:
                    return
            group, begins_s = _Group([], is_continued=group is not None and not is_key), at_s
        group.add(each)
    if group is not None:
        yield group


class _Ahead:
    """Groups in order, of which a few are read ahead; key frames are decoded when they are asked for."""

    def __init__(self, groups: Iterable[_Group], stream: VideoStream, gate: ChangeGate) -> None:
        self._coming, self._stream, self._gate = iter(groups), stream, gate
        self._groups: deque[_Group] = deque()
        self._decoders: list[_Decoder] = []

    def at(self, place: int) -> _Group | None:
        """Return the group that many places after the present one, with its key frame decoded; None after the last."""
        group = self._known(place)
        if group is not None and not group.is_begun and not group.is_continued:
            decoder = self._free_decoder()
            decoder.reset()
            decoder.begin(group)
            if group.key is not None:
                group.cells = self._gate.rectified(Frame.from_decoded(0, 0.0, group.key).small(SMALL_WH_PX))
        return group

    def count_still(self, *, is_far: bool) -> int:
        """Return in how many groups, from the present one on, nothing moves; at most one unless `is_far`."""
        fitting = self._fitting()
        present = self.at(0)
        for count in dict.fromkeys((fitting if is_far else 1, 1)) if fitting else ():
            following = self.at(count)
            if any(group.is_doubtful for group in list(self._groups)[:count]):
                continue
            if present is not None and following is not None and not _differ(present, following):
                return count
        return 0

    def pass_over(self, count: int) -> int:
        """Advance by `count` groups, and return how many packets they hold."""
        return sum(len(self._groups.popleft().packets) for _ in range(count))

    def _fitting(self) -> int:
        """Return how many groups are short enough to be skipped at once."""
        lasts_s, count = 0.0, 0
        while (group := self._known(count)) is not None and lasts_s + group.lasts_s <= LONGEST_PASSED_S:
            lasts_s, count = lasts_s + group.lasts_s, count + 1
        return count

    def _known(self, place: int) -> _Group | None:
        while len(self._groups) <= place:
            group = next(self._coming, None)
            if group is None:
                return None
            self._groups.append(group)
        return self._groups[place]

    def _free_decoder(self) -> _Decoder:
        """Return a decoder that no group needs in order to continue."""
        free = (one for one in self._decoders if all(group.rest is not one for group in self._groups))
        decoder = next(free, None)
        if decoder is None:
            decoder = _Decoder(self._stream)
            self._decoders.append(decoder)
        return decoder


def _differ(one: _Group, other: _Group) -> bool:
    if one.cells is None or other.cells is None or other.packets[0].is_broken_off:
        return True
    return int((difference(other.cells, one.cells) > MOTION_LEVELS).sum()) >= LEAST_CELLS
