"""Count every ordered deal of six cards by what it gives, exactly.

Cards are counted by points; all six are always drawn, so that deals that use four or five count with every way the
rest could have come. Sums over eight decks: 416 · 415 · 414 · 413 · 412 · 411 = 4,998,398,275,503,360 deals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from rules.cards import CARDS_PER_DECK
from rules.misdeals import winner_of
from rules.third_card import POINTS, TableOfPlay
from rules.words import Outcome

_PER_DECK = {points: 16 if points == 0 else 4 for points in POINTS}


@dataclass(frozen=True, slots=True)
class DealClass:
    """Deals that play alike."""

    player_points: int
    """Two-card point count."""
    banker_points: int
    player_third: int | None
    """Points of the third card; None where the hand stood."""
    banker_third: int | None

    @property
    def player_total(self) -> int:
        return (self.player_points + (self.player_third or 0)) % 10

    @property
    def banker_total(self) -> int:
        return (self.banker_points + (self.banker_third or 0)) % 10

    @property
    def winner(self) -> Outcome:
        return winner_of(self.player_total, self.banker_total)


def count_deals(decks: int, table: TableOfPlay) -> Mapping[DealClass, int]:
    """How many ordered deals of six cards from so many decks fall into each class."""
    counts: Counter[DealClass] = Counter()
    size = decks * CARDS_PER_DECK
    for (player, banker), (weight, left) in _initial_deals(decks):
        for deal, share in _drawn(player, banker, left, table, size):
            counts[deal] += weight * share
    return counts


def count_outcomes(decks: int, table: TableOfPlay) -> Mapping[Outcome, int]:
    """How many ordered deals each outcome has."""
    outcomes: Counter[Outcome] = Counter()
    for deal, weight in count_deals(decks, table).items():
        outcomes[deal.winner] += weight
    return outcomes


def _initial_deals(decks: int) -> Iterator[tuple[tuple[int, int], tuple[int, list[int]]]]:
    """Each choice of four point values: the two totals, in how many ways, and what is left of each value."""
    for values in product(POINTS, repeat=4):
        left = [_PER_DECK[points] * decks for points in POINTS]
        weight = 1
        for value in values:
            weight *= left[value]
            left[value] -= 1
        if weight:
            yield ((values[0] + values[2]) % 10, (values[1] + values[3]) % 10), (weight, left)


def _drawn(player: int, banker: int, left: list[int], table: TableOfPlay, size: int) -> Iterator[tuple[DealClass, int]]:
    """What the table of play makes of an initial deal, and in how many ways for each such deal."""
    if not table.player(player, banker).draws:
        if not table.banker(player, banker, None).draws:
            yield DealClass(player, banker, None, None), (size - 4) * (size - 5)
            return
        for third in POINTS:
            yield DealClass(player, banker, None, third), left[third] * (size - 5)
        return
    for third in POINTS:
        if not table.banker(player, banker, third).draws:
            yield DealClass(player, banker, third, None), left[third] * (size - 5)
            continue
        for last in POINTS:
            ways = left[third] * (left[last] - (last == third))
            yield DealClass(player, banker, third, last), ways
