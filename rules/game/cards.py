"""The 52 cards and their points.

Knows nothing of hands or rounds. A card is written rank then suit: `AS`, `10H`, `QD`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from thirdcard.rules.errors import CardError, brief

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("C", "D", "H", "S")
RED_SUITS = frozenset("DH")
CARDS_PER_DECK = len(RANKS) * len(SUITS)

_POINT_VALUES = {rank: (index + 1 if index < 9 else 0) for index, rank in enumerate(RANKS)}
_FACE_COUNTS = {rank: min(index + 1, 10) for index, rank in enumerate(RANKS)}


@dataclass(frozen=True, slots=True)
class Card:
    """One face of the pack.

    >>> parse_card("10H").point_value
    0
    >>> format_card(Card("A", "S"))
    'AS'
    """

    rank: str
    suit: str
    point_value: int = field(init=False, repr=False, compare=False)
    """0 to 9: an ace counts 1, a ten or court card 0."""
    number: int = field(init=False, repr=False, compare=False)
    """Its index in `PACK`, from 0."""

    def __post_init__(self) -> None:
        if self.rank not in _POINT_VALUES or self.suit not in SUITS:
            raise CardError(f"card = {self.rank}{self.suit}; allowed: a rank {' '.join(RANKS)} then a suit C D H S")
        object.__setattr__(self, "point_value", _POINT_VALUES[self.rank])
        object.__setattr__(self, "number", SUITS.index(self.suit) * len(RANKS) + RANKS.index(self.rank))

    def __hash__(self) -> int:
        return self.number

    def __deepcopy__(self, _memo: object) -> Self:
        """Itself: a card is immutable."""
        return self

    @property
    def face_count(self) -> int:
        """1 to 10: an ace counts 1, a ten or court card 10, as for the burn."""
        return _FACE_COUNTS[self.rank]

    @property
    def is_red(self) -> bool:
        return self.suit in RED_SUITS

    def __str__(self) -> str:
        return self.rank + self.suit


PACK = tuple(Card(rank, suit) for suit in SUITS for rank in RANKS)
_BY_TEXT = {str(card): card for card in PACK}


def parse_card(text: str) -> Card:
    """The card that a text names.

    Raises:
        CardError: The text names no card.
    """
    card = _BY_TEXT.get(text)
    if card is None:
        raise CardError(f"card = {brief(text)}; allowed: a rank {' '.join(RANKS)} then a suit C D H S")
    return card


def format_card(card: Card) -> str:
    """The card as a text that `parse_card` reads back."""
    return str(card)
