"""The part of a scenario script about rare dealing.

A shoe's opening and end, and cards that come together or not at all. Knows nothing of time or motion.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Opening(_Part):
    """New cards are put into the shoe before a round, and cards are burned as the rulebook orders."""

    first: str | None = None
    """The first card that is burned; drawn from the seed if the script names none."""
    burned: int | None = Field(default=None, ge=0, le=20)
    """Number of burned cards, if it differs from what the rulebook orders; None: as ordered."""


class Simultaneous(_Part):
    """Two of the first four cards leave the shoe at once into one box; the dealer moves the second to its place."""

    kind: Literal["simultaneous"]
    card: int = Field(default=2, ge=1, le=3)
    """The number of the first of the two."""


class ShortHand(_Part):
    """The result is announced before the fourth card is dealt."""

    kind: Literal["short_hand"]


class ForeignCard(_Part):
    """A card is dealt although all its copies are already out: the decks hold one too many."""

    kind: Literal["foreign_card"]
    card: int = Field(default=1, ge=1, le=4)


class ShoeExhausted(_Part):
    """The shoe is empty before a card: a device reports it, the wagers are given back and the round ends."""

    kind: Literal["shoe_exhausted"]
    card: int = Field(default=4, ge=2, le=4)


class CutCard(_Part):
    """The cutting card comes out before a card and is laid aside; the dealer announces the last round when he must."""

    kind: Literal["cut_card"]
    card: int = Field(default=1, ge=1, le=4)


class AfterLastRound(_Part):
    """The round is dealt although the one before was the shoe's last."""

    kind: Literal["after_last_round"]


class VoidHandWagered(_Part):
    """A hand without wagers is announced, but a patron places one."""

    kind: Literal["void_hand_wagered"]
    seat: int
    bet: str
    value: int = Field(gt=0)


Rarity = Simultaneous | ShortHand | ForeignCard | ShoeExhausted | CutCard | AfterLastRound | VoidHandWagered
