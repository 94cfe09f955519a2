"""Decode a film's packets into pictures that can be trusted, and mark from when on there are none.

A damaged picture spoils those that refer to it: from the first that cannot be trusted until the next undamaged key
frame nothing is shown. Stream time in seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import av
from av.packet import Packet
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from thirdcard.vision.frames import SightFault, SightLost, whole_ticks_s
from thirdcard.vision.video.film_clock import GAP_S, GAP_STEPS, ClockFault
from thirdcard.vision.video.packets import FilmPacket

KEYLESS_S = 30.0
"""Seconds without further damage after which damage counts as over in a film without key frames."""

Decode = Callable[["Packet[VideoStream] | None"], list[VideoFrame]]


@dataclass(frozen=True, slots=True)
class SoundPicture:
    """A decoded picture that can be trusted."""

    t: float
    decoded: VideoFrame


class SoundFrames:
    """Separates the pictures of one film that can be trusted from those that cannot."""

    def __init__(self, tick_s: float) -> None:
        """Take the seconds of a tick of the film."""
        self.lost: SightFault | None = None
        """Why nothing is shown; None where pictures are."""
        self._tick_s = tick_s
        self._first: int | None = None
        """When the first packet was decoded, in ticks."""
        self._delay: int | None = None
        """By how many ticks pictures come later than their packets, if they have decoding times only."""
        self._last_t: float | None = None
        self._bad: dict[int, SightFault] = {}
        """Presentation ticks of packets that cannot be trusted themselves, and why."""
        self._breaks: list[int] = []
        """Presentation ticks from which on nothing can be trusted."""
        self._bad_t = 0.0
        self._step_s = 0.0

    def take(self, each: FilmPacket, decode: Decode) -> Iterator[SoundPicture | SightLost]:
        """Decode one more packet, and yield the pictures and marks."""
        self._note(each)
        yield from self._show(each.packet, decode)

    def take_decoded(self, each: FilmPacket, pictures: Iterable[VideoFrame]) -> Iterator[SoundPicture | SightLost]:
        """Take a packet that was decoded elsewhere, and yield the pictures and marks."""
        self._note(each)
        for picture in pictures:
            yield from self._sound(picture)

    def end(self, decode: Decode) -> Iterator[SoundPicture | SightLost]:
        """Yield what the decoder held back."""
        yield from self._show(None, decode)

    def _note(self, each: FilmPacket) -> None:
        packet = each.packet
        at = each.decode if packet.pts is None else packet.pts
        self._step_s = each.step * self._tick_s
        self._first = each.decode if self._first is None else self._first
        if each.is_spoilt:
            self._bad[at] = SightFault.DAMAGED
        elif each.mended.fault is ClockFault.CHAOS:
            self._bad[at] = SightFault.CLOCK
        if each.is_broken_off:
            self._breaks.append(at)

    def _show(self, packet: Packet[VideoStream] | None, decode: Decode) -> Iterator[SoundPicture | SightLost]:
        try:
            pictures = decode(packet)
        except av.FFmpegError:
            yield from self._lost_from_next(SightFault.DAMAGED)
            return
        for picture in pictures:
            yield from self._sound(picture)

    def _sound(self, picture: VideoFrame) -> Iterator[SoundPicture | SightLost]:
        """Yield the picture if it can be trusted."""
        at = picture.pts
        if at is None and picture.dts is not None:
            self._delay = picture.dts - (self._first or 0) if self._delay is None else self._delay
            at = picture.dts - self._delay
        t = self._next_t if at is None else whole_ticks_s(at * self._tick_s)
        fault = None if at is None else self._bad.pop(at, None)
        if picture.is_corrupt:
            fault = SightFault.DAMAGED
        if self._last_t is not None and t - self._next_t > max(GAP_S, GAP_STEPS * self._step_s):
            yield from self._lost_from_next(SightFault.GAP)
        while at is not None and self._breaks and self._breaks[0] <= at:
            self._breaks.pop(0)
            yield from self._lost_from_next(SightFault.DAMAGED)
        if fault is not None:
            yield from self._lost_from_next(fault)
            self._bad_t = t
        elif self.lost is not None and (picture.key_frame or t - self._bad_t > KEYLESS_S):
            self.lost = None
        if self.lost is None:
            self._last_t = t if self._last_t is None else max(t, self._last_t)
            yield SoundPicture(t, picture)

    def _lost_from_next(self, fault: SightFault) -> Iterator[SightLost]:
        """Mark that from the next picture on nothing can be trusted, until an undamaged key frame comes."""
        self._bad_t = self._next_t
        if self.lost is None:
            self.lost = fault
            yield SightLost(self._next_t, fault)

    @property
    def _next_t(self) -> float:
        """When the next picture is due, in stream seconds."""
        return 0.0 if self._last_t is None else whole_ticks_s(self._last_t + self._step_s)
