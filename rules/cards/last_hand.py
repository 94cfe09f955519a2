"""Find a shoe's last hand that was not announced, where the rulebook orders an announcement.

Only judged in shoes in which a device or a person reports announcements. A call of "no more bets" from a device does
not count: its lamp reports that call alone, never "Last hand".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from thirdcard.rules.findings.findings import Finding
from thirdcard.rules.game.words import Device, Source
from thirdcard.rules.log.events import (
    BetsOpened,
    CardDealt,
    CutCardDrawn,
    Event,
    LastRoundAnnounced,
    NoMoreBets,
    ResultAnnounced,
    RoundClosed,
    VoidHandAnnounced,
)
from thirdcard.rules.round.round import Round, confidence_of
from thirdcard.rules.rulebook.options import Rules

_CODE = "procedure.last_hand_unannounced"
_WORDS = (BetsOpened, NoMoreBets, VoidHandAnnounced, ResultAnnounced, LastRoundAnnounced)


class LastHandJudge:
    """Waits for the announcement, from the cutting card to the last round's first card, or to its end (`nz-*` 11.2)."""

    def __init__(self, rules: Rules, *, device: str, shoes_begun: Callable[[], int]) -> None:
        """`shoes_begun` returns how many shoes were in use so far, whether or not their opening was seen."""
        self._is_ordered = rules.rulebook.last_round.is_announced and device != Device.CONTINUOUS_SHUFFLER
        self._shoes_begun = shoes_begun
        self._shoe = 0
        self._is_reported = False
        """Whether somebody reports announcements in this shoe."""
        self._was_announced = False
        self._last: int | None = None
        """The number of the shoe's last round, once the cutting card came."""
        self._came_first = False
        """Whether the cutting card came before that round's first card."""
        self._cut_confidence = 1.0

    @property
    def listens_to(self) -> Collection[type[Event]]:
        """The event types that matter here; none where no announcement is ordered."""
        return (*_WORDS, CutCardDrawn, CardDealt, RoundClosed) if self._is_ordered else ()

    def observe(self, event: Event, running: Round | None, rounds_begun: int) -> Iterable[Finding]:
        """Take an event before its round does; returns the fault, if any."""
        if self._shoe != self._shoes_begun():
            self._shoe, self._last = self._shoes_begun(), None
            self._is_reported = self._was_announced = False
        if isinstance(event, _WORDS):
            self._hear(event)
        elif isinstance(event, CutCardDrawn):
            self._cut(event, running, rounds_begun)
        elif self._is_too_late(event, running):
            return (self._unannounced(event),)
        return ()

    def _hear(self, event: Event) -> None:
        heard = (Source.PERSON,) if isinstance(event, NoMoreBets) else (Source.PERSON, Source.SIGNAL)
        self._is_reported = self._is_reported or event.source in heard
        self._was_announced = self._was_announced or isinstance(event, LastRoundAnnounced)

    def _cut(self, event: CutCardDrawn, running: Round | None, rounds_begun: int) -> None:
        if self._last is not None:
            return
        self._came_first = running is None or running.dealt.first is None
        self._last = rounds_begun + (running is None or not self._came_first)
        self._cut_confidence = confidence_of(event)

    def _is_too_late(self, event: Event, running: Round | None) -> bool:
        if self._last is None or running is None or running.number != self._last:
            return False
        is_moment = isinstance(event, RoundClosed if self._came_first else CardDealt)
        return is_moment and self._is_reported and not self._was_announced

    def _unannounced(self, event: Event) -> Finding:
        self._was_announced = True
        return Finding(
            code=_CODE,
            t=event.t,
            key=(_CODE,),
            message='The last hand was played without "Last coup" or "Last hand".',
            confidence=min(confidence_of(event), self._cut_confidence),
        )
