"""How one table's cards were misread, by what was announced: the same print is misread again.

The reader's probabilities hold for all decks together. Whether it takes the twos of one deck for nines is a property of
that deck. Announced points show it: they bear out a reading, or another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from thirdcard.rules.game.cards import PACK, Card, format_card, parse_card
from thirdcard.rules.game.words import Source
from thirdcard.rules.log.events import CardDealt, CardTurned, Event, ResultAnnounced

Faces = Mapping[str, Card]
"""By a card's id: its face."""


def faces_of(lines: Iterable[Event]) -> dict[str, Card]:
    """The last face that the lines name for each card."""
    return {line.card_id: line.card for line in lines if isinstance(line, CardDealt | CardTurned) and line.card}


def are_points_announced(lines: Iterable[Event]) -> bool:
    """Whether a device or a person reported the points of both hands."""
    results = [line for line in lines if isinstance(line, ResultAnnounced) and line.source is not Source.INFERRED]
    return any(line.player is not None and line.banker is not None for line in results)


@dataclass(slots=True)
class TableReading:
    """How often each point value was read rightly at a table, and how often another was taken for it."""

    _right: Counter[int] = field(default_factory=Counter)
    _taken_for: dict[int, Counter[int]] = field(default_factory=dict)
    """By the value that was read: the values that it really was."""

    def note(self, lines: Sequence[Event], likeliest: Faces) -> None:
        """Learn from a closed round.

        Args:
            lines: Its lines.
            likeliest: The faces of its cards in the likeliest reading, given all that happened in the round.
        """
        if not are_points_announced(lines):
            return
        for card_id, card in faces_of(lines).items():
            read, was = card.point_value, likeliest.get(card_id, card).point_value
            if read == was:
                self._right[read] += 1
            else:
                self._taken_for.setdefault(read, Counter())[was] += 1

    def doubted(self, line: Event) -> Event:
        """The line with what its card may be at this table, if cards that were read so were others before.

        A misreading is as likely as it was among the cards that were read so, this one counted as right.
        """
        if not isinstance(line, CardDealt | CardTurned) or line.card is None or line.source is not Source.CAMERA:
            return line
        others = self._taken_for.get(line.card.point_value)
        if not others:
            return line
        seen = 1 + self._right[line.card.point_value] + others.total()
        left = 1.0 - others.total() / seen
        shares = {text: share * left for text, share in (line.alternatives or {}).items()}
        for value, count in others.items():
            face = _face_worth(value, line.card.suit)
            known = sum(share for text, share in shares.items() if parse_card(text).point_value == value)
            shares[face] = shares.get(face, 0.0) + max(count / seen - known, 0.0)
        return replace(line, alternatives=shares)


def _face_worth(value: int, suit: str) -> str:
    """The first face of a suit with a point value, 0 to 9."""
    return format_card(next(card for card in PACK if card.suit == suit and card.point_value == value))
