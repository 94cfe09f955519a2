"""The words of the game that events, rulebooks and alerts share."""

from __future__ import annotations

from dataclasses import dataclass
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


class Device(StrEnum):
    """What the cards are dealt from."""

    SHOE = "shoe"
    CONTINUOUS_SHUFFLER = "continuous_shuffler"
    NON_CONTINUOUS_SHUFFLER = "non_continuous_shuffler"
    """It shuffles a set of cards as a batch; they are dealt from a shoe."""


class SettleAction(StrEnum):
    """What the dealer did with a wager."""

    PAID = "paid"
    COLLECTED = "collected"
    RETURNED = "returned"


class HidingPlace(StrEnum):
    """Where cards lie whose faces nobody should see."""

    BURN = "burn"
    SHOE = "shoe"
    DISCARD = "discard"


SEAT_DIGITS = 4
"""No hall has a table with more seats than four digits tell."""


def seat_of(party: str) -> int | None:
    """The seat number that `seat:3` names; None for the dealer and the unknown."""
    prefix, _, number = party.partition(":")
    is_number = number.isascii() and number.isdecimal() and len(number) <= SEAT_DIGITS
    return int(number) if prefix == "seat" and is_number else None


class Severity(StrEnum):
    """How much a fault matters to the room."""

    INFO = "info"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class Remedy:
    """What the rulebook orders now."""

    action: str
    """One of the contract's actions, such as `reconstruct`."""
    rule: str | None
    """The rule that orders it; None where the text is silent."""
    text: str
    """Our own short paraphrase."""


class Settling(StrEnum):
    """What becomes of a wager."""

    WIN = "win"
    LOSE = "lose"
    PUSH = "push"
    VOID = "void"
