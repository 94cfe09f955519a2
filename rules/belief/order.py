"""The order in which cards that nobody saw come left the shoe: that of the rulebook, in the table's dealing style.

A card that already lay in a box at the first look may have been turned since: its visible side says nothing about how
it came.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from thirdcard.rules.game.words import UNKNOWN, Side
from thirdcard.rules.log.events import (
    CardDealt,
    CardMoved,
    CardPassed,
    CardRemoved,
    CardTurned,
    Event,
    ResultAnnounced,
    RoundClosed,
    WagerSettled,
)
from thirdcard.rules.round.round import INITIAL_CARDS
from thirdcard.rules.rulebook.model import Phase

ORDER_AS_LOGGED = 1 / 6
"""The probability that four unseen cards came in the order of the log, if they did not come in the lawful order: two
hands of two can come in six orders, one of them lawful, and the log's order is no evidence for any."""
_OF_A_CARD = (CardTurned, CardMoved, CardPassed, CardRemoved)
_ENDS = (ResultAnnounced, WagerSettled, RoundClosed)


@dataclass(slots=True)
class LawfulOrder:
    """Passes on the lines of a round as if the cards had come in the lawful order.

    The first four cards come in the order of the rulebook. A card that the style deals face down was turned after it
    came. A later card waits, with all its lines, until the cards before it have come; once four lie there that came in
    no lawful order, none waits.
    """

    order: tuple[Side, ...]
    face_down: frozenset[Phase] = frozenset()
    """The phases whose cards the style deals face down."""
    dealt: int = 0
    """How many cards of the round came already."""
    moved: set[str] = field(default_factory=set)
    """The cards that came in the lawful order, and were moved to the other hand all the same, by id."""
    _lawful: set[str] = field(default_factory=set)
    """The cards that came in the lawful order, by id."""
    _held: list[Event] = field(default_factory=list)

    def take(self, event: Event) -> Iterable[Event]:
        """The lines that can be passed on after this one."""
        if isinstance(event, CardDealt):
            waiting = sum(isinstance(one, CardDealt) for one in self._held)
            if self.dealt + waiting < INITIAL_CARDS:
                self._held += self._as_dealt(event, Phase.INITIAL)
                released = self._release(event.t)
                is_complete = self.dealt + sum(isinstance(one, CardDealt) for one in self._held) == INITIAL_CARDS
                return [*released, *self._give_up(event.t)] if is_complete else released
            return [*self._give_up(event.t), *self._as_dealt(event, Phase.THIRD)]
        is_held = isinstance(event, _OF_A_CARD) and any(card_of(one) == event.card_id for one in self._held)
        if isinstance(event, CardMoved) and (is_held or event.card_id in self._lawful):
            self.moved.add(event.card_id)
        if is_held:
            self._held.append(event)
            return ()
        if isinstance(event, _ENDS):
            return [*self._give_up(event.t), event]
        return (event,)

    def _as_dealt(self, event: CardDealt, phase: Phase) -> list[Event]:
        if not (event.order_unseen and event.face_up and phase in self.face_down) or event.card is None:
            return [settled(event)]
        down = replace(
            event,
            card=None,
            face_up=False,
            value_confidence=None,
            alternatives=None,
            confidence=1.0,
            order_unseen=False,
        )
        turned = CardTurned(
            t=event.t,
            card_id=event.card_id,
            card=event.card,
            face_up=True,
            by=UNKNOWN,
            confidence=1.0,
            source=event.source,
        )
        return [down, turned]

    def _release(self, t: float) -> list[Event]:
        """The lines of the cards whose turn it is."""
        told: list[Event] = []
        while self.dealt < INITIAL_CARDS:
            hand = self.order[self.dealt]
            dealt = (one for one in self._held if isinstance(one, CardDealt) and one.hand is hand)
            card = next(dealt, None)
            if card is None:
                break
            told += [replace(one, t=t) for one in self._held if card_of(one) == card.card_id]
            self._held = [one for one in self._held if card_of(one) != card.card_id]
            self._lawful.add(card.card_id)
            self.dealt += 1
        return told

    def _give_up(self, t: float) -> list[Event]:
        """Release all held lines in the order in which they were seen."""
        held, self._held = self._held, []
        self.moved -= {one.card_id for one in held if isinstance(one, CardMoved)}
        self.dealt += sum(isinstance(one, CardDealt) for one in held)
        return [replace(one, t=t) for one in held]


def settled(event: Event) -> Event:
    """The line with its order of dealing, and that the card exists, made certain, for use inside one hypothesis."""
    if not isinstance(event, CardDealt) or not event.order_unseen:
        return event
    if event.face_up and event.card is None:
        return replace(event, order_unseen=False)  # which side shows stays in doubt
    return replace(event, confidence=1.0, value_confidence=1.0, order_unseen=False)


def is_order_open(events: Iterable[Event]) -> bool:
    """Whether the order of some of a round's cards was not seen; False if a card kept from before came first."""
    dealt = [event for event in events if isinstance(event, CardDealt | CardMoved)]
    return (
        bool(dealt)
        and isinstance(dealt[0], CardDealt)
        and any(isinstance(event, CardDealt) and event.order_unseen for event in dealt)
    )


def shown_where_laid(lines: Iterable[Event]) -> set[str]:
    """The ids of the cards whose face was read before they were moved out of the box to which they were dealt, and
    which are no card of that hand seen again: they were seen coming, or no other lay face down there and none was
    gone."""
    shown: set[str] = set()
    boxed: dict[str, CardDealt] = {}
    moved: set[str] = set()
    again: set[str] = set()
    """The cards that lie face down, and those that are gone."""
    for line in lines:
        if isinstance(line, CardDealt) and line.hand is not None:
            boxed[line.card_id] = line
            again |= set() if line.face_up else {line.card_id}
        elif isinstance(line, CardMoved) and line.card_id in boxed:
            moved.add(line.card_id)
        elif isinstance(line, CardRemoved) and line.card_id in boxed:
            again.add(line.card_id)
        elif isinstance(line, CardTurned) and line.card is not None and line.card_id not in moved:
            again.discard(line.card_id)
            dealt = boxed.get(line.card_id)
            is_alone = dealt is None or all(boxed[one].hand is not dealt.hand for one in again)
            if is_alone or (dealt is not None and not dealt.order_unseen):
                shown.add(line.card_id)
    return shown


def card_of(event: Event) -> str | None:
    """The id of the card that a line is about; None for lines about no card."""
    return event.card_id if isinstance(event, CardDealt | CardTurned | CardMoved | CardPassed | CardRemoved) else None
