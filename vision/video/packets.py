"""A film's packets with corrected times, from the first key frame on, and the faults between them.

Decoding, clips and live streams all count from the same zero: the presentation time of the film's first key frame.
Ticks are those of the stream's time base.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass

import av
from av.container import InputContainer
from av.logging import Capture
from av.packet import Packet
from av.video.stream import VideoStream

from thirdcard.vision.errors import VideoBreakError
from thirdcard.vision.frames import whole_ticks_s
from thirdcard.vision.video.film_clock import JITTER_S, ClockFault, ClockStart, FilmClock, MendedStamp, Stamp
from thirdcard.vision.video.network import LossEar, reason_of, without_address

NO_SUCH_ZEROS = b"\0" * 16
"""H.264 and H.265 never have this many zeros in a picture: a bad sector reads as zeros, and decoders make a picture
of them without an error."""
ZEROLESS = frozenset({"h264", "hevc"})
START_CODE = b"\1"
"""Zeros before a start code are stuffing."""
UNNOTICED_S = 0.5
"""In fewer seconds nothing is put down or taken away."""
KEY_WITHIN = 300
"""Number of packets without a key frame after which the container is assumed not to report them."""
SETTLED_AFTER = 8
"""Number of packets that shows which picture comes first, if a file's edit list leaves out its beginning."""
REPEATED_WITHIN = 300
"""Number of packets within which a packet that was copied twice comes again: 10 s at 30 frames per second. A film
that is played again from its beginning takes longer."""
LATE_S = 10.0
"""A leap ahead of more seconds leaves out film that does not come later."""
GONE_ON_BY = 3
"""Number of packets that must continue from a leap ahead; otherwise a single stamp was wrong."""
MOST_ERRORS = 200
"""Number of consecutive failures of a container after which reading is given up."""


@dataclass(slots=True, kw_only=True)
class FilmPacket:
    """One packet; its `pts` and `dts` are corrected, and count from the film's zero."""

    packet: Packet[VideoStream]
    number: int
    """From 0 in the file, including packets before the first key frame."""
    reading: int | None
    """The time by the film's own clock, in ticks."""
    decode: int
    """The corrected decoding tick; equal to `packet.dts`."""
    mended: MendedStamp
    step: int
    """Usual ticks from one packet to the next."""
    is_spoilt: bool
    """Whether the packet itself is damaged."""
    is_after_damage: bool
    """Whether the container could not be read just before it."""
    passed: int = 0
    """How many packets before it were left out, since they came again or too late."""

    @property
    def t(self) -> float:
        """When its picture is shown, as near as is known, in seconds of stream time."""
        at = self.decode if self.packet.pts is None else self.packet.pts
        return whole_ticks_s(at * float(self.packet.time_base or 0))

    @property
    def is_broken_off(self) -> bool:
        """Whether pictures are missing before it: some that it refers to, or more than may be missing unnoticed.

        A gap does not count: it is visible in the times of the pictures.
        """
        hole, tick_s = self.mended.hole, self.packet.time_base or 0
        is_hole = bool(hole) and (not self.packet.is_keyframe or hole * tick_s > UNNOTICED_S)
        return self.is_after_damage or is_hole


@dataclass(frozen=True, slots=True)
class _Coding:
    """How a film is coded and packed."""

    is_order_unknown: bool
    """AVI does not give the order in which pictures are shown; FFmpeg gives that in which they arrive."""
    is_zeroless: bool
    """Whether long runs of zeros are damage."""
    has_lengths: bool
    """Whether each part of a packet begins with its length, not with a start code."""

    @classmethod
    def of(cls, container: InputContainer, stream: VideoStream) -> _Coding:
        """Return the coding that container and stream declare."""
        context = stream.codec_context
        return cls(
            is_order_unknown=container.format.name == "avi" and bool(context.has_b_frames),
            is_zeroless=context.name in ZEROLESS,
            has_lengths=bool(context.extradata and context.extradata[:1] == b"\1"),
        )


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A packet whose time is not certain yet."""

    packet: Packet[VideoStream]
    number: int
    is_spoilt: bool
    is_after_damage: bool
    passed: int


class PacketReader:
    """The packets of one stream; iterate over it once."""

    def __init__(
        self,
        source: str,
        container: InputContainer,
        stream: VideoStream,
        *,
        rate_hz: float | None = None,
        place: PacketPlace | None = None,
    ) -> None:
        """Take an opened container.

        Args:
            source: What it was opened from, for messages.
            container: At its beginning, or at `place`.
            stream: The video stream in it.
            rate_hz: Frames per second where packets have no times; None: as the stream declares.
            place: The next packet, if it is not the film's first.
        """
        assert stream.time_base is not None
        self.source = source
        self.stream = stream
        self.is_live = False
        """Whether the source has no end: an error is then reported at once, since the source is opened again."""
        self.is_begun_unsound = False
        """Whether packets were lost while it was opened."""
        self.clock = FilmClock(
            stream.time_base,
            rate_hz=rate_hz or _rate_of(stream),
            start=None if place is None else place.start,
            is_reordered=bool(stream.codec_context.has_b_frames),
        )
        self.zero: int | None = None if place is None else place.zero
        """The corrected tick that is the film's time 0; None until it is known."""
        self.count = 0 if place is None else place.number
        """How many packets were read."""
        self.faults: list[tuple[float, ClockFault, float]] = []
        """Where the clock was wrong: at which second of the film, how, and by how many seconds."""
        self._coding = _Coding.of(container, stream)
        self._container = container
        self._passed = _Passed(float(stream.time_base))
        self._peeked = [] if place is None else list(place.peeked)

    def _is_spoilt(self, packet: Packet[VideoStream]) -> bool:
        """Whether a packet is marked as damaged, or contains an impossible run of zeros."""
        if packet.is_corrupt or not self._coding.is_zeroless:
            return packet.is_corrupt
        data = bytes(packet)
        at = data.find(NO_SUCH_ZEROS)
        if at < 0:
            return False
        return self._coding.has_lengths or data[at:].lstrip(b"\0")[:1] not in (b"", START_CODE)

    def __iter__(self) -> Iterator[FilmPacket]:
        waiting: deque[_Waiting] = deque()
        begin = _Beginning() if self.zero is None else None
        passed = 0
        for packet, is_after_damage, has_loss in self._read():
            if self._passed.is_again(packet) or self._passed.is_late(packet):
                self.count += 1
                passed += 1
                continue
            is_after_damage |= self._passed.is_seam
            shown = None if self._coding.is_order_unknown else packet.pts
            stamp = Stamp(packet.dts, shown, is_key=packet.is_keyframe)
            is_spoilt = has_loss or self._is_spoilt(packet)
            waiting.append(_Waiting(packet, self.count, is_spoilt, is_after_damage, passed))
            self.count += 1
            passed = 0
            for mended in self.clock.take(stamp):
                yield from self._begun(begin, self._made(waiting.popleft(), mended))
        for mended in self.clock.end():
            yield from self._begun(begin, self._made(waiting.popleft(), mended))
        if begin is not None and self.zero is None:
            yield from self._from(begin.all())

    def _made(self, read: _Waiting, mended: MendedStamp) -> FilmPacket:
        return FilmPacket(
            packet=read.packet,
            number=read.number,
            reading=read.packet.pts if read.packet.dts is None else read.packet.dts,
            decode=mended.decode,
            mended=mended,
            step=self.clock.step,
            is_spoilt=read.is_spoilt,
            is_after_damage=read.is_after_damage,
            passed=read.passed,
        )

    def _begun(self, begin: _Beginning | None, packet: FilmPacket) -> Iterable[FilmPacket]:
        """Return the packets that can be passed on once it is known where the film begins."""
        if self.zero is not None or begin is None:
            return self._from([packet])
        return self._from(begin.take(packet))

    def _from(self, packets: list[FilmPacket]) -> Iterable[FilmPacket]:
        """Return the packets counted from zero; the first ones define zero."""
        if packets and self.zero is None:
            self.zero = _zero_of(packets)
        zero = self.zero or 0
        for each in packets:
            mended, packet = each.mended, each.packet
            each.decode = mended.decode - zero
            packet.dts = each.decode
            packet.pts = None if mended.show is None else mended.show - zero
            tick_s = float(packet.time_base or 0)
            if each.passed:
                self.faults.append((each.decode * tick_s, ClockFault.PASSED, each.passed * each.step * tick_s))
            if mended.fault is not None and packet.time_base is not None:
                self.faults.append((each.decode * tick_s, mended.fault, mended.by * tick_s))
        return packets

    def _read(self) -> Iterator[tuple[Packet[VideoStream], bool, bool]]:
        """Yield the packets as the container gives them; after an error reading continues from where it stands.

        With each: whether the container failed just before, and whether parts of it were lost in transmission.
        """
        for packet in self._peeked:
            yield packet, False, False
        errors, is_after_damage, was_loss, is_unsound = 0, False, False, self.is_begun_unsound
        while True:
            try:
                with Capture() if self.is_live else nullcontext([]) as words:
                    for packet in self._container.demux(self.stream):
                        if packet.size:
                            has_loss = LossEar.has_heard(words)
                            words.clear()
                            yield packet, is_after_damage, has_loss or was_loss or is_unsound
                            was_loss = has_loss  # a packet is given only once the next one begins
                            is_unsound = is_unsound and not packet.is_keyframe
                            errors, is_after_damage = 0, False
                return
            except av.FFmpegError as error:
                errors, is_after_damage = errors + 1, True
                if self.is_live or errors >= MOST_ERRORS:
                    raise VideoBreakError(self.source, reason_of(error), t=0.0, frames=self.count) from without_address(
                        error
                    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketPlace:
    """A packet in the middle of a film at which a reader may begin."""

    start: ClockStart
    zero: int
    number: int
    peeked: tuple[Packet[VideoStream], ...] = ()
    """Packets that were already read to find it."""


@dataclass(frozen=True, slots=True)
class _Leap:
    """A step ahead that leaves out a part of the film, in ticks."""

    before: int
    after: int
    number: int
    """How many packets came before it."""


class _Passed:
    """Recognises packets whose time has passed: part of a file was copied twice, or parts of it were swapped.

    A repeated packet has the same stamp and content. One that comes too late has a time that was left out shortly
    before.
    """

    def __init__(self, tick_s: float) -> None:
        self._least, self._longest = JITTER_S / tick_s, LATE_S / tick_s
        self._all: deque[int] = deque(maxlen=REPEATED_WITHIN)
        self._known: dict[int, int] = {}
        """The checksum of each packet's content, by its stamp."""
        self._is_repeating = False
        self.is_seam = False
        """Whether the last packet's stamp came before with another content: a repeated part ends there."""
        self._number = self._since = 0
        self._last: int | None = None
        self._leap: _Leap | None = None
        self._left_out: deque[_Leap] = deque(maxlen=8)

    def is_again(self, packet: Packet[VideoStream]) -> bool:
        """Whether this very packet came before; it is remembered from now on."""
        stamp = _stamp_of(packet)
        if stamp is None:
            return False
        content = zlib.crc32(packet)
        if self._known.get(stamp) == content:
            self._is_repeating = True
            return True
        self.is_seam = self._is_repeating and stamp in self._known
        self._is_repeating = False
        if len(self._all) == REPEATED_WITHIN:
            self._known.pop(self._all[0], None)
        self._all.append(stamp)
        self._known[stamp] = content
        return False

    def is_late(self, packet: Packet[VideoStream]) -> bool:
        """Whether it belongs to a part that was left out before."""
        stamp = _stamp_of(packet)
        self._number += 1
        if stamp is None:
            return False
        recent = (one for one in self._left_out if self._number - one.number <= REPEATED_WITHIN)
        if any(one.before < stamp < one.after for one in recent):
            return True
        ahead = 0 if self._last is None else stamp - self._last
        if self._least < ahead <= self._longest:
            self._leap, self._since = _Leap(stamp - ahead, stamp, self._number), 0
        elif self._leap is not None:
            self._since += 1
            if not 0 < ahead <= self._least:
                self._leap = None  # a single stamp was wrong
            elif self._since == GONE_ON_BY:
                self._left_out.append(self._leap)
                self._leap = None
        self._last = stamp
        return False


def _stamp_of(packet: Packet[VideoStream]) -> int | None:
    return packet.pts if packet.dts is None else packet.dts


class _Beginning:
    """Holds the first packets until it is known which is the first to be shown."""

    def __init__(self) -> None:
        self._all: list[FilmPacket] = []
        self._first: int | None = None

    def take(self, packet: FilmPacket) -> list[FilmPacket]:
        """Add a packet; return all from the first key frame on as soon as that is known."""
        self._all.append(packet)
        if self._first is None and packet.packet.is_keyframe:
            self._first = len(self._all) - 1
        if self._first is not None:
            held = self._all[self._first :]
            if not held[0].packet.is_discard or len(_shown(held)) >= SETTLED_AFTER:
                return held
        return self._all if len(self._all) >= KEY_WITHIN else []

    def all(self) -> list[FilmPacket]:
        """Return all held packets."""
        return self._all[self._first or 0 :]


def _shown(packets: Iterable[FilmPacket]) -> list[FilmPacket]:
    return [one for one in packets if not one.packet.is_discard]


def _zero_of(packets: list[FilmPacket]) -> int:
    """Return the corrected tick at which the first picture is shown."""
    first = packets[0]
    if not first.packet.is_discard:
        return first.mended.decode if first.mended.show is None else first.mended.show
    shown = _shown(packets[: 4 * SETTLED_AFTER]) or packets
    return min(one.mended.decode if one.mended.show is None else one.mended.show for one in shown)


def _rate_of(stream: VideoStream) -> float | None:
    rate = stream.guessed_rate or stream.average_rate
    return float(rate) if rate and 0.05 <= rate <= 240 else None
