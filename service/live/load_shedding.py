"""Keep up with a camera on a machine that has too much to do: look at fewer frames, evenly, or honestly at none.

A watch that sees in bursts alleges what never happened: of cards that came between two looks it seems that they left
the shoe together. Some looks a second are enough, if they lie evenly. A table that gets fewer than that asks to rest,
says so, and leaves the machine to the others; it would raise alerts otherwise, and these make still more work.
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
"""Who is so late passes over some of the frames that wait."""
AT_ONCE = 4
"""So many of them are looked at then."""
LONGEST_GAP_S = 1.0
"""Longer without a look, though frames came, is too long."""
SPAN_S = 3.0
APART = timedelta(seconds=SPAN_S)
"""Between two turns to rest: only then the others know whether what they were left is enough."""
LEAST_RATE_HZ = 2.5
"""Fewer looks, over that span, are too few. Down to this the shipped recording gives no false alert (docs/endurance.md:
few looks); from three a second on it misses some."""
RESTS = tuple(timedelta(seconds=s) for s in (10, 20, 40, 60))
"""The next is longer where one was not enough."""
BREATH = timedelta(seconds=1)
"""So long a table that asks to rest waits for its turn; then it looks again."""
RELAPSE = timedelta(seconds=60)
"""So soon after a rest the next overload shows that it was not; so soon after a stall another shows an overload."""
NEVER = datetime.min.replace(tzinfo=UTC)


class Strain(Enum):
    """What a lack of looks means."""

    NONE = auto()
    """There is none."""
    STALL = auto()
    """Once, as where the database hung: what lay between was not seen, and it goes on."""
    OVERLOAD = auto()
    """Again and again: only a rest helps, its own or another table's."""


def thinned(shots: Sequence[Shot], now: datetime) -> Sequence[Shot]:
    """Those to be looked at: all, or where they wait too long some that lie evenly, the newest among them."""
    if not shots or now - shots[0].at <= LATE:
        return shots
    step = math.ceil(len(shots) / AT_ONCE)
    return shots[::-1][::step][::-1]


@dataclass(slots=True)
class Stamina:
    """Whether one table gets enough looks, and its rest where it does not."""

    _looks: deque[tuple[float, int]] = field(default_factory=deque)
    """Moments in seconds of the last looks, each with how many frames had been passed over by then."""
    _rests: int = 0
    _until: datetime = NEVER
    _breath_until: datetime = NEVER
    _lacked_at: datetime = NEVER

    def note(self, t: float, missed: int, now: datetime) -> Strain:
        """How it stands with a look at `t`, in seconds; `missed`: how many frames were passed over until now."""
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
        """The looks before do not count: the camera was gone, or a rest is over."""
        self._looks.clear()

    def take_breath(self, now: datetime) -> None:
        """Waits without looking until it knows whether it may rest."""
        self._breath_until = now + BREATH

    def rest(self, now: datetime) -> None:
        """ShowPicture at nothing for a while."""
        is_relapse = now - self._until < RELAPSE
        self._rests = self._rests + 1 if is_relapse else 0
        self._until = now + RESTS[min(self._rests, len(RESTS) - 1)]

    def remaining(self, now: datetime) -> timedelta:
        """How long it still rests."""
        return max(self._until - now, self._breath_until - now, timedelta())


@dataclass(slots=True)
class Turns:
    """Whose turn it is to rest; the first that asks, and for a while nobody else.

    What a table that rests leaves may be enough for the others. Each for itself, all tables rest at once when the
    machine is busy for a moment, as where a browser is started on it.
    """

    _given_at: datetime = NEVER

    def give(self, now: datetime) -> bool:
        """Whether the table that asks may rest now."""
        if now - self._given_at < APART:
            return False
        self._given_at = now
        return True
