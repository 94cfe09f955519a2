"""Read a stretch of a recorded video, passing over what lies between two key frames where nothing moved.

Of each group of pictures just the key frame is decoded at first. Where the next key frame shows the same cloth, and
whoever looks waits for nothing, the rest of the group is never decoded; else all of it is. While nothing can
happen that leaves no trace key frames are passed over as well, for as long as one group might last. What comes and
goes again between two key frames that are decoded, and leaves no trace, is not seen. Seconds from the video's first
frame.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import av
import numpy as np
from av.container import InputContainer
from av.packet import Packet
from av.video.codeccontext import VideoCodecContext
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from thirdcard.vision.errors import VideoBreakError
from thirdcard.vision.frames import Frame
from thirdcard.vision.plane.change_gate import MOTION_LEVELS, SMALL_WH_PX, ChangeGate, Picture, difference
from thirdcard.vision.video.video import ReadAhead, open_container

LONGEST_PASSED_S = 4.0
"""No more is passed over at once, and a group that lasts longer is decoded whole: too much could come and go."""
LEAST_CELLS = 1
"""So many cells that differ mean that something moved."""
SEEK_BACK_S = (0.0, 3.0, 12.0, 60.0)


@dataclass(frozen=True, slots=True)
class FilmStretch:
    """A part of a video file."""

    source: str
    from_s: float
    to_s: float


@dataclass(slots=True)
class StillSkipper:
    """The frames of one table's videos that are worth a look; the same files give the same frames."""

    gate: ChangeGate
    """Knows where the cloth is; nothing is remembered in it."""
    is_waited_for: Callable[[], bool]
    """Whether whoever looks still waits for something: then nothing is passed over."""
    is_idle: Callable[[], bool]
    """Whether nothing can happen that leaves no trace: then key frames are passed over too."""
    decoded: int = 0
    passed: int = 0
    """Frames that were not shown to who looks, since nothing moved."""
    _t: float = field(default=0.0, init=False)

    def frames(self, stretch: FilmStretch) -> Iterator[Frame]:
        """The frames of a stretch, from the key frame at or before its beginning on.

        Raises:
            UnreadableVideoError: The file cannot be opened.
            VideoBreakError: It breaks before the stretch's end.
        """
        with open_container(stretch.source) as container, ReadAhead(stretch.source) as ahead:
            stream = container.streams.video[0]
            try:
                for picture in self._pictures(_groups(container, stream, stretch, ahead), stream):
                    self._t = _shown_s(picture, stream)
                    if self._t <= stretch.to_s + 1e-6:
                        self.decoded += 1
                        yield Frame.from_decoded(self.decoded - 1, self._t, picture)
            except av.FFmpegError as error:
                reason = " ".join(str(error.strerror or error).split())
                raise VideoBreakError(stretch.source, reason, t=self._t, frames=self.decoded) from error

    def _pictures(self, groups: Iterable[_Group], stream: VideoStream) -> Iterator[VideoFrame]:
        """Whole groups, and the first key frames alone of those in which nothing moved."""
        whole, ahead = _Decoder(stream), _Ahead(groups, stream, self.gate)
        is_first = True
        while (group := ahead.at(0)) is not None:
            count = ahead.count_still(is_far=self.is_idle())
            if count and not is_first and not self.is_waited_for():
                yield from whole.end()
                if group.key is not None:
                    yield group.key
                self.passed += ahead.pass_over(count) - 1
            else:
                yield from whole.pictures(group.packets) if group.rest is None else group.pictures(group.rest)
                ahead.pass_over(1)
            is_first = False
        yield from whole.end()


def key_frame(stretch: FilmStretch) -> Frame | None:
    """The key frame at or before a stretch's beginning, else the first after it; None where there is none.

    Raises:
        UnreadableVideoError: The file cannot be opened.
    """
    with open_container(stretch.source) as container:
        stream = container.streams.video[0]
        decoder = _Decoder(stream)
        try:
            for group in _groups(container, stream, stretch):
                for picture in (*decoder.pictures(group.packets[:1]), *decoder.end()):
                    return Frame.from_decoded(0, _shown_s(picture, stream), picture)
        except av.FFmpegError:
            return None
    return None


@dataclass(slots=True)
class _Group:
    """A key frame with all that follows up to the next."""

    packets: list[Packet[VideoStream]]
    lasts_s: float = np.inf
    key: VideoFrame | None = None
    """None where it could not be decoded."""
    is_begun: bool = False
    """Whether its key frame was decoded, or could not be."""
    cells: Picture | None = None
    """What it shows of the cloth."""
    rest: _Decoder | None = None
    """Has decoded the key frame and can go on; None where it had to be ended for that."""

    def pictures(self, rest: _Decoder) -> Iterator[VideoFrame]:
        """All pictures, by the decoder that has decoded the first."""
        if self.key is not None:
            yield self.key
        yield from rest.pictures(self.packets[1:])
        yield from rest.end()


class _Decoder:
    """Decodes packets apart from their container's own decoder."""

    def __init__(self, stream: VideoStream) -> None:
        context = av.CodecContext.create(stream.codec_context.name, "r")
        assert isinstance(context, VideoCodecContext)
        context.extradata = stream.codec_context.extradata
        context.thread_count = 1
        self._context = context
        self._is_in_order = not stream.codec_context.has_b_frames

    def begin(self, group: _Group) -> None:
        """Decode a group's key frame, and stay with the group where pictures are shown in the order they come in."""
        group.is_begun = True
        pictures = [*self.pictures(group.packets[:1])]
        if pictures and self._is_in_order:
            group.rest = self
        else:
            pictures += self.end()
        group.key = pictures[0] if pictures else None

    def pictures(self, packets: Iterable[Packet[VideoStream]]) -> Iterator[VideoFrame]:
        """The pictures of the packets; those that the decoder holds back come with the next call."""
        for packet in packets:
            yield from self._context.decode(packet)

    def end(self) -> list[VideoFrame]:
        """What it held back; the next packet must be a key frame."""
        held = self._context.decode(None)
        self._context.flush_buffers()
        return held


def _groups(
    container: InputContainer, stream: VideoStream, stretch: FilmStretch, ahead: ReadAhead | None = None
) -> Iterator[_Group]:
    """The groups that a stretch touches, and the one behind it."""
    _seek(container, stream, stretch.from_s)
    group: _Group | None = None
    begins_s = 0.0
    for packet in container.demux(stream):
        if packet.pts is None or not packet.size:
            continue
        at_s = _seconds(packet.pts, stream)
        if packet.is_keyframe:
            if ahead is not None:
                ahead.reached(packet.pos)
            if group is not None:
                group.lasts_s = at_s - begins_s
                if at_s > stretch.from_s:
                    yield group
                if begins_s > stretch.to_s:
                    return
            group, begins_s = _Group([packet]), at_s
        elif group is not None:
            group.packets.append(packet)
    if group is not None:
        yield group


class _Ahead:
    """Groups in their order, of which a few are known ahead; key frames are decoded when they are asked for."""

    def __init__(self, groups: Iterable[_Group], stream: VideoStream, gate: ChangeGate) -> None:
        self._coming, self._stream, self._gate = iter(groups), stream, gate
        self._groups: deque[_Group] = deque()
        self._decoders: list[_Decoder] = []

    def at(self, place: int) -> _Group | None:
        """The group so many after the present one, its key frame decoded; None behind the last."""
        group = self._known(place)
        if group is not None and not group.is_begun:
            decoder = self._free_decoder()
            decoder.end()
            decoder.begin(group)
            if group.key is not None:
                group.cells = self._gate.rectified(Frame.from_decoded(0, 0.0, group.key).small(SMALL_WH_PX))
        return group

    def count_still(self, *, is_far: bool) -> int:
        """In how many groups, from the present one on, nothing moves; one at most where it is not to look far."""
        fitting = self._fitting()
        present = self.at(0)
        for count in dict.fromkeys((fitting if is_far else 1, 1)) if fitting else ():
            following = self.at(count)
            if present is not None and following is not None and not _differ(present, following):
                return count
        return 0

    def pass_over(self, count: int) -> int:
        """Go on by so many groups; gives how many pictures they hold."""
        return sum(len(self._groups.popleft().packets) for _ in range(count))

    def _fitting(self) -> int:
        """How many groups may be passed over at once."""
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
        """One that no group waits for to be decoded on."""
        free = (one for one in self._decoders if all(group.rest is not one for group in self._groups))
        decoder = next(free, None)
        if decoder is None:
            decoder = _Decoder(self._stream)
            self._decoders.append(decoder)
        return decoder


def _differ(one: _Group, other: _Group) -> bool:
    if one.cells is None or other.cells is None:
        return True
    return int((difference(other.cells, one.cells) > MOTION_LEVELS).sum()) >= LEAST_CELLS


def _seek(container: InputContainer, stream: VideoStream, from_s: float) -> None:
    """Go to a key frame at or before `from_s`; containers without an index land anywhere, then further back."""
    assert stream.time_base is not None
    first = stream.start_time or 0
    for back_s in SEEK_BACK_S:
        wanted = first + int(max(from_s - back_s, 0.0) / stream.time_base)
        if wanted <= first:
            break
        container.seek(wanted, stream=stream, backward=True)
        key = next((packet for packet in container.demux(stream) if packet.is_keyframe), None)
        if key is not None and key.pts is not None and key.pts <= wanted:
            container.seek(wanted, stream=stream, backward=True)
            return
    container.seek(0)


def _seconds(pts: int, stream: VideoStream) -> float:
    assert stream.time_base is not None
    return (pts - (stream.start_time or 0)) * stream.time_base.numerator / stream.time_base.denominator


def _shown_s(picture: VideoFrame, stream: VideoStream) -> float:
    return 0.0 if picture.pts is None else _seconds(picture.pts, stream)
