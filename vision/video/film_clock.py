"""Correct the time stamps of a film's packets: outliers, clocks that are set or wrap, packets without a stamp.

A stamp that does not follow the one before is held until later ones show what happened. If they continue from the old
clock, the stamp alone was wrong; if from the new one, the clock was set or film is missing. Ticks are those of the
stream's time base. Pure: knows no container.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from statistics import median

GAP_S = 1.5
"""Seconds from one packet to the next from which on it is a gap or a clock that was set; recorders need less to
begin a file."""
GAP_STEPS = 4
"""At low frame rates, largest number of usual steps that is not a gap."""
LONGEST_GAP_S = 3599.0
"""A longer step forward inside one stream is a clock that was set: recorders begin a new file each hour at most, and
the change of summer time, the usual cause, is an hour."""
JITTER_S = 0.25
"""Stamps may step back by less than this where packets of a network arrive out of order."""
REORDERED_S = 1.0
"""If a stream has presentation times only, they are out of order by less than this."""
LEAD_S = 5.0
"""Longest time in seconds from decoding to showing a picture: H.264 and H.265 allow 16 frames, here at 3.2 a second."""
CONFIRMED_BY = 8
"""Number of stamps that must continue from a new clock to confirm it."""
HELD = 24
"""Number of stamps that follow neither the old clock nor each other after which time is counted by packets."""
SWAPPED = 8
"""A step back cancels a leap ahead that is at most this many packets old: parts of the film were swapped."""
FIRST = 3
"""A clock that becomes right within fewer packets was wrong before, as where a recorder writes 0 first; but if a key
frame follows, the group before it is missing."""
HOLE_STEPS = 1.5
"""In a film of steady steps, a step of more than this many usual ones means that a picture is missing."""
STEADY = 1.3
"""Steps are steady if the longest of the last ones is at most this many times the usual one."""
REMEMBERED = 31
"""Number of steps whose median is the usual step: about a second of film, and odd, so that the median is one of
them."""
WRAPS_TICKS = (1 << 33, 1 << 32)
"""Ticks after which clocks wrap: of MPEG streams, and of counters of 32 bits."""
FALLBACK_HZ = 25.0
"""Frames per second where neither the packets nor the stream give a rate: that of European video. Chosen by hand."""


class ClockFault(StrEnum):
    """What was wrong with a film's clock."""

    STAMP = "stamp"
    """Single stamps were far off."""
    SET = "set"
    """The clock was set, wrapped or restarted."""
    CHAOS = "chaos"
    """Stamps without any order: time was counted by packets."""
    PASSED = "passed"
    """Packets came again, or too late, and were left out."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """When a packet is decoded and shown, according to its container; None where it does not say."""

    decode: int | None
    show: int | None
    is_key: bool = False
    """Whether its picture can be decoded alone, so that what comes before it may be missing."""

    @property
    def reading(self) -> int | None:
        """The time by the film's own clock."""
        return self.show if self.decode is None else self.decode


@dataclass(frozen=True, slots=True, kw_only=True)
class MendedStamp:
    """The corrected stamp, on a clock that runs evenly."""

    decode: int
    show: int | None
    """None where the container does not give the order in which pictures are shown."""
    gap: int = 0
    """Ticks of film that are missing before it."""
    hole: int = 0
    """Ticks that seem to be missing before it: too few for a gap, but what follows may refer to the missing
    pictures."""
    fault: ClockFault | None = None
    by: int = 0
    """By how many ticks the clock was wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockStart:
    """The state from which a clock continues in the middle of a film."""

    decode: int
    """The corrected time of the next packet, in ticks."""
    step: int
    """The usual step, in ticks."""


@dataclass(frozen=True, slots=True)
class _Limits:
    """The limits, in ticks of one stream."""

    gap: int
    longest_gap: int
    jitter: int
    reordered: int
    lead: int

    @classmethod
    def of(cls, tick_s: Fraction) -> _Limits:
        """Return the limits of a stream whose ticks last `tick_s` seconds."""
        return cls(*(round(each / tick_s) for each in (GAP_S, LONGEST_GAP_S, JITTER_S, REORDERED_S, LEAD_S)))


class FilmClock:
    """The clock of one stream; it takes each packet's stamp in the order in which packets arrive."""

    def __init__(
        self, tick_s: Fraction, *, rate_hz: float | None, start: ClockStart | None = None, is_reordered: bool = False
    ) -> None:
        """Set up the clock.

        Args:
            tick_s: Seconds of a tick.
            rate_hz: Frames per second, for packets without stamps; None where unknown.
            start: None at a film's beginning.
            is_reordered: Whether pictures are shown in another order than they arrive in.
        """
        self.step = start.step if start else max(round(1 / ((rate_hz or FALLBACK_HZ) * tick_s)), 1)
        """The usual step from one packet to the next, in ticks."""
        self.unstamped = 0
        """How many packets had no stamp."""
        self._start = start
        self._is_reordered, self._is_by_show = is_reordered, False
        self._limits = _Limits.of(tick_s)
        self._lead = 0
        self._steps: deque[int] = deque(maxlen=REMEMBERED)
        self._last: tuple[int | None, int] | None = None
        """The last packet's time by the film's clock, and its corrected time."""
        self._count = 0
        self._held: list[Stamp] = []

    def take(self, stamp: Stamp) -> list[MendedStamp]:
        """Take the next packet's stamp; return, in order, the corrected stamps whose time is now certain."""
        self._is_by_show |= self._is_reordered and stamp.decode is None and stamp.show is not None
        if not self._held and self._follows(stamp.reading) and not self._is_far_ahead(stamp):
            return [self._accept(stamp)]
        self._held.append(stamp)
        if self._follows(self._held[0].reading):
            return self._settle_lead()
        return self._settle()

    def end(self) -> list[MendedStamp]:
        """Return the corrected stamps of the packets that are still held, at the end of the film."""
        if self._held and self._follows(self._held[0].reading):
            news, self._held = self._held, []
            return [self._accept(stamp) for stamp in news]
        if len(self._held) > 1 and self._is_even(0):
            return self._on_new_clock(0)
        return self._counted(len(self._held), ClockFault.STAMP)

    def _follows(self, reading: int | None) -> bool:
        if self._last is None or self._last[0] is None or reading is None:
            return True
        return self._is_step(reading - self._last[0])

    def _is_far_ahead(self, stamp: Stamp) -> bool:
        """Whether a picture is to be shown too long after it is decoded: its stamp is wrong, or a gap lies between."""
        if stamp.show is None or stamp.decode is None:
            return False
        return stamp.show - stamp.decode > self._limits.lead

    def _settle_lead(self) -> list[MendedStamp]:
        """Decide whether the first held picture is really shown so late.

        It is if others near it are too; otherwise its stamp is wrong.
        """
        first, others = self._held[0], self._held[1:]
        shown = [other.show for other in others if other.show is not None]
        is_true = any(abs(show - (first.show or 0)) <= self._limits.lead for show in shown)
        if not is_true and len(others) < CONFIRMED_BY // 2:
            return []
        self._held = []
        mended = [self._accept(first, is_lead_true=is_true)]
        for other in others:
            mended += self.take(other)
        return mended

    def _is_step(self, ticks: int, *, step: int | None = None) -> bool:
        back = self._limits.reordered if self._is_by_show else self._limits.jitter
        return -back < ticks <= max(self._limits.gap, GAP_STEPS * (step or self.step))

    def _accept(
        self, stamp: Stamp, *, gap: int = 0, fault: ClockFault | None = None, by: int = 0, is_lead_true: bool = False
    ) -> MendedStamp:
        """Correct one more packet on the present clock; one without a stamp comes a usual step later."""
        reading, hole = stamp.reading, 0
        if self._last is None:
            decode = self._start.decode if self._start else reading or 0
            self._last = (reading, decode)
        else:
            before, mended = self._last
            ticks = reading - before if reading is not None and before is not None else None
            if ticks is None:
                decode = mended + self.step + gap
            else:
                hole = ticks - gap - self.step if self._is_hole(ticks) else 0
                self._learn(ticks - gap)
                decode = mended + ticks
            self._last = (reading if reading is not None else None if before is None else before + self.step, decode)
        self._count += 1
        self.unstamped += reading is None
        return MendedStamp(
            decode=decode, show=self._shown(stamp, decode, is_lead_true), gap=gap, hole=hole, fault=fault, by=by
        )

    def _shown(self, stamp: Stamp, decode: int, is_lead_true: bool) -> int | None:
        if stamp.show is None:
            return None if self._is_reordered else decode
        if stamp.decode is None:
            return decode
        if is_lead_true:
            return decode + stamp.show - stamp.decode
        if 0 <= stamp.show - stamp.decode <= self._limits.lead:
            self._lead = stamp.show - stamp.decode
        return decode + self._lead

    def _learn(self, ticks: int) -> None:
        if ticks > 0:
            self._steps.append(ticks)
            if len(self._steps) in (1, 3, 7) or self._count % REMEMBERED == 0:
                self.step = max(round(median(self._steps)), 1)

    def _is_hole(self, ticks: int) -> bool:
        """Whether a step is too long for a film whose steps are all alike."""
        if ticks <= HOLE_STEPS * self.step or self._is_by_show or len(self._steps) < REMEMBERED // 2:
            return False
        return max(self._steps) <= STEADY * self.step <= STEADY * STEADY * min(self._steps)

    def _settle(self) -> list[MendedStamp]:
        """Decide what happened to the held stamps, as soon as later ones show it."""
        held = self._held
        if self._count == 1 and len(held) > CONFIRMED_BY and (step := self._first_step()):
            self.step, self._held = step, []
            return [self._accept(stamp) for stamp in held]
        newest = held[-1].reading
        if len(held) > 1 and not self._is_even(len(held) - 2) and self._follows_after(newest, len(held)):
            return [*self._between(newest), self._accept(self._held.pop())]
        if len(held) > CONFIRMED_BY:
            at = len(held) - 1 - CONFIRMED_BY
            if self._is_even(at):
                return self._on_new_clock(at)
        return self._counted(len(held), ClockFault.CHAOS) if len(held) >= HELD else []

    def _first_step(self) -> int | None:
        """Return the step of a film of few frames per second; None if there is none.

        Its first stamps lie far apart but evenly.
        """
        assert self._last is not None
        all_readings = (self._last[0], *(stamp.reading for stamp in self._held))
        readings = [reading for reading in all_readings if reading is not None]
        steps = [after - before for before, after in itertools.pairwise(readings)]
        return round(median(steps)) if steps and max(steps) <= 2 * min(steps) else None

    def _is_even(self, at: int) -> bool:
        """Whether the held stamps follow each other from index `at` on."""
        known = [stamp.reading for stamp in self._held[at:] if stamp.reading is not None]
        return all(self._is_step(after - before) for before, after in itertools.pairwise(known))

    def _follows_after(self, reading: int | None, count: int) -> bool:
        """Whether a stamp continues from the old clock, `count` packets later."""
        if reading is None or self._last is None or self._last[0] is None:
            return False
        return 0 < reading - self._last[0] <= max(self._limits.gap, GAP_STEPS * self.step) + count * self.step

    def _between(self, reading: int | None) -> list[MendedStamp]:
        """Replace all held stamps but the newest, which were wrong, by times evenly between their neighbours."""
        assert self._last is not None and self._last[0] is not None and reading is not None
        before, wrong = self._last[0], self._held[:-1]
        self._held = self._held[-1:]
        share = Fraction(reading - before, len(wrong) + 1)
        mended = []
        for number, stamp in enumerate(wrong, 1):
            right = before + round(share * number)
            by = (stamp.reading or right) - right
            mended.append(self._accept(Stamp(right, right + self._lead), fault=ClockFault.STAMP, by=by))
        return mended

    def _on_new_clock(self, at: int) -> list[MendedStamp]:
        """Continue on a new clock from a held stamp on; the packets before it are timed by counting."""
        mended = self._counted(at, ClockFault.STAMP)
        news, self._held = self._held, []
        first = news[0].reading
        assert self._last is not None
        if first is not None and self._last[0] is not None:
            mended.append(self._change(news.pop(0), first, first - self._last[0], news))
        for stamp in news:
            mended.append(self._accept(stamp))
        return mended

    def _change(self, stamp: Stamp, reading: int, ticks: int, following: Sequence[Stamp]) -> MendedStamp:
        """Correct the first packet on another clock: film is missing before it, or the clock was set."""
        assert self._last is not None
        step = self._step_of((stamp, *following))
        ticks = next((ticks + wrap for wrap in WRAPS_TICKS if 0 < ticks + wrap <= self._limits.longest_gap), ticks)
        if self._is_step(ticks, step=step):
            self._last = (reading - ticks, self._last[1])
            return self._accept(stamp)
        if 0 < ticks < self._limits.longest_gap and (self._count >= FIRST or stamp.is_key):
            self._last = (reading - ticks, self._last[1])
            return self._accept(stamp, gap=ticks - step)
        if ticks < 0 and max(list(self._steps)[-SWAPPED:], default=0) >= -ticks:
            self._last = (reading - ticks, self._last[1])  # it leapt ahead just before: these came out of order
            return self._accept(stamp)
        self._last = (reading - step, self._last[1])
        return self._accept(stamp, fault=ClockFault.SET, by=ticks - step)

    def _step_of(self, stamps: Sequence[Stamp]) -> int:
        """Return the usual step; after too few packets, that of the new clock."""
        known = [stamp.reading for stamp in stamps if stamp.reading is not None]
        steps = [after - before for before, after in itertools.pairwise(known) if after > before]
        return max(round(median(steps)), 1) if steps and self._count <= FIRST else self.step

    def _counted(self, count: int, fault: ClockFault) -> list[MendedStamp]:
        """Time the first `count` held packets a step apart each; the clock continues from the last."""
        wrong, self._held = self._held[:count], self._held[count:]
        mended = []
        for stamp in wrong:
            assert self._last is not None
            before = self._last[0]
            mended.append(self._accept(Stamp(None, None), fault=fault))
            self.unstamped -= 1
            if stamp.reading is not None and fault is ClockFault.CHAOS:
                self._last = (stamp.reading, self._last[1])
            elif before is None:
                self._last = (None, self._last[1])
        return mended
