"""What a camera tells of the cards that are burned at a shoe's opening, and whether it can tell.

It can where it sees the ground from the shoe to the rack: burned cards then lie there for a while, or in the boxes
before bets are opened, and a hand goes to the rack. That none was burned is known only where no hand went there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.cards import Card
from rules.events import BetsOpened, CardBurned, CardDealt, Event, NoMoreBets, ShoeOpened, Source

UNWATCHED_CONFIDENCE = 0.4
"""Of a shoe's opening, or a burned card, that nobody watched."""


@dataclass(slots=True, kw_only=True)
class Burns:
    """Who tells of burned cards at a table, and what was seen since the shoe was opened."""

    is_signalled: bool = False
    """Whether a device tells of each."""
    is_watched: bool = False
    """Whether the camera sees the ground from the shoe to the discard rack."""
    are_due: bool = False
    """Whether a shoe was opened, and neither bets nor a card since."""
    count: int = 0
    """Cards burned since the shoe was opened."""

    def with_doubt(self, signal: Event) -> Event:
        """A device's signal, a shoe's opening unsure where nobody can tell what was burned."""
        if isinstance(signal, ShoeOpened) and not (self.is_signalled or self.is_watched):
            return replace(signal, confidence=UNWATCHED_CONFIDENCE)
        return signal

    def apply(self, line: Event) -> None:
        """Take a written line in."""
        if isinstance(line, ShoeOpened):
            self.are_due, self.count = True, 0
        elif isinstance(line, CardBurned):
            self.count += 1
        elif isinstance(line, BetsOpened | NoMoreBets | CardDealt):
            self.are_due = False

    def by_card(self, t: float, card: Card | None, sure: float) -> list[Event]:
        """A card came to rest; its face where it showed, and how sure that is."""
        if self.is_signalled or not self.are_due:
            return []
        return [CardBurned(t=t, card=card, confidence=round(min(sure, 1.0), 4), source=Source.CAMERA)]

    def by_visit(self, t: float) -> list[Event]:
        """A hand was at the rack: where no burned card was seen before, some may have gone there unseen."""
        return [] if self.count else self.by_cover(t)

    def by_cover(self, t: float) -> list[Event]:
        """A burned card was hidden and lies there still: another may have been laid onto it."""
        if self.is_signalled or not self.are_due:
            return []
        return [CardBurned(t=t, confidence=UNWATCHED_CONFIDENCE, source=Source.CAMERA)]
