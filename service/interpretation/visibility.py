"""Remember when a camera could not see, and lower the confidence of what may have happened then.

Seconds of stream time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from thirdcard.rules.belief.tempo import ActInterval, duration
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

REMEMBERED = 64
"""The number of unseen stretches that are kept: a round has a few at most, so older ones concern no open round."""
BEFORE_WATCH = float("-inf")
TRAVEL_S = 0.6
"""From the shoe's mouth, or from a hand, to rest. What rests earlier after the start lay there before the watch."""
_KINDS: Mapping[str, type[CameraFaulted]] = {"frozen": CameraLost, "moved": CameraMoved}
"""The event type of these faults; all others hide the table."""


@dataclass(slots=True)
class Blindness:
    """When one camera could not see."""

    camera: str | None = None
    was_opening_seen: bool = False
    """Whether the running round, or an earlier one, was seen to open."""
    is_half_seen: bool = False
    """Whether the running round began before the watch: a card that seems to come may only have been turned."""
    may_be_amid_play: bool = False
    """Whether that is possible, since the first look shows backs, or print that looks like them."""
    was_deal_unseen: bool = False
    """Whether a card of the running round came unseen, or may have: then more may have, and lie covered."""
    round_t: float = 0.0
    """When the running round opened, or the previous one closed."""
    began_t: float = 0.0
    """When the watch began: whatever lies on the table then came unseen."""
    since_t: float | None = None
    """Since when it cannot see; None while it sees."""
    spans: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    """The latest finished stretches, from and to."""

    def begin(self, t: float) -> None:
        """Note that from `t` on nothing can be seen."""
        self.since_t = t if self.since_t is None else self.since_t

    def end(self, t: float) -> None:
        """Note that the camera sees again."""
        if self.since_t is not None:
            self.spans.append((self.since_t, t))
        self.since_t = None

    def begin_amid_play(self) -> list[Event]:
        """Note that a card lay there before the watch began, so all cards that rest soon after may have, too.

        Returns the log lines that say so, early enough that nothing precedes them: then no unseen fault of the round is
        reported. Empty where that was logged before.
        """
        if BEFORE_WATCH in (begun_t for begun_t, _ in self.spans):
            return []
        self.spans.append((BEFORE_WATCH, self.began_t + TRAVEL_S))
        self.is_half_seen = True
        sure = UNSEEN
        first_t = self.began_t - 2 * TRAVEL_S
        lost = CameraLost(t=first_t, camera=self.camera, fault="not_watched", source=Source.INFERRED, confidence=sure)
        return [lost, CameraBack(t=self.began_t, camera=self.camera, source=Source.INFERRED, confidence=sure)]

    def doubt_first_look(self, *, may_hide_cards: bool) -> None:
        """Note that the first look shows something that may be face-down cards.

        A round was under way only if chips lay there as well: without wagers no card is dealt.
        """
        self.may_be_amid_play |= may_hide_cards

    def apply(self, line: Event) -> None:
        """Apply a written line."""
        if isinstance(line, BetsOpened | RoundClosed):
            self.was_opening_seen, self.is_half_seen, self.may_be_amid_play = True, False, False
            self.was_deal_unseen, self.round_t = False, line.t
        elif isinstance(line, CardTurned) and not line.face_up and self.was_blind(self.round_t, line.t):
            self.was_deal_unseen = True

    def is_blind_at(self, t: float) -> bool:
        """Whether the camera could not see at that moment."""
        spans = self.spans if self.since_t is None else (*self.spans, (self.since_t, float("inf")))
        return any(begin <= t < end for begin, end in spans)

    def was_blind(self, from_t: float, to_t: float, *, least_s: float = 0.0) -> bool:
        """Whether the camera could not see in some of that time, in a stretch of at least `least_s`."""
        if self.since_t is not None and to_t > self.since_t:
            return True
        return any(from_t < end and to_t > begin and end - begin >= least_s for begin, end in self.spans)

    def doubted(self, event: Doubtful, from_t: float, to_t: float, *, untold_since_t: float | None = None) -> Doubtful:
        """The event, with lower confidence if a part of the time in which it may have happened was not seen.

        It may also belong to another round, or have come after the wagers were settled, if nobody reports that and it
        is possible since `untold_since_t`. Chips at the first look show that a round was under way if no opening was
        logged. Once a card came unseen, no later card of the round is certain to have left the shoe when it was first
        seen.
        """
        if from_t < TRAVEL_S and not self.was_opening_seen:
            self.is_half_seen = True
        is_unseen = self.was_blind(from_t, to_t)
        passed = ActInterval.END_TO_CARD if isinstance(event, CardDealt) else ActInterval.RESULT_TO_SETTLING
        least_s = duration(passed).least_s
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
        """The log line that the camera cannot see from `t` on, with the cause."""
        kind = _KINDS.get(fault, CameraObstructed)
        return kind(t=t, camera=self.camera, fault=fault, source=Source.CAMERA)
