"""Count the ways to deal the first two cards of both hands, by points, pairs and repeated faces.

Ways are ordered draws from a full shoe. Ranks and suits matter only among cards of equal points, so each point value is
counted separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from math import prod
from typing import NamedTuple

from thirdcard.rules.game.cards import PACK, Card
from thirdcard.rules.game.hand import pair_kind

PERFECT = "perfect"

Two = tuple[int, int]
"""The points of a hand's first two cards, in either order."""


class Faces(NamedTuple):
    """What the first four cards' faces decide, besides their points."""

    player_pair: str | None
    banker_pair: str | None
    banker_like: int
    """How many of the Banker's two cards have the same face as the Player's perfect pair."""
    player_like: int
    """How many of the Player's two cards have the same face as the Banker's perfect pair."""


NO_PAIRS = Faces(None, None, 0, 0)


def falling(n: int, k: int) -> int:
    """n · (n - 1) · ... with k factors: the number of ordered draws of k cards from n.

    >>> falling(416, 6)
    4998398275503360
    """
    return prod(n - i for i in range(k))


def cards_of(points: int, decks: int) -> int:
    """The number of cards of that point value in a shoe of that many decks."""
    return len(_faces_of(points)) * decks


def ways_of_first_cards(player: Two, banker: Two, decks: int) -> Mapping[Faces, int]:
    """The number of ways to deal first cards of these points to the two hands, in any order within a hand."""
    orders = (1 + (player[0] != player[1])) * (1 + (banker[0] != banker[1]))
    if player[0] == player[1]:
        ways = _ways_of_pair(player[0], banker, decks)
    elif banker[0] == banker[1]:
        mirrored = _ways_of_pair(banker[0], player, decks)
        ways = {Faces(two, one, like, liked): n for (one, two, liked, like), n in mirrored.items()}
    else:
        drawn = Counter((*player, *banker))
        ways = {NO_PAIRS: prod(falling(cards_of(points, decks), n) for points, n in drawn.items())}
    return {faces: orders * n for faces, n in ways.items() if n}


def _ways_of_pair(points: int, other: Two, decks: int) -> Mapping[Faces, int]:
    """The ways to deal the first four cards, by faces, where one hand (here the Player's) has two cards of equal
    points."""
    among = sum(value == points for value in other)
    own = _ways_among_equals(points, among, decks)
    if other[0] == other[1] and not among:
        others = _ways_among_equals(other[0], 0, decks)
        return {
            Faces(one.player_pair, two.player_pair, 0, 0): n * m
            for (one, n), (two, m) in product(own.items(), others.items())
        }
    rest = prod(cards_of(value, decks) for value in other if value != points)
    return {faces: n * rest for faces, n in own.items()}


@cache
def _ways_among_equals(points: int, others: int, decks: int) -> Mapping[Faces, int]:
    """The ways, by faces, to deal one hand's two cards and `others` cards of the other hand, all of these points."""
    faces = _faces_of(points)
    ways: Counter[Faces] = Counter()
    for second, *rest in product(faces, repeat=1 + others):
        cards = (faces[0], second, *rest)
        n = len(faces) * prod(falling(decks, copies) for copies in Counter(cards).values())
        ways[_faces_among(cards[:2], rest)] += n
    return ways


def _faces_among(own: Sequence[Card], others: Sequence[Card]) -> Faces:
    kind = pair_kind(own[0], own[1])
    other = pair_kind(others[0], others[1]) if len(others) == 2 else None
    return Faces(
        kind,
        other,
        others.count(own[0]) if kind == PERFECT else 0,
        own.count(others[0]) if other == PERFECT else 0,
    )


@cache
def _faces_of(points: int) -> tuple[Card, ...]:
    return tuple(card for card in PACK if card.point_value == points)
