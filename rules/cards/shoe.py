"""Count the cards out of the shoe: find cards that its decks cannot hold, and when it is empty.

A new shoe may begin without a line in the log: a burn, or more cards than the shoe holds, show it too. Cards dealt
after the shoe was closed do not show it; since nobody knows which shoe they are from, the faces are counted anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from thirdcard.rules.findings.findings import Finding
from thirdcard.rules.game.cards import CARDS_PER_DECK, PACK, Card
from thirdcard.rules.game.words import Device
from thirdcard.rules.log.events import (
    CardBurned,
    CardDealt,
    CardTurned,
    ResultAnnounced,
    RoundClosed,
    ShoeClosed,
    ShoeOpened,
    WagerSettled,
)
from thirdcard.rules.round.round import Round, confidence_of

FindAtFirstCard = Callable[[CardDealt, Round], Iterable[Finding]]


class _Copies:
    """The copies of each card that are out, by the card's number."""

    __slots__ = ("sure", "times")

    def __init__(self) -> None:
        self.times = [0] * len(PACK)
        self.sure = [1.0] * len(PACK)
        """The confidence, 0 to 1, that all of them were read correctly."""


class Shoe:
    """The cards out of one shoe; a continuous shuffler takes them back each round and is never empty."""

    def __init__(self, *, decks: int, device: str, find_at_first_card: FindAtFirstCard) -> None:
        """`find_at_first_card` is called when the first card of a shoe is dealt."""
        self.begun = 0
        """How many shoes came after the first one, whether or not their opening was seen."""
        self._find_at_first_card = find_at_first_card
        self._decks = decks
        self.is_endless = device == Device.CONTINUOUS_SHUFFLER
        self._holds = self._full()
        self._copies = _Copies()
        self._out = 0
        self.sureness = 1.0
        """The confidence, 0 to 1, that every counted card exists."""
        self._was_dealt_from = False
        self._was_opening_seen = False
        self._is_closed = False
        self._spent_t: float | None = None
        """Stream time in seconds at which the last card came out; None before."""

    def count_begun(self) -> int:
        """How many shoes came after the first one, whether or not their opening was seen."""
        return self.begun

    @property
    def left(self) -> int | None:
        """The number of cards left in the shoe; None where unknown."""
        return None if self._holds is None or not self._was_opening_seen else self._holds - self._out

    def open(self, event: ShoeOpened, _running: Round | None) -> None:
        """Start a new shoe."""
        self._decks = event.decks or self._decks
        self._holds = self._full()
        self._begin(was_seen=True)

    def close(self, event: ShoeClosed, running: Round | None) -> None:
        """Close the shoe: no further card comes."""
        self._is_closed = True
        if running is not None and running.dealt.first is not None:
            running.dealt.note_empty_shoe(event.t)

    def doubt(self) -> None:
        """Count anew, since another shoe may have come unseen."""
        self._copies = _Copies()
        self._out, self._spent_t, self.sureness, self._was_opening_seen = 0, None, 1.0, False

    def deal(self, event: CardDealt, running: Round) -> Iterable[Finding]:
        """Count a dealt card; returns its faults. `running` is the round before the event."""
        if self._spent_t is not None and self._is_of_another(running):
            self._begin(was_seen=False)
        elif self._is_closed and running.dealt.first is None:
            self._is_closed = self._was_opening_seen = False
            self._copies = _Copies()
        self._out += 1
        if event.confidence is not None:
            self._doubt_card(event, event.confidence)
        if self._out == self._holds:
            self._spend(event.t, running)
        card = event.card
        if card is not None:
            times = self._copies.times[card.number]
            if times < self._decks and self._was_dealt_from:
                self._copies.times[card.number] = times + 1
                return ()
        findings = self._count(event, card)
        if not self._was_dealt_from:
            self._was_dealt_from = True
            findings = (*findings, *self._find_at_first_card(event, running))
        return findings

    def _doubt_card(self, event: CardDealt, confidence: float) -> None:
        self.sureness *= confidence
        copies, card = self._copies, event.card
        if card is not None and copies.times[card.number] < self._decks and self._was_dealt_from:
            copies.sure[card.number] *= confidence

    def burn(self, event: CardBurned, running: Round | None) -> Iterable[Finding]:
        """Count a burned card; returns its faults. One that comes after dealt cards begins another shoe."""
        if self._is_closed or self._was_dealt_from:
            self._begin(was_seen=False)
        self._out += 1
        if self._out == self._holds:
            self._spend(event.t, None if running is None or running.dealt.first is None else running)
        return self._count(event, event.card)

    def end(self, _event: ResultAnnounced | WagerSettled | RoundClosed, running: Round) -> None:
        """Note in the ending round that the shoe is empty, if its opening was not seen: then the count may span two
        shoes."""
        if self._spent_t is not None and running.dealt.first is not None and running.is_decided:
            running.dealt.note_empty_shoe(self._spent_t)

    def turn(self, event: CardTurned, running: Round | None) -> Iterable[Finding]:
        """Count a card that was not read before; returns its faults, dated to when the card left the shoe."""
        known = None if running is None else running.dealt.cards.get(event.card_id)
        if running is None or known is None or known.card is not None:
            return ()
        return self._count(event, event.card, left_t=running.dealt.kept.get(event.card_id, known).t)

    def end_round(self) -> None:
        """Note that the round's cards have left the table."""
        if self.is_endless:
            self._copies = _Copies()

    def _begin(self, *, was_seen: bool) -> None:
        self.begun += 1
        self._copies = _Copies()
        self._out, self._is_closed, self._spent_t = 0, False, None
        self.sureness = 1.0
        self._was_opening_seen, self._was_dealt_from = was_seen, False

    def _spend(self, t: float, running: Round | None) -> None:
        """Note that the last card is out; certain at once if the shoe's opening was seen."""
        self._spent_t = t
        if running is not None and self._was_opening_seen:
            running.dealt.note_empty_shoe(t)

    def _is_of_another(self, running: Round) -> bool:
        """Whether a card dealt after the shoe's end must come from another shoe."""
        return running.dealt.first is None or (self._spent_t is not None and not self._was_opening_seen)

    def _full(self) -> int | None:
        """The number of cards in the full shoe; None for a continuous shuffler."""
        return None if self.is_endless else self._decks * CARDS_PER_DECK

    def _count(
        self, event: CardDealt | CardBurned | CardTurned, card: Card | None, *, left_t: float | None = None
    ) -> Iterable[Finding]:
        if card is None:
            return ()
        copies = self._copies
        copies.times[card.number] = times = copies.times[card.number] + 1
        copies.sure[card.number] *= confidence_of(event)
        if times <= self._decks:
            return ()
        sure = copies.sure[card.number]
        return (self._foreign(card, times, t=event.t if left_t is None else left_t, confidence=sure),)

    def _foreign(self, card: Card, times: int, *, t: float, confidence: float) -> Finding:
        return Finding(
            code="misdeal.foreign_card",
            t=t,
            key=("misdeal.foreign_card", card, times),
            message=f"{card} came out {times} times; the shoe holds {self._decks} decks.",
            cards=(card,),
            confidence=confidence,
        )
