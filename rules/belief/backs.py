"""The cards of one reading of a round: which lie face down, and which were seen as two.

A tracker that loses a back may find it again and take it for another card, for example where two backs with the same
picture lie side by side. What it took for the first then never shows a face. A face that shows at the second is that of
a card of the hand which lies face down. A card that is moved to the other hand may be taken for a new one as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from thirdcard.rules.belief.order import card_of
from thirdcard.rules.game.words import Side
from thirdcard.rules.log.events import CardDealt, CardMoved, CardPassed, CardRemoved, CardTurned, Event


@dataclass(slots=True)
class Backs:
    """The cards of one round in one hypothesis, by the ids that the log gives them."""

    hands: dict[str, Side] = field(default_factory=dict)
    """The hand of each card in a box."""
    down: list[str] = field(default_factory=list)
    """The cards in a box that lie face down, in the order in which they came."""
    absent: set[str] = field(default_factory=set)
    """What does not exist, or not yet: nothing came there, or a card that lay there already was seen again."""
    names: dict[str, str] = field(default_factory=dict)
    """By an id that the log gives a card: the id by which the hypothesis knows it."""
    moved: dict[str, str] = field(default_factory=dict)
    """By the id that a moved card got where it was seen next: its own id."""

    def copy(self) -> Backs:
        """An independent copy."""
        return Backs(dict(self.hands), list(self.down), set(self.absent), dict(self.names), dict(self.moved))

    def lay(self, line: Event) -> None:
        """Note where a card comes to lie, and with which side up."""
        match line:
            case CardDealt(card_id=card_id, hand=hand) if hand is not None:
                self.hands[card_id] = hand
                if not line.face_up and card_id not in self.down:
                    self.down.append(card_id)
            case CardMoved(card_id=card_id, hand=hand):
                self.hands[card_id] = hand
            case CardTurned(card_id=card_id, face_up=True) if card_id in self.down:
                self.down.remove(card_id)

    def leave_out(self, dealt: Event) -> None:
        """Note that this line is about no card, or about one that lay in its hand already."""
        if isinstance(dealt, CardDealt):
            self.absent.add(dealt.card_id)
            if dealt.hand is not None:
                self.hands[dealt.card_id] = dealt.hand

    def is_about_none(self, event: Event) -> bool:
        """Whether a line is about what is absent, or about a card that showed its face under another id."""
        card_id = card_of(event)
        if isinstance(event, CardRemoved) and card_id in self.moved.values():
            return True
        return card_id in self.absent or (card_id in self.names.values() and card_id not in self.names)

    def recognise(self, turned: CardTurned) -> bool:
        """Take a face that shows where there should be no card for that of one lying face down in the same hand.

        Returns whether there is one; then the line is about it from now on.
        """
        card_id = turned.card_id
        others = [one for one in self.down if self.hands[one] is self.hands.get(card_id) and one != card_id]
        if not others:
            return False
        self.absent.discard(card_id)
        self.names[card_id] = others[0]
        return True

    def renamed(self, line: Event) -> Event:
        """The line with the id by which the hypothesis knows its card."""
        match line:
            case CardDealt() | CardTurned() | CardMoved() | CardPassed() | CardRemoved():
                known = self.moved.get(line.card_id, line.card_id)
                return replace(line, card_id=self.names.get(known, known))
        return line
