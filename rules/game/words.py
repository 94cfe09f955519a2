"""The words of the game that events, rulebooks and alerts share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import ClassVar
from weakref import WeakValueDictionary

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


class Bet(str):
    """The kind of bet of a wager area: a bet of the game, or one that a rulebook's file defines.

    There is one object for each name, so bets can be compared with `is`.

    >>> Bet("tie") is Bet.TIE, Bet("panda_8") is Bet("panda_8")
    (True, True)
    """

    PLAYER: ClassVar[Bet]
    BANKER: ClassVar[Bet]
    TIE: ClassVar[Bet]
    PLAYER_PAIR: ClassVar[Bet]
    BANKER_PAIR: ClassVar[Bet]
    SUPER_SIX: ClassVar[Bet]
    DRAGON_PLAYER: ClassVar[Bet]
    DRAGON_BANKER: ClassVar[Bet]
    MATCH_PLAYER: ClassVar[Bet]
    MATCH_BANKER: ClassVar[Bet]
    INSURANCE_PLAYER: ClassVar[Bet]
    INSURANCE_BANKER: ClassVar[Bet]
    ANTE: ClassVar[Bet]

    def __new__(cls, name: str) -> Bet:
        """The bet of that name.

        Raises:
            ValueError: The text is not allowed as a bet's name.
        """
        known = _BETS.get(name)
        if known is None:
            if not _BET_NAME.fullmatch(name):
                raise ValueError(f"bet = {name}; allowed: {BET_NAMES}")
            known = _BETS[str(name)] = super().__new__(cls, name)
        return known

    def __reduce__(self) -> tuple[type[Bet], tuple[str]]:
        return Bet, (str(self),)

    def __deepcopy__(self, _memo: object) -> Bet:
        """Itself: a bet is immutable."""
        return self


BET_PATTERN = "^[a-z][a-z0-9_]{0,39}$"
_BET_NAME = re.compile(BET_PATTERN[1:-1])
BET_NAMES = "a name of a bet: small letters, digits and _, a letter first, 40 at most"


def is_bet_name(text: str) -> bool:
    """Whether the text is allowed as a bet's name."""
    return _BET_NAME.fullmatch(text) is not None


_BETS: WeakValueDictionary[str, Bet] = WeakValueDictionary()
Bet.PLAYER, Bet.BANKER, Bet.TIE = HANDS_AND_TIE = Bet("player"), Bet("banker"), Bet("tie")
Bet.PLAYER_PAIR, Bet.BANKER_PAIR = Bet("player_pair"), Bet("banker_pair")
Bet.SUPER_SIX = Bet("super_six")
Bet.DRAGON_PLAYER, Bet.DRAGON_BANKER = Bet("dragon_player"), Bet("dragon_banker")
Bet.MATCH_PLAYER, Bet.MATCH_BANKER = Bet("match_player"), Bet("match_banker")
Bet.INSURANCE_PLAYER, Bet.INSURANCE_BANKER = Bet("insurance_player"), Bet("insurance_banker")
Bet.ANTE = Bet("ante")
GAME_BETS = (
    *HANDS_AND_TIE, Bet.PLAYER_PAIR, Bet.BANKER_PAIR, Bet.SUPER_SIX, Bet.DRAGON_PLAYER, Bet.DRAGON_BANKER,
    Bet.MATCH_PLAYER, Bet.MATCH_BANKER, Bet.INSURANCE_PLAYER, Bet.INSURANCE_BANKER, Bet.ANTE,
)  # fmt: skip
"""The bets of the game, which every log may name, in order."""


class Source(StrEnum):
    """How a fact became known."""

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
    """Where cards lie whose faces must stay hidden."""

    BURN = "burn"
    SHOE = "shoe"
    DISCARD = "discard"


SEAT_DIGITS = 4
"""The most digits of a seat number: no table has more than 9,999 seats."""


@lru_cache(maxsize=256)
def seat_of(party: str) -> int | None:
    """The seat number in `seat:3`; None for the dealer and unknown parties."""
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
    """What the rulebook orders after a fault."""

    action: str
    """One of the contract's actions, such as `reconstruct`."""
    rule: str | None
    """The rule that orders it; None where no section does."""
    text: str
    """A short paraphrase of the rule in our words."""


class Settling(StrEnum):
    """The result of a wager."""

    WIN = "win"
    LOSE = "lose"
    PUSH = "push"
    VOID = "void"
