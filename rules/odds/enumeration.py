"""Count every ordered deal of six cards, grouped by how it plays, exactly.

Six cards are always drawn, so a deal that uses four or five counts once for each way the rest could come: with eight
decks 416 · 415 · 414 · 413 · 412 · 411 = 4,998,398,275,503,360 deals. Cards are distinguished by points, and by rank
and suit where the first two of a hand pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from thirdcard.rules.game.cards import CARDS_PER_DECK
from thirdcard.rules.game.hand import winner_of
from thirdcard.rules.game.third_card import POINTS, TableOfPlay
from thirdcard.rules.game.words import Outcome
from thirdcard.rules.odds.first_cards import PERFECT, Faces, Two, cards_of, ways_of_first_cards


class DealClass(NamedTuple):
    """A class of deals that play the same way."""

    player_points: int
    """Two-card point count."""
    banker_points: int
    player_third: int | None
    """Points of the third card; None where the hand stood."""
    banker_third: int | None
    player_pair: str | None = None
    """`mixed`, `coloured` or `perfect`; None where the ranks of the first two cards differ."""
    banker_pair: str | None = None
    player_triple: bool = False
    """Whether the three cards have one rank and suit."""
    banker_triple: bool = False

    @property
    def player_total(self) -> int:
        return (self.player_points + (self.player_third or 0)) % 10

    @property
    def banker_total(self) -> int:
        return (self.banker_points + (self.banker_third or 0)) % 10

    @property
    def winner(self) -> Outcome:
        return winner_of(self.player_total, self.banker_total)


Thirds = tuple[int | None, int | None]
"""Points of the Player's and the Banker's third card; None where the hand stands."""
Plans = tuple[tuple[Thirds, ...], ...]
"""The third cards that may come after each pair of two-card totals, indexed by 10 · Player + Banker."""


@dataclass(frozen=True, slots=True)
class _Start:
    """The points of the first four cards, and the cards that they leave in the shoe."""

    player: Two
    banker: Two
    decks: int
    left: tuple[int, ...]
    """How many cards of each point value are left."""

    @property
    def points(self) -> tuple[int, int]:
        return sum(self.player) % 10, sum(self.banker) % 10

    @property
    def plan(self) -> int:
        """The index of its plan in `Plans`."""
        return self.points[0] * len(POINTS) + self.points[1]

    @property
    def unseen(self) -> int:
        """How many cards can come sixth."""
        return self.decks * CARDS_PER_DECK - 5


def count_deals(decks: int, table: TableOfPlay) -> Mapping[DealClass, int]:
    """The number of ordered deals of six cards in each class; only classes that occur."""
    return count_deals_of(decks, plans_of(table))


def plans_of(table: TableOfPlay) -> Plans:
    """The third cards that a table of play allows after each pair of two-card totals; the Banker's total varies
    fastest."""
    return tuple(_plan(player, banker, table) for player, banker in product(POINTS, repeat=2))


def count_deals_of(decks: int, plans: Plans) -> Mapping[DealClass, int]:
    """Count the deals of each class from a table's plans, as `count_deals` does; tables that draw alike share the
    result."""
    sums: dict[tuple[int, int, str | None, str | None], list[int]] = {}
    counts: Counter[DealClass] = Counter()
    hands = tuple(combinations_with_replacement(POINTS, 2))
    for player, banker in product(hands, repeat=2):
        start = _start(player, banker, decks)
        plan = plans[start.plan]
        shares = [_share(start, *thirds) for thirds in plan]
        for faces, ways in ways_of_first_cards(player, banker, decks).items():
            plain = shares
            if PERFECT in faces[:2]:
                plain = list(shares)
                for i in _indices_of_triples(start, faces, plan):
                    plain[i] = 0
                    _count_triples(start, faces, plan[i], ways, counts)
            key = (*start.points, faces.player_pair, faces.banker_pair)
            known = sums.get(key) or [0] * len(plan)
            sums[key] = [n + ways * share for n, share in zip(known, plain, strict=True)]
    for (one, two, *pairs), summed in sums.items():
        for thirds, n in zip(plans[one * len(POINTS) + two], summed, strict=True):
            counts[DealClass(one, two, *thirds, pairs[0], pairs[1])] += n
    return {deal: n for deal, n in counts.items() if n}


def count_outcomes(decks: int, table: TableOfPlay) -> Mapping[Outcome, int]:
    """The number of ordered deals of six cards for each outcome."""
    outcomes: Counter[Outcome] = Counter()
    for deal, weight in count_deals(decks, table).items():
        outcomes[deal.winner] += weight
    return outcomes


def _start(player: Two, banker: Two, decks: int) -> _Start:
    drawn = Counter((*player, *banker))
    return _Start(player, banker, decks, tuple(cards_of(points, decks) - drawn[points] for points in POINTS))


def _plan(player: int, banker: int, table: TableOfPlay) -> tuple[Thirds, ...]:
    """Every pair of third cards that the table of play allows after these two-card totals."""
    if not table.player(player, banker).draws:
        draws = table.banker(player, banker, None).draws
        return tuple((None, last) for last in POINTS) if draws else ((None, None),)
    plan: list[Thirds] = []
    for third in POINTS:
        draws = table.banker(player, banker, third).draws
        plan += [(third, last) for last in POINTS] if draws else [(third, None)]
    return tuple(plan)


def _share(start: _Start, third: int | None, last: int | None) -> int:
    """The number of ways to draw the fifth and sixth card with these third cards."""
    if third is None:
        return (start.unseen + 1 if last is None else start.left[last]) * start.unseen
    return start.left[third] * (start.unseen if last is None else start.left[last] - (last == third))


def _indices_of_triples(start: _Start, faces: Faces, plan: tuple[Thirds, ...]) -> Iterator[int]:
    """The entries of the plan where a third card has the points of a perfect pair, so that its face matters."""
    player = start.player[0] if faces.player_pair == PERFECT else None
    banker = start.banker[0] if faces.banker_pair == PERFECT else None
    for i, (third, last) in enumerate(plan):
        if (third is not None and third == player) or (last is not None and last == banker):
            yield i


def _count_triples(start: _Start, faces: Faces, thirds: Thirds, ways: int, counts: Counter[DealClass]) -> None:
    """Add the deals of a start with these third cards to `counts`, split by whether they make a triple."""
    third, last = thirds
    base = (*start.points, third, last, faces.player_pair, faces.banker_pair)
    of_banker = 0
    if faces.banker_pair == PERFECT and last == start.banker[0]:
        of_banker = start.decks - 2 - faces.player_like
    for is_triple, is_of_banker, share in _player_thirds(start, faces, third):
        if last is None:
            counts[DealClass(*base, is_triple, False)] += ways * share * start.unseen
            continue
        free = start.unseen if third is None else 1
        same = of_banker - is_of_banker if of_banker else 0
        rest = start.left[last] - (last == third) - same
        counts[DealClass(*base, is_triple, True)] += ways * share * same * free
        counts[DealClass(*base, is_triple, False)] += ways * share * rest * free


def _player_thirds(start: _Start, faces: Faces, third: int | None) -> tuple[tuple[bool, bool, int], ...]:
    """The Player's third card as (makes the Player's triple, equals the Banker's pair, number of such cards)."""
    if third is None:
        return ((False, False, 1),)
    own = other = 0
    if faces.player_pair == PERFECT and third == start.player[0]:
        own = start.decks - 2 - faces.banker_like
    if faces.banker_pair == PERFECT and third == start.banker[0]:
        other = start.decks - 2 - faces.player_like
    left = start.left[third]
    if faces.banker_like == 2 and own:
        return (True, True, own), (False, False, left - own)
    return (True, False, own), (False, True, other), (False, False, left - own - other)
