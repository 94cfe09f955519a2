"""Remember when a camera could not see, and doubt what may have happened then.

Seconds of stream time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from thirdcard.rules.log.events import (
    UNSEEN,
    BetsOpened,
    CameraBack,
    CameraFaulted,
    CameraLost,
    CameraMoved,
    CameraObstructed,
    CardDealt,
    CardTurned,
    Event,
    RoundClosed,
    Source,
    WagerChanged,
    WagerSettled,
)

Doubtful = TypeVar("Doubtful", CardDealt, WagerChanged, WagerSettled)

LEAST_END_S = 4.0
"""In less time nobody ends a round and begins another."""
LEAST_SETTLING_S = 1.0
"""In less time nobody settles a wager."""
REMEMBERED = 64
"""Times without sight that are kept, the last ones: a round has a few at most, so older ones concern no open round."""
BEFORE_WATCH = float("-inf")
AHEAD_S = 1.0
"""Ahead of all that was seen."""
FIRST_LOOKS_S = 0.6
"""What is seen so soon lay there before the watch began."""
_KINDS: Mapping[str, type[CameraFaulted]] = {"frozen": CameraLost, "moved": CameraMoved}
"""All other faults hide the table."""


@dataclass(slots=True)
class Blindness:
    """When one camera could not see."""

    camera: str | None = None
    was_opening_seen: bool = False
    """Whether the running round, or one before it, was seen to open."""
    is_half_seen: bool = False
    """Whether the running round began before the watch: a card that is seen to come may only have been turned."""
    may_be_amid_play: bool = False
    """Whether so it may be, for cards may have lain with their backs up where the first look shows backs or print."""
    was_deal_unseen: bool = False
    """Whether a card of the running round came while nothing was seen, or may have: more may have, and lie hidden."""
    round_t: float = 0.0
    """When the running round was seen or said to open, or the one before it to close."""
    began_t: float = 0.0
    """When the watch began: what lies on the table then came unseen."""
    since_t: float | None = None
    """None while it sees."""
    spans: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    """From and to, of the last that are over."""

    def begin(self, t: float) -> None:
        """From now on nothing can be seen."""
        self.since_t = t if self.since_t is None else self.since_t

    def end(self, t: float) -> None:
        """It sees again."""
        if self.since_t is not None:
            self.spans.append((self.since_t, t))
        self.since_t = None

    def begin_amid_play(self, travel_s: float) -> list[Event]:
        """A card lay there before the watch began: so may all have come that is seen within `travel_s` of that.

        Gives what says so in the log, so early that nothing precedes it: nothing unseen is alleged of the round. Gives
        nothing where it was said before.
        """
        if BEFORE_WATCH in (begun_t for begun_t, _ in self.spans):
            return []
        self.spans.append((BEFORE_WATCH, self.began_t + travel_s))
        self.is_half_seen = True
        sure = UNSEEN
        first_t = self.began_t - travel_s - AHEAD_S
        lost = CameraLost(t=first_t, camera=self.camera, fault="not_watched", source=Source.INFERRED, confidence=sure)
        return [lost, CameraBack(t=self.began_t, camera=self.camera, source=Source.INFERRED, confidence=sure)]

    def doubt_first_look(self, *, may_hide_cards: bool) -> None:
        """Something lay there at the first look that nobody can tell from cards, where cards may lie face down.

        A round was under way only where chips lay there as well: without wagers no card is dealt.
        """
        self.may_be_amid_play |= may_hide_cards

    def apply(self, line: Event) -> None:
        """Take a written line in."""
        if isinstance(line, BetsOpened | RoundClosed):
            self.was_opening_seen, self.is_half_seen, self.may_be_amid_play = True, False, False
            self.was_deal_unseen, self.round_t = False, line.t
        elif isinstance(line, CardTurned) and not line.face_up and self.was_blind(self.round_t, line.t):
            self.was_deal_unseen = True

    def was_blind(self, from_t: float, to_t: float, *, least_s: float = 0.0) -> bool:
        """Whether any of that time was not seen, in a stretch of at least so long; one that goes on may be of any."""
        if self.since_t is not None and to_t > self.since_t:
            return True
        return any(from_t < end and to_t > begin and end - begin >= least_s for begin, end in self.spans)

    def doubted(self, event: Doubtful, from_t: float, to_t: float, *, untold_since_t: float | None = None) -> Doubtful:
        """The event, less sure where some of the time it may have happened in was not seen.

        Nor is it sure to be of the running round, or to have come before its wagers were settled, where nobody reports
        that and it may have been so since `untold_since_t`. Chips that lie there at the first look tell that a round
        was under way, where nothing said that one opened. Once a card came unseen, no later one of the round is sure
        to have left the shoe when it was first seen.
        """
        if from_t < FIRST_LOOKS_S and not self.was_opening_seen:
            self.is_half_seen = True
        is_unseen = self.was_blind(from_t, to_t)
        least_s = LEAST_END_S if isinstance(event, CardDealt) else LEAST_SETTLING_S
        is_unseen |= untold_since_t is not None and self.was_blind(untold_since_t, to_t, least_s=least_s)
        if isinstance(event, CardDealt):
            self.was_deal_unseen |= is_unseen
            is_unseen = self.was_deal_unseen
        if not self.is_half_seen and not is_unseen:
            return event
        sure = 1.0 if event.confidence is None else event.confidence
        less_sure = replace(event, confidence=min(sure, UNSEEN))
        return replace(less_sure, value_confidence=None) if isinstance(less_sure, CardDealt) else less_sure

    def fault_line(self, t: float, fault: str) -> Event:
        """What says in the log that the camera cannot see from `t` on, and why."""
        kind = _KINDS.get(fault, CameraObstructed)
        return kind(t=t, camera=self.camera, fault=fault, source=Source.CAMERA)
