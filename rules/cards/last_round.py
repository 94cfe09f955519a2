"""Know which round is the shoe's last, and find rounds that were dealt after it.

Each round after the last one is a fault of its own, reported at its first card. The texts forbid every one (`nz-*`
11.2: no further cards until they are replaced; `tas` 9.4: no initial deal starts), and wagers are won and lost in each.
The faults end when new cards are put in, either seen or shown by cards that the shoe can no longer hold.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from thirdcard.rules.findings.findings import Finding
from thirdcard.rules.game.words import Device
from thirdcard.rules.log.events import (
    CameraLost,
    CameraMoved,
    CameraObstructed,
    CardBurned,
    CardDealt,
    CutCardDrawn,
    Event,
    LastRoundAnnounced,
    ShoeClosed,
    ShoeOpened,
)
from thirdcard.rules.round.round import Round, confidence_of
from thirdcard.rules.rulebook.model import AfterCutCard
from thirdcard.rules.rulebook.options import Rules

_CODE = "misdeal.after_last_round"
_OF_THE_END = (
    ShoeOpened, ShoeClosed, CardBurned, CardDealt, CutCardDrawn, LastRoundAnnounced,
    CameraLost, CameraMoved, CameraObstructed,
)  # fmt: skip


class LastRoundJudge:
    """Follows the cutting card, the announcement and the end of the shoe; a continuous shuffler has no last round.

    Where the rulebook defines what the cutting card means, that overrides the announcement. A closed shoe has no
    further round, whatever was announced before.
    """

    def __init__(self, rules: Rules, *, device: str, shoes_begun: Callable[[], int]) -> None:
        """`shoes_begun` returns how many shoes were in use so far, whether or not their opening was seen."""
        self._after_cut = rules.rulebook.last_round.after_cut_card
        self._is_continuous = device == Device.CONTINUOUS_SHUFFLER
        self._by_cut: int | None = None
        self._by_word: int | None = None
        self._by_end: int | None = None
        """The last round according to the shoe's end: the one whose first card was out, or the one before."""
        self._cut_in: int | None = None
        """The round in which the cutting card came, while no card has followed it."""
        self._was_camera_lost = False
        self._shoes_begun = shoes_begun
        self._shoe = 0

    def is_last(self, number: int) -> bool:
        """Whether the round with that number is the shoe's last, or comes after it."""
        last = self._last
        return last is not None and number >= last

    @property
    def _last(self) -> int | None:
        last = self._by_word if self._by_cut is None else self._by_cut
        return last if self._by_end is None else self._by_end if last is None else min(last, self._by_end)

    @property
    def listens_to(self) -> Collection[type[Event]]:
        """The event types that can show a shoe's end; none for a continuous shuffler."""
        if self._is_continuous:
            return ()
        return _OF_THE_END

    def observe(self, event: Event, running: Round | None, rounds_begun: int) -> Iterable[Finding]:
        """Take an event before its round does; returns the fault, if any. `running` is the event's round."""
        if self._shoe != self._shoes_begun():
            self._begin()
        if isinstance(event, CardDealt):
            return () if running is None or self._last is None else self._deal(event, running, self._last)
        if isinstance(event, CutCardDrawn):
            self._cut(running, rounds_begun)
        elif isinstance(event, LastRoundAnnounced):
            self._announce(running, rounds_begun)
        elif isinstance(event, ShoeClosed):
            self._end(running, rounds_begun)
        elif isinstance(event, CameraLost | CameraMoved | CameraObstructed):
            self._was_camera_lost = self._last is not None
        return ()

    def _begin(self) -> None:
        """Start counting for another shoe."""
        self._shoe = self._shoes_begun()
        self._by_cut = self._by_word = self._by_end = self._cut_in = None
        self._was_camera_lost = False

    def _cut(self, running: Round | None, rounds_begun: int) -> None:
        if self._by_cut is not None or self._after_cut is AfterCutCard.SILENT:
            return
        if running is None:
            self._by_cut = rounds_begun + 1
        elif running.dealt.first is None:
            self._by_cut = running.number
        else:
            self._by_cut = running.number + 1
            self._cut_in = running.number if self._after_cut is AfterCutCard.ONE_CARD else None

    def _announce(self, running: Round | None, rounds_begun: int) -> None:
        if self._by_word is not None:
            return
        if running is None:
            self._by_word = rounds_begun + 1
        elif running.dealt.first is None or (not running.is_decided and self._after_cut is AfterCutCard.ONE_CARD):
            self._by_word = running.number
        else:
            self._by_word = running.number + 1

    def _end(self, running: Round | None, rounds_begun: int) -> None:
        is_begun = running is None or running.dealt.first is not None
        if self._by_end is None:
            self._by_end = rounds_begun if is_begun else rounds_begun - 1

    def _deal(self, event: CardDealt, running: Round, last: int) -> Iterator[Finding]:
        if self._cut_in is not None:
            if self._cut_in == running.number:
                self._by_cut = running.number
            self._cut_in = None
        if running.dealt.first is not None or running.number <= last:
            return
        if self._was_camera_lost or running.was_camera_lost:
            running.doubt(_CODE, "the camera was lost; the cards may have been replaced")
            return
        yield Finding(
            code=_CODE,
            t=event.t,
            key=(_CODE,),
            message="A round was dealt after the last round of the shoe.",
            hand=event.hand,
            cards=() if event.card is None else (event.card,),
            confidence=confidence_of(event),
        )
