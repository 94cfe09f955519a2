"""Count what came out of the shoe: cards that its decks cannot hold, and when it is empty.

A shoe may begin without a line that says so: cards after its end, more of them than it holds, or a burn tell it too.
"""

from __future__ import annotations

from collections.abc import Iterable

from rules.cards import CARDS_PER_DECK, Card
from rules.events import (
    CardBurned,
    CardDealt,
    CardTurned,
    Event,
    ResultAnnounced,
    RoundClosed,
    ShoeClosed,
    ShoeOpened,
    WagerSettled,
)
from rules.findings import Finding
from rules.round import Round, confidence_of

CONTINUOUS = "continuous_shuffler"
_ENDS = (ResultAnnounced, WagerSettled, RoundClosed)


class Shoe:
    """The cards out of one shoe; a continuous shuffler takes them back each round and is never empty."""

    def __init__(self, *, decks: int, device: str) -> None:
        self.begun = 0
        """How many shoes came after the first one, whether their opening was seen or not."""
        self._decks = decks
        self._is_continuous = device == CONTINUOUS
        self._faces: dict[Card, int] = {}
        self._out = 0
        self._was_dealt_from = False
        self._was_opening_seen = False
        self._is_closed = False
        self._spent_t: float | None = None
        """When as many cards were out as its decks hold."""

    def empty_since(self, event: Event) -> float | None:
        """From when on no further card could come, as far as the event lets it be known; None while one may.

        Where the shoe's opening was not seen the count may span two: there the round's end has to bear it out.
        """
        if self._is_closed:
            return event.t
        if self._spent_t is None:
            return None
        if self._was_opening_seen or isinstance(event, _ENDS):
            return self._spent_t
        return None

    def observe(self, event: Event, running: Round | None) -> Iterable[Finding]:
        """Count a card; `running` is the round as it was before the event."""
        if isinstance(event, CardDealt | CardBurned):
            may_be_another = self._is_closed or self._spent_t is not None or type(event) is CardBurned
            if may_be_another and self._is_of_another(event, running):
                self._begin(was_seen=False)
            self._take(event)
            return self._count(event, event.card)
        if isinstance(event, CardTurned):
            known = None if running is None else running.cards.get(event.card_id)
            return () if known is None or known.card is not None else self._count(event, event.card)
        if isinstance(event, ShoeOpened):
            self._decks = event.decks or self._decks
            self._begin(was_seen=True)
        elif isinstance(event, ShoeClosed):
            self._is_closed = True
        return ()

    def end_round(self) -> None:
        """The round's cards have left the table."""
        if self._is_continuous:
            self._faces.clear()

    def _begin(self, *, was_seen: bool) -> None:
        self.begun += 1
        self._faces.clear()
        self._out, self._is_closed, self._spent_t = 0, False, None
        self._was_opening_seen, self._was_dealt_from = was_seen, False

    def _is_of_another(self, event: CardDealt | CardBurned, running: Round | None) -> bool:
        """Whether the card cannot come from the shoe that was counted so far."""
        if isinstance(event, CardBurned):
            return self._is_closed or self._was_dealt_from
        is_first = running is None or running.first_card is None
        if self._spent_t is not None and not self._was_opening_seen:
            return True
        return is_first and (self._is_closed or self._spent_t is not None)

    def _take(self, event: CardDealt | CardBurned) -> None:
        self._out += 1
        self._was_dealt_from = self._was_dealt_from or isinstance(event, CardDealt)
        if self._out == self._decks * CARDS_PER_DECK and not self._is_continuous:
            self._spent_t = event.t

    def _count(self, event: CardDealt | CardBurned | CardTurned, card: Card | None) -> Iterable[Finding]:
        if card is None:
            return ()
        self._faces[card] = times = self._faces.get(card, 0) + 1
        if times <= self._decks:
            return ()
        foreign = Finding(
            code="misdeal.foreign_card",
            t=event.t,
            key=("misdeal.foreign_card", card, times),
            message=f"{card} came out {times} times; the shoe holds {self._decks} decks.",
            cards=(card,),
            confidence=confidence_of(event),
        )
        return (foreign,)
