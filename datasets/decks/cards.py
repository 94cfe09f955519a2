"""The 52 faces in the order of the models' classes, and the size of a card's texture."""

from typing import Literal

Variety = Literal["plain", "varied", "sparse", "held_out"]
"""How much a generated deck differs from a common one: `plain` for the first training decks, `varied` for later
ones, `sparse` for those with thin letters and often a single sign, `held_out` for those that are never trained on."""

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("C", "D", "H", "S")
CARDS = tuple(rank + suit for suit in SUITS for rank in RANKS)

CARD_SIZE_MM = (63.0, 88.0)
PX_PER_MM = 5
TEXTURE_SIZE_WH_PX = (315, 440)
CORNER_RADIUS_MM = 3.2
