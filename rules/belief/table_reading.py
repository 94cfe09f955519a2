"""How one table's cards were misread, by what was announced: the same print is misread again.

The reader's probabilities hold for all decks together. Whether it takes the twos of one deck for nines is a property of
that deck, and so is how often it misreads any of its cards. Announced points show both: they bear out a reading, or
another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from thirdcard.rules.game.cards import PACK, Card, format_card, parse_card
from thirdcard.rules.game.hand import known_point_count
from thirdcard.rules.game.words import Side, Source
from thirdcard.rules.log.events import CardDealt, CardMoved, CardTurned, Event, ResultAnnounced

Faces = Mapping[str, Card]
"""By a card's id: its face."""
Reading = tuple[float, Faces]
"""The share of the evidence that one reading of a round has, 0 to 1, and the faces of its cards."""
OF_VALUE: Mapping[int, int] = Counter(card.point_value for card in PACK)
"""How many cards of a pack have each point value."""


def faces_of(lines: Iterable[Event]) -> dict[str, Card]:
    """The last face that the lines name for each card."""
    return {line.card_id: line.card for line in lines if isinstance(line, CardDealt | CardTurned) and line.card}


def announced(lines: Iterable[Event]) -> ResultAnnounced | None:
    """The last line by which a device or a person reported the points of both hands; None if there is none."""
    points = None
    for line in lines:
        if not isinstance(line, ResultAnnounced) or line.source is Source.INFERRED:
            continue
        if line.player is not None and line.banker is not None:
            points = line
    return points


@dataclass(slots=True)
class TableReading:
    """How often each point value was read rightly at a table, and how often another was taken for it."""

    _right: dict[int, float] = field(default_factory=dict)
    """By point value: how many cards were read rightly."""
    _taken_for: dict[int, dict[int, float]] = field(default_factory=dict)
    """By the value that was read: how many cards had each other value."""

    def note(self, lines: Sequence[Event], readings: Iterable[Reading], *, wrong_points: float) -> None:
        """Learn from a closed round.

        A hand tells something in the readings in which all its cards have a face and its announced points agree with
        them; where nothing was weighed, also if they would agree had the likeliest other face been read for one of its
        cards. It counts as much as the reading weighs.

        Args:
            lines: Its lines.
            readings: The readings that its lines leave open; none where nothing in the round was weighed.
            wrong_points: The share of rounds in which a dealer announces certain wrong points for a hand, 0 to 1.
        """
        result = announced(lines)
        if result is None:
            return
        weighed = tuple(readings)
        for hand, points in ((Side.PLAYER, result.player), (Side.BANKER, result.banker)):
            read = _read_in(hand, lines)
            if not read or points is None:
                continue
            as_read: Faces = {card_id: line.card for card_id, line in read.items() if line.card is not None}
            if not weighed and known_point_count(as_read.values()) != points:
                as_read = {**as_read, **_misread(read, points, wrong_points)}
            for weight, faces in weighed or ((1.0, as_read),):
                was = {card_id: faces.get(card_id, as_read[card_id]) for card_id in read}
                if known_point_count(was.values()) == points:
                    self._count(read, was, weight)

    def _count(self, read: Mapping[str, CardDealt | CardTurned], was: Faces, weight: float) -> None:
        for card_id, line in read.items():
            taken_for, value = _value(line.card), _value(was[card_id])
            if taken_for == value:
                self._right[value] = self._right.get(value, 0.0) + weight
            else:
                others = self._taken_for.setdefault(taken_for, {})
                others[value] = others.get(value, 0.0) + weight

    def doubted(self, line: Event) -> Event:
        """The line with what its card may be at this table, once a card was misread there.

        A misreading is as likely as it was among the cards that were read so, with this card counted as one more that
        is misread as often as the table's cards on the whole, and then is any other card of a pack. Until a card is
        shown to be misread, the reader's probabilities hold.
        """
        if not isinstance(line, CardDealt | CardTurned) or line.card is None or line.source is not Source.CAMERA:
            return line
        if not self._taken_for:
            return line
        read = line.card.point_value
        shares = self._shares_of(read)
        left = 1.0 - sum(shares.values())
        faces = {text: share * left for text, share in (line.alternatives or {}).items()}
        for value, share in shares.items():
            face = _face_worth(value, line.card.suit)
            known = sum(part for text, part in faces.items() if parse_card(text).point_value == value)
            faces[face] = faces.get(face, 0.0) + max(share - known, 0.0)
        return replace(line, alternatives=faces)

    def _shares_of(self, read: int) -> dict[int, float]:
        """By each other value: the probability that a card read as `read` has it."""
        misread = sum(sum(others.values()) for others in self._taken_for.values())
        any_misread = misread / (1 + sum(self._right.values()) + misread)
        others = self._taken_for.get(read, {})
        seen = 1 + self._right.get(read, 0.0) + sum(others.values())
        different = len(PACK) - OF_VALUE[read]
        return {
            value: (others.get(value, 0.0) + any_misread * count / different) / seen
            for value, count in OF_VALUE.items()
            if value != read
        }


def _face_worth(value: int, suit: str) -> str:
    """The first face of a suit with a point value, 0 to 9."""
    return format_card(next(card for card in PACK if card.suit == suit and card.point_value == value))


def _read_in(hand: Side, lines: Iterable[Event]) -> dict[str, CardDealt | CardTurned]:
    """The lines that name the faces of a hand's cards, by card; empty if one was not read or did not stay."""
    read: dict[str, CardDealt | CardTurned] = {}
    dealt: set[str] = set()
    for line in lines:
        if isinstance(line, CardMoved):
            return {}
        if isinstance(line, CardDealt) and line.hand is hand:
            dealt.add(line.card_id)
        if isinstance(line, CardDealt | CardTurned) and line.card is not None and line.card_id in dealt:
            read[line.card_id] = line
    return read if len(read) == len(dealt) else {}


def _misread(read: Mapping[str, CardDealt | CardTurned], points: int, wrong_points: float) -> dict[str, Card]:
    """The card whose likeliest other face brings a hand to its points, and that face; empty if none is likelier than
    that the dealer announced these points by mistake."""
    total = sum(_value(line.card) for line in read.values())
    others = [
        (share, card_id, parse_card(text))
        for card_id, line in read.items()
        for text, share in (line.alternatives or {}).items()
        if (total - _value(line.card) + parse_card(text).point_value) % 10 == points
    ]
    share, card_id, card = max(others, key=lambda one: one[0], default=(0.0, "", None))
    return {card_id: card} if card is not None and share > wrong_points else {}


def _value(card: Card | None) -> int:
    return 0 if card is None else card.point_value
