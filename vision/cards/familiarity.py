"""How well a reader knows the deck on a table, by how sure single looks at its cards are.

Looks at a card that lies still agree whether it is read rightly or not. Where the reader knows the deck, what differs
from look to look is noise, and several looks are surer than one; a deck that it does not know it misreads in the same
way each time, and then no number of looks makes it surer.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

SURE = 0.95
"""A card whose looks are this sure on average was read surely."""
STRANGE, KNOWN = 0.25, 0.6
"""Of a deck of which no larger share of the cards is read surely several looks count as one; from the other share on,
as ever."""
BEFORE_CARDS, BEFORE_SURE = 4.0, 0.9
"""What is held of a deck before its first card: as many cards as this, read surely in so large a share."""


@dataclass(slots=True)
class Familiarity:
    """What the cards of one table have shown so far."""

    _cards: float = field(default=BEFORE_CARDS, init=False)
    _sure: float = field(default=BEFORE_CARDS * BEFORE_SURE, init=False)

    @property
    def share(self) -> float:
        """Share of the cards that were read surely."""
        return self._sure / self._cards

    def note(self, sureness: float) -> None:
        """Take in how sure the looks at one more card were on average, 0 to 1."""
        self._cards += 1.0
        self._sure += sureness >= SURE

    def most_looks(self, most: float) -> float:
        """As how many independent looks any number of them at one card counts at most: `most` for a deck it knows."""
        known = float(np.clip((self.share - STRANGE) / (KNOWN - STRANGE), 0.0, 1.0))
        return 1.0 + (most - 1.0) * known
