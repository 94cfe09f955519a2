"""Keep up with a camera on an overloaded machine: examine fewer frames, evenly spaced, or openly none.

A watch with irregular looks reports faults that never happened: two cards that came between two looks seem to have left
the shoe together. A few looks per second are enough if they are evenly spaced. A table that gets fewer asks to rest,
reports it, and leaves the machine to the others; otherwise it would raise alerts, which cause even more work.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum, auto

from thirdcard.service.live.camera import Shot

LATE = timedelta(seconds=0.6)
"""A reader that is so late skips some of the waiting frames."""
AT_ONCE = 4
"""The number of waiting frames that such a reader examines."""
LONGEST_GAP_S = 1.0
"""The longest acceptable time without a look although frames came."""
SPAN_S = 3.0
APART = timedelta(seconds=SPAN_S)
"""The time between two permissions to rest: only then do the others know whether the freed capacity is enough."""
LEAST_RATE_HZ = 2.5
"""Fewer looks per second over that span are too few. Down to this rate the shipped recording gives no false alert
(docs/endurance.md: few looks); from three per second on it misses some."""
RESTS = tuple(timedelta(seconds=s) for s in (10, 20, 40, 60))
"""Rest times; each following one is used if the previous was not enough."""
BREATH = timedelta(seconds=1)
"""How long a table that asks to rest waits for permission; then it looks again."""
RELAPSE = timedelta(seconds=60)
"""An overload so soon after a rest shows that the rest was too short; a stall so soon after another shows an
overload."""
NEVER = datetime.min.replace(tzinfo=UTC)


class Strain(Enum):
    """The meaning of a lack of looks."""

    NONE = auto()
    """There is no lack."""
    STALL = auto()
    """A single stall, such as a slow database: the gap was not seen, and the watch continues."""
    OVERLOAD = auto()
    """Repeated stalls: only a rest helps, of this or another table."""


def thinned(shots: Sequence[Shot], now: datetime) -> Sequence[Shot]:
    """The frames to examine: all, or if they wait too long some evenly spaced ones with the newest."""
    if not shots or now - shots[0].at <= LATE:
        return shots
    step = math.ceil(len(shots) / AT_ONCE)
    return shots[::-1][::step][::-1]


@dataclass(slots=True)
class Stamina:
    """Whether one table gets enough looks, and its rests if not."""

    _looks: deque[tuple[float, int]] = field(default_factory=deque)
    """Times in seconds of the last looks, each with the number of frames skipped until then."""
    _rests: int = 0
    _until: datetime = NEVER
    _breath_until: datetime = NEVER
    _lacked_at: datetime = NEVER

    def note(self, t: float, missed: int, now: datetime) -> Strain:
        """The strain after a look at `t` seconds; `missed` is the number of frames skipped until now."""
        if not self._lacks_looks(t, missed):
            return Strain.NONE
        self.begin()
        ended, self._lacked_at = max(self._lacked_at, self._until), now
        return Strain.STALL if now - ended > RELAPSE else Strain.OVERLOAD

    def _lacks_looks(self, t: float, missed: int) -> bool:
        while len(self._looks) > 1 and t - self._looks[0][0] > SPAN_S:
            self._looks.popleft()
        if not self._looks:
            self._looks.append((t, missed))
            return False
        (first_t, missed_before), (last_t, _) = self._looks[0], self._looks[-1]
        self._looks.append((t, missed))
        if missed == missed_before:
            return False
        is_slow = t - first_t > 0.8 * SPAN_S and len(self._looks) - 1 < LEAST_RATE_HZ * (t - first_t)
        return is_slow or t - last_t > LONGEST_GAP_S

    def begin(self) -> None:
        """Forget earlier looks: the camera was gone, or a rest is over."""
        self._looks.clear()

    def take_breath(self, now: datetime) -> None:
        """Pause until it is known whether the table may rest."""
        self._breath_until = now + BREATH

    def rest(self, now: datetime) -> None:
        """Stop examining frames for a while."""
        is_relapse = now - self._until < RELAPSE
        self._rests = self._rests + 1 if is_relapse else 0
        self._until = now + RESTS[min(self._rests, len(RESTS) - 1)]

    def remaining(self, now: datetime) -> timedelta:
        """How long the rest still lasts."""
        return max(self._until - now, self._breath_until - now, timedelta())


@dataclass(slots=True)
class Turns:
    """Grants rests to one table at a time, the first that asks.

    If all tables decided alone, all would rest at once whenever the machine is briefly busy. What one resting table
    frees may be enough for the others.
    """

    _given_at: datetime = NEVER

    def give(self, now: datetime) -> bool:
        """Whether the asking table may rest now."""
        if now - self._given_at < APART:
            return False
        self._given_at = now
        return True
