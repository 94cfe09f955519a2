"""Count what came out of the shoe: cards that its decks cannot hold, and when it is empty.

A shoe may begin without a line that says so: more cards than it holds, or a burn, tell it too. Cards dealt after its
end do not; but whose they are is not known then, so that they are counted anew.
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


class Shoe:
    """The cards out of one shoe; a continuous shuffler takes them back each round and is never empty."""

    def __init__(self, *, decks: int, device: str, find_at_first_card: FindAtFirstCard) -> None:
        """`find_at_first_card` is asked when the first card of a shoe is dealt."""
        self.begun = 0
        """How many shoes came after the first one, whether their opening was seen or not."""
        self._find_at_first_card = find_at_first_card
        self._decks = decks
        self.is_endless = device == Device.CONTINUOUS_SHUFFLER
        self._holds = self._full()
        self._times = [0] * len(PACK)
        """How many times each face came out, by the card's number."""
        self._out = 0
        self.sureness = 1.0
        """That every card was there that was counted."""
        self._was_dealt_from = False
        self._was_opening_seen = False
        self._is_closed = False
        self._spent_t: float | None = None
        """When as many cards were out as its decks hold."""

    def count_begun(self) -> int:
        """How many shoes came after the first one, whether their opening was seen or not."""
        return self.begun

    @property
    def left(self) -> int | None:
        """How many cards are still in it; None where that is not known."""
        return None if self._holds is None or not self._was_opening_seen else self._holds - self._out

    def open(self, event: ShoeOpened, _running: Round | None) -> None:
        """New cards are in use."""
        self._decks = event.decks or self._decks
        self._holds = self._full()
        self._begin(was_seen=True)

    def close(self, event: ShoeClosed, running: Round | None) -> None:
        """No further card comes."""
        self._is_closed = True
        if running is not None and running.dealt.first is not None:
            running.dealt.note_empty_shoe(event.t)

    def deal(self, event: CardDealt, running: Round) -> Iterable[Finding]:
        """Count a card; `running` is the round as it was before the event."""
        if self._spent_t is not None and self._is_of_another(running):
            self._begin(was_seen=False)
        elif self._is_closed and running.dealt.first is None:
            self._is_closed = self._was_opening_seen = False
            self._times = [0] * len(PACK)
        self._out += 1
        if event.confidence is not None:
            self.sureness *= event.confidence
        if self._out == self._holds:
            self._spend(event.t, running)
        card = event.card
        if card is not None:
            times = self._times[card.number]
            if times < self._decks and self._was_dealt_from:
                self._times[card.number] = times + 1
                return ()
        findings = self._count(event, card)
        if not self._was_dealt_from:
            self._was_dealt_from = True
            findings = (*findings, *self._find_at_first_card(event, running))
        return findings

    def burn(self, event: CardBurned, running: Round | None) -> Iterable[Finding]:
        """Count a card that was burned; after cards were dealt it is another shoe's."""
        if self._is_closed or self._was_dealt_from:
            self._begin(was_seen=False)
        self._out += 1
        if self._out == self._holds:
            self._spend(event.t, None if running is None or running.dealt.first is None else running)
        return self._count(event, event.card)

    def end(self, _event: ResultAnnounced | WagerSettled | RoundClosed, running: Round) -> None:
        """Tell the round at its end that the shoe is empty, where its opening was not seen: the count may span two."""
        if self._spent_t is not None and running.dealt.first is not None and running.is_decided:
            running.dealt.note_empty_shoe(self._spent_t)

    def turn(self, event: CardTurned, running: Round | None) -> Iterable[Finding]:
        """Count a card that was not read before; a foreign one is dated to when it left the shoe."""
        known = None if running is None else running.dealt.cards.get(event.card_id)
        if running is None or known is None or known.card is not None:
            return ()
        return self._count(event, event.card, left_t=running.dealt.kept.get(event.card_id, known).t)

    def end_round(self) -> None:
        """The round's cards have left the table."""
        if self.is_endless:
            self._times = [0] * len(PACK)

    def _begin(self, *, was_seen: bool) -> None:
        self.begun += 1
        self._times = [0] * len(PACK)
        self._out, self._is_closed, self._spent_t = 0, False, None
        self.sureness = 1.0
        self._was_opening_seen, self._was_dealt_from = was_seen, False

    def _spend(self, t: float, running: Round | None) -> None:
        """The last card is out; of a shoe whose opening was seen that is certain at once."""
        self._spent_t = t
        if running is not None and self._was_opening_seen:
            running.dealt.note_empty_shoe(t)

    def _is_of_another(self, running: Round) -> bool:
        """Whether a card that is dealt after the end cannot come from the shoe that was counted so far."""
        return running.dealt.first is None or (self._spent_t is not None and not self._was_opening_seen)

    def _full(self) -> int | None:
        """How many cards there are; None where they never end."""
        return None if self.is_endless else self._decks * CARDS_PER_DECK

    def _count(
        self, event: CardDealt | CardBurned | CardTurned, card: Card | None, *, left_t: float | None = None
    ) -> Iterable[Finding]:
        if card is None:
            return ()
        self._times[card.number] = times = self._times[card.number] + 1
        if times <= self._decks:
            return ()
        return (self._foreign(card, times, t=event.t if left_t is None else left_t, confidence=confidence_of(event)),)

    def _foreign(self, card: Card, times: int, *, t: float, confidence: float) -> Finding:
        return Finding(
            code="misdeal.foreign_card",
            t=t,
            key=("misdeal.foreign_card", card, times),
            message=f"{card} came out {times} times; the shoe holds {self._decks} decks.",
            cards=(card,),
            confidence=confidence,
        )
