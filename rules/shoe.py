"""Count what came out of the shoe: cards that its decks cannot hold, and when it is empty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rules.cards import CARDS_PER_DECK, Card
from rules.events import CardBurned, CardDealt, CardTurned, Event, ShoeClosed, ShoeOpened
from rules.findings import Finding
from rules.round import Round, confidence_of

CONTINUOUS = "continuous_shuffler"


class Shoe:
    """The cards out of one shoe; a continuous shuffler takes them back each round and is never empty."""

    def __init__(self, *, decks: int, device: str) -> None:
        self._decks = decks
        self._is_continuous = device == CONTINUOUS
        self._faces: Counter[Card] = Counter()
        self._out = 0
        self._is_closed = False

    @property
    def is_empty(self) -> bool:
        """Whether no further card can come."""
        return self._is_closed or (not self._is_continuous and self._out >= self._decks * CARDS_PER_DECK)

    def observe(self, event: Event, running: Round | None) -> Iterator[Finding]:
        """Count a card; `running` is the round as it was before the event."""
        if isinstance(event, ShoeOpened):
            self._decks = event.decks or self._decks
            self._faces.clear()
            self._out, self._is_closed = 0, False
        elif isinstance(event, ShoeClosed):
            self._is_closed = True
        elif isinstance(event, CardDealt | CardBurned):
            self._out += 1
            yield from self._count(event, event.card)
        elif isinstance(event, CardTurned):
            known = None if running is None else running.cards.get(event.card_id)
            if known is not None and known.card is None:
                yield from self._count(event, event.card)

    def end_round(self) -> None:
        """The round's cards have left the table."""
        if self._is_continuous:
            self._faces.clear()

    def _count(self, event: CardDealt | CardBurned | CardTurned, card: Card | None) -> Iterator[Finding]:
        if card is None:
            return
        self._faces[card] += 1
        if self._faces[card] <= self._decks:
            return
        yield Finding(
            code="misdeal.foreign_card",
            t=event.t,
            key=("misdeal.foreign_card", card, self._faces[card]),
            message=f"{card} came out {self._faces[card]} times; the shoe holds {self._decks} decks.",
            cards=(card,),
            confidence=confidence_of(event),
        )
