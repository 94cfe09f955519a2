"""The payout of each bet by the texts of the rulebooks, written independently of the engine.

Odds are exact; 0 is a stand-off, None a loss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from thirdcard.rules.game.cards import Card

Odds = Fraction | None
NZ_KINDS = {"one": (5, 10, 30), "two": (6, 12, 25), "three": (5, 12, 25)}
"""Perfect Pair wagers: mixed, coloured, perfect (nz-secretary 11A.7)."""
DRAGON = {"one": (1, 2, 4, 6, 10, 30), "two": (1, 3, 4, 7, 8, 20), "three": (2, 2, 4, 4, 10, 30)}
"""Dragon Bonus: wins by 4, 5, 6, 7, 8 and 9 points (nz-secretary 11B.8)."""
MATCH = {"one": (5, 10, 25, 100), "two": (5, 10, 20, 500)}
"""Lucky Match: mixed, coloured, one suit, three alike (nz-secretary 11D.8)."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A finished round with its rulebook and options."""

    book: str
    options: Mapping[str, Any]
    player: Sequence[Card]
    banker: Sequence[Card]

    @property
    def points(self) -> tuple[int, int]:
        return points_of(self.player), points_of(self.banker)

    @property
    def lead(self) -> int:
        """The Player's points minus the Banker's."""
        return self.points[0] - self.points[1]

    def hand(self, bet: str) -> tuple[Sequence[Card], int]:
        """The hand that a side bet is on, and its lead over the other."""
        return (self.player, self.lead) if "player" in bet else (self.banker, -self.lead)


def points_of(cards: Sequence[Card]) -> int:
    return sum(card.point_value for card in cards) % 10


def odds_of(bet: str, end: Ended) -> Odds:
    """The win per unit of the bet."""
    return _BETS[bet](bet, end)


def _player(_bet: str, end: Ended) -> Odds:
    if end.lead == 0:
        return None if end.options.get("two_to_one") else Fraction(0)
    return _two_to_one(end, end.player) if end.lead > 0 else None


def _banker(_bet: str, end: Ended) -> Odds:
    if end.lead == 0:
        return None if end.options.get("two_to_one") else Fraction(0)
    if end.lead > 0:
        return None
    total, options = end.points[1], end.options
    if end.book == "ez":
        return Fraction(0) if total == 7 and len(end.banker) == 3 else Fraction(1)
    if end.book == "macau":
        return Fraction(1) if options["commission"] == "owed" else Fraction(19, 20)
    halves = end.book == "sg-rws" or options.get("even_money") or options.get("federal")
    if (halves or options.get("banker_pay") == "six_half") and total == 6:
        return Fraction(1, 2)
    if options.get("two_to_one"):
        return _two_to_one(end, end.banker)
    return Fraction(1) if halves or options.get("banker_pay") == "six_half" else Fraction(19, 20)


def _two_to_one(end: Ended, cards: Sequence[Card]) -> Fraction:
    is_double = end.options.get("two_to_one") and len(cards) == 3 and points_of(cards) in (8, 9)
    return Fraction(2 if is_double else 1)


def _tie(_bet: str, end: Ended) -> Odds:
    return Fraction(end.options.get("tie_pays", 8)) if end.lead == 0 else None


def _pair(bet: str, end: Ended) -> Odds:
    kind = _kind(end.hand(bet)[0])
    if kind is None:
        return None
    if end.book == "tas":
        return Fraction((6, 12, 25)[kind])
    perfect = end.options.get("perfect_pair", "none")
    if perfect != "none":
        return Fraction(NZ_KINDS[perfect][kind])
    return Fraction(10 if end.options.get("any_pair") == "two" else 11)


def _kind(cards: Sequence[Card]) -> int | None:
    """0 mixed, 1 coloured, 2 of one suit; None where the ranks of the first two cards differ."""
    one, other = cards[:2]
    if one.rank != other.rank:
        return None
    return 2 if one.suit == other.suit else int((one.suit in "DH") == (other.suit in "DH"))


def _dragon(bet: str, end: Ended) -> Odds:
    cards, lead = end.hand(bet)
    is_natural = points_of(cards[:2]) in (8, 9)
    if is_natural and lead >= 0:
        return Fraction(1 if lead else 0)
    return Fraction(DRAGON[end.options["dragon_bonus"]][lead - 4]) if lead >= 4 else None


def _match(bet: str, end: Ended) -> Odds:
    cards, table = end.hand(bet)[0], MATCH[end.options["lucky_match"]]
    if len(cards) == 3 and len(set(cards)) == 1:
        return Fraction(table[3])
    kind = _kind(cards)
    return None if kind is None else Fraction(table[kind])


def _super_six(_bet: str, end: Ended) -> Odds:
    if end.lead >= 0 or end.points[1] != 6:
        return None
    return Fraction(20 if len(end.banker) == 3 else 12)


def _small_big(bet: str, end: Ended) -> Odds:
    is_small = len(end.player) + len(end.banker) == 4
    return None if is_small != (bet == "small") else Fraction(3, 2) if is_small else Fraction(54, 100)


def _three_cards(bet: str, end: Ended) -> Odds:
    if bet == "dragon_7":
        return Fraction(40) if end.lead < 0 and end.points[1] == 7 and len(end.banker) == 3 else None
    return Fraction(25) if end.lead > 0 and end.points[0] == 8 and len(end.player) == 3 else None


def _ante(_bet: str, _end: Ended) -> Odds:
    return None


_BETS: Mapping[str, Callable[[str, Ended], Odds]] = {
    "player": _player, "banker": _banker, "tie": _tie, "player_pair": _pair, "banker_pair": _pair,
    "dragon_player": _dragon, "dragon_banker": _dragon, "match_player": _match, "match_banker": _match,
    "super_six": _super_six, "small": _small_big, "big": _small_big, "dragon_7": _three_cards,
    "panda_8": _three_cards, "ante": _ante,
}  # fmt: skip


Span = tuple[int, int]
INSURANCE_ROWS: tuple[tuple[str, bool, Span, Span, str], ...] = (
    ("banker", False, (0, 4), (5, 5), "2"),
    ("banker", False, (0, 5), (6, 6), "3"),
    ("banker", False, (0, 5), (7, 7), "4"),
    ("player", False, (5, 5), (4, 4), "2"),
    ("player", False, (6, 6), (0, 5), "3"),
    ("player", False, (7, 7), (0, 5), "4"),
    ("banker", True, (1, 1), (1, 1), "6"),
    ("banker", True, (1, 1), (2, 6), "7"),
    ("banker", True, (2, 2), (3, 6), "4"),
    ("banker", True, (3, 3), (4, 4), "3/2"),
    ("player", True, (5, 5), (0, 4), "2"),
    ("player", True, (6, 6), (0, 5), "3"),
    ("player", True, (7, 7), (0, 6), "4"),
    ("player", True, (8, 8), (0, 6), "7"),
    ("player", True, (9, 9), (0, 6), "8"),
)
"""sg-rws 4.1.2: the insured hand, whether the Player's third card is open, the points of both hands, the odds."""


def insurance_odds(side: str, player: int, banker: int, *, is_after_third: bool) -> Fraction | None:
    """The odds of insurance on a hand that is bet now; None where none is offered."""
    for hand, after_third, players, bankers, pays in INSURANCE_ROWS:
        is_asked = (hand, after_third) == (side, is_after_third)
        if is_asked and players[0] <= player <= players[1] and bankers[0] <= banker <= bankers[1]:
            return Fraction(pays)
    return None
