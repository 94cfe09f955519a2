"""The words of the game that events, rulebooks and alerts share."""

from __future__ import annotations

from enum import StrEnum

DEALER = "dealer"
UNKNOWN = "unknown"


class Side(StrEnum):
    """The two hands of a round."""

    PLAYER = "player"
    BANKER = "banker"

    @property
    def other(self) -> Side:
        return Side.BANKER if self is Side.PLAYER else Side.PLAYER


class Outcome(StrEnum):
    """How a round ends."""

    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"


class Bet(StrEnum):
    """What a wager area is for."""

    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"
    PLAYER_PAIR = "player_pair"
    BANKER_PAIR = "banker_pair"
    SUPER_SIX = "super_six"
    DRAGON_PLAYER = "dragon_player"
    DRAGON_BANKER = "dragon_banker"
    MATCH_PLAYER = "match_player"
    MATCH_BANKER = "match_banker"
    INSURANCE_PLAYER = "insurance_player"
    INSURANCE_BANKER = "insurance_banker"
    ANTE = "ante"


class Source(StrEnum):
    """How a fact came to be known."""

    CAMERA = "camera"
    SIGNAL = "signal"
    INFERRED = "inferred"
    PERSON = "person"


class SettleAction(StrEnum):
    """What the dealer did with a wager."""

    PAID = "paid"
    COLLECTED = "collected"
    RETURNED = "returned"


def seat_of(party: str) -> int | None:
    """The seat number that `seat:3` names; None for the dealer and the unknown."""
    prefix, _, number = party.partition(":")
    return int(number) if prefix == "seat" and number.isdecimal() else None
