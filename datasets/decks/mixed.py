"""A deck with strange cards among its own: cards of another deck, and a joker.

`~5D` is the five of diamonds of the strange deck, `joker` a joker on the deck's own paper.
"""

from __future__ import annotations

import cv2
import numpy as np

from thirdcard.datasets.decks.canvas import with_round_corners
from thirdcard.datasets.decks.cards import TEXTURE_SIZE_WH_PX
from thirdcard.datasets.decks.deck import Deck, Texture

STRANGE = "~"
JOKER = "joker"


def is_odd(card: str) -> bool:
    """Whether a name is not a card of the deck itself."""
    return card == JOKER or card.startswith(STRANGE)


class MixedDeck:
    """Pictures of a deck and of cards that do not belong to it."""

    def __init__(self, deck: Deck, stranger: Deck) -> None:
        self._deck, self._stranger = deck, stranger

    def face(self, card: str) -> Texture:
        """Return the face of a card, strange or not."""
        if card == JOKER:
            return draw_joker()
        return self._stranger.face(card.removeprefix(STRANGE)) if is_odd(card) else self._deck.face(card)

    def back(self) -> Texture:
        """Return the back of the deck's own cards."""
        return self._deck.back()


def draw_joker() -> Texture:
    """Draw a joker, (440, 315, 4) RGBA: the word down both corners, a jester's cap in the middle."""
    width, height = TEXTURE_SIZE_WH_PX
    page = np.full((height, width, 3), 248, np.uint8)
    for i, letter in enumerate("JOKER"):
        cv2.putText(page, letter, (12, 42 + 30 * i), cv2.FONT_HERSHEY_DUPLEX, 0.95, (30, 30, 40), 2, cv2.LINE_AA)
    page = np.maximum(np.minimum(page, page[::-1, ::-1]), 0)
    cap = np.array([(90, 260), (70, 150), (125, 205), (157, 120), (190, 205), (245, 150), (225, 260)])
    cv2.fillPoly(page, [cap], (190, 40, 60), cv2.LINE_AA)
    cv2.rectangle(page, (88, 262), (227, 290), (40, 90, 60), cv2.FILLED)
    for x, y in ((70, 150), (157, 120), (245, 150)):
        cv2.circle(page, (x, y), 13, (220, 170, 40), cv2.FILLED, cv2.LINE_AA)
    return with_round_corners(np.ascontiguousarray(page))
