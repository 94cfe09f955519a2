"""Count every ordered deal of six cards by facts about suits, ranks or single cards, exactly.

The points of a deal decide how it is played, so deals are counted by points first. What points leave open is counted
with urns: cards of one point value come from one urn of four faces (sixteen for tens and court cards), independent of
the other urns. Deals with the same pattern of shared urns share that count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from typing import NamedTuple

from thirdcard.rules.game.cards import CARDS_PER_DECK, PACK, Card
from thirdcard.rules.game.hand import is_natural
from thirdcard.rules.game.hand_marks import FACE_KINDS, FaceNeed, face_need, kinds_of, marks_asked, split_key
from thirdcard.rules.game.third_card import POINTS
from thirdcard.rules.odds.enumeration import Plans
from thirdcard.rules.odds.first_cards import cards_of, falling
from thirdcard.rules.wagers.hand_ends import HandEnd, end_of, facts_of

_ZEROS = ("10", "J", "Q", "K")
_SUITS = ("C", "D", "H", "S")
_FILLER = Card("10", "C")
Deal = tuple[int, int, int | None, int | None]
"""The two-card points of both hands, then the points of the third cards; None where there is none."""
Place = tuple[str, int]
"""A hand, and the index of a card in it, from 0."""
Label = int
"""An urn: its point value where that matters or is 0; else a negative number."""


class _Urns(NamedTuple):
    """The urn of each card that matters."""

    places: tuple[Place, ...]
    labels: tuple[Label, ...]
    thirds: tuple[bool, bool]
    """Whether the Player and the Banker have a third card."""


@dataclass(frozen=True, slots=True)
class _Needs:
    """The facts about each card that the conditions need."""

    faces: Mapping[Place, frozenset[str]]
    """For each place that matters: `rank`, `suit`, `colour`, several or none."""
    valued: frozenset[Place]
    """Places whose point value matters."""
    of_hands: tuple[tuple[str, FaceNeed], ...]
    """Each single need, with its hand."""
    kinds: frozenset[str]
    names_suit: bool
    """Whether a fact names a suit or colour."""
    names_rank: bool


@lru_cache(maxsize=64)
def count_facts_of_faces(decks: int, plans: Plans, asked: frozenset[str]) -> Mapping[frozenset[str], int]:
    """The number of ordered deals of six cards for each subset of the asked facts that holds in them."""
    needs = _needs_of(asked)
    face_facts = frozenset(fact for fact in asked if split_key(fact.partition("=")[0])[1] in FACE_KINDS)
    counts: Counter[frozenset[str]] = Counter()
    faces: dict[_Urns, tuple[Mapping[frozenset[str], int], int]] = {}
    points: dict[Deal, frozenset[str]] = {}
    for (deal, urns), ways in _count_points(decks, plans, needs).items():
        if urns not in faces:
            faces[urns] = _count_faces(urns, decks, needs, face_facts)
        if deal not in points:
            points[deal] = _points_facts(deal) & (asked - face_facts)
        shares, total = faces[urns]
        for stated, share in shares.items():
            counts[points[deal] | stated] += ways * share // total
    return counts


def _needs_of(asked: frozenset[str]) -> _Needs:
    faces: dict[Place, frozenset[str]] = {}
    valued: set[Place] = set()
    names: set[str] = set()
    of_hands: dict[tuple[str, FaceNeed], None] = {}
    for fact in asked:
        key, _, value = fact.partition("=")
        for side, kind in kinds_of(key):
            need = face_need(kind, value)
            of_hands[side, need] = None
            for i in need.cards:
                faces[side, i] = faces.get((side, i), frozenset()) | need.attributes
                valued |= {(side, i)} if need.is_valued else set()
            names |= need.names
    return _Needs(faces, frozenset(valued), tuple(of_hands), marks_asked(asked), "suit" in names, "rank" in names)


def _count_points(decks: int, plans: Plans, needs: _Needs) -> Mapping[tuple[Deal, _Urns], int]:
    """The number of ordered deals for each combination of points and urn pattern."""
    counts: Counter[tuple[Deal, _Urns]] = Counter()
    known: dict[tuple[tuple[int, ...], tuple[bool, bool]], _Urns] = {}
    unseen = decks * CARDS_PER_DECK - 5
    for *first, orders in _first_four(needs):
        one, two = (first[0] + first[1]) % 10, (first[2] + first[3]) % 10
        drawn = Counter(first)
        left = [cards_of(points, decks) - drawn[points] for points in POINTS]
        ways = orders * prod(falling(cards_of(points, decks), n) for points, n in drawn.items())
        for third, last in plans[one * len(POINTS) + two]:
            if third is None:
                share = (unseen + 1 if last is None else left[last]) * unseen
            else:
                share = left[third] * (unseen if last is None else left[last] - (last == third))
            if not share:
                continue
            thirds = (third is not None, last is not None)
            values = _values_of(first, third, last, needs)
            if (values, thirds) not in known:
                known[values, thirds] = _urns_of(values, thirds, needs)
            counts[(one, two, third, last), known[values, thirds]] += ways * share
    return counts


def _first_four(needs: _Needs) -> Iterator[tuple[int, int, int, int, int]]:
    """The points of both hands' first two cards, and a weight: 2 where both orders count alike."""
    two = frozenset({0, 1})
    hands: list[list[tuple[int, int, int]]] = []
    for side in ("player", "banker"):
        is_alike = all(
            not two & set(need.cards) or two <= set(need.cards) for whose, need in needs.of_hands if whose == side
        )
        pairs = product(POINTS, repeat=2)
        hands.append([(a, b, 1 + (is_alike and a < b)) for a, b in pairs if a <= b or not is_alike])
    for (one, two_, n), (three, four, m) in product(*hands):
        yield one, two_, three, four, n * m


def _places(needs: _Needs, thirds: tuple[bool, bool]) -> Iterator[Place]:
    for side, has_third in zip(("player", "banker"), thirds, strict=True):
        for i in range(3 if has_third else 2):
            if (side, i) in needs.faces:
                yield side, i


def _values_of(first: Sequence[int], third: int | None, last: int | None, needs: _Needs) -> tuple[int, ...]:
    hands = {"player": (*first[:2], third), "banker": (*first[2:], last)}
    thirds = (third is not None, last is not None)
    return tuple([hands[side][i] or 0 for side, i in _places(needs, thirds)])


def _urns_of(values: tuple[int, ...], thirds: tuple[bool, bool], needs: _Needs) -> _Urns:
    places = tuple(_places(needs, thirds))
    told = {value for place, value in zip(places, values, strict=True) if place in needs.valued} | {0}
    labels: dict[int, Label] = {value: value for value in told}
    for value in values:
        labels.setdefault(value, -1 - sum(label < 0 for label in labels.values()))
    return _Urns(places, tuple(labels[value] for value in values), thirds)


def _count_faces(
    urns: _Urns, decks: int, needs: _Needs, face_facts: frozenset[str]
) -> tuple[Mapping[frozenset[str], int], int]:
    """The number of ways to draw the cards that matter, by the facts they state, and the number of all ways."""
    counts: Counter[frozenset[str]] = Counter()
    label_of, ranks = dict(zip(urns.places, urns.labels, strict=True)), _ranks_of(urns.labels)
    wanted = _wanted(label_of, needs)
    drawn = [place for place in urns.places if place in wanted]
    attributes: dict[Label, frozenset[str]] = {}
    for place in drawn:
        attributes[label_of[place]] = attributes.get(label_of[place], frozenset()) | wanted[place]
    choices, factor = _choices([label_of[place] for place in drawn], attributes, ranks, decks, needs)
    hands = [[_FILLER] * (3 if has_third else 2) for has_third in urns.thirds]
    for (side, i), label in label_of.items():
        hands[side == "banker"][i] = Card(ranks[label][0], _SUITS[0])
    stated = _Stated(hands, drawn, needs.kinds, face_facts)
    for faces, ways in _draws(choices).items():
        counts[stated[faces]] += ways * factor
    urn_sizes = Counter(label_of[place] for place in drawn)
    return counts, prod(falling(cards_of(int(label != 0), decks), n) for label, n in urn_sizes.items())


def _wanted(label_of: Mapping[Place, Label], needs: _Needs) -> Mapping[Place, frozenset[str]]:
    """The faces that matter; whether cards are alike matters only if they come from one urn."""
    wanted: dict[Place, frozenset[str]] = {}
    for side, need in needs.of_hands:
        places = [(side, i) for i in need.cards if (side, i) in label_of]
        if need.is_alike and (len(places) < len(need.cards) or len({label_of[place] for place in places}) > 1):
            continue
        for place in places:
            wanted[place] = wanted.get(place, frozenset()) | need.attributes
    return wanted


Numbers = tuple[int, ...]
"""Faces as numbers in the pack."""
Choice = tuple[Numbers, int]
"""The possible faces of a card, and how many copies of each exist."""


def _choices(
    labels: Sequence[Label],
    attributes: Mapping[Label, frozenset[str]],
    ranks: Mapping[Label, tuple[str, ...]],
    decks: int,
    needs: _Needs,
) -> tuple[list[Choice], int]:
    """The choices for each card in turn, and a factor for the count of each draw.

    Where no fact names a suit, one suit stands for all at the first card whose suit matters; the factor makes up for
    it. Likewise for ranks.
    """
    factor, found = 1, list[Choice]()
    is_suit_free, is_rank_free = not needs.names_suit, not needs.names_rank
    for label in labels:
        asked = attributes[label]
        suits = _SUITS if "suit" in asked else _SUITS[:2] if "colour" in asked else _SUITS[:1]
        names = ranks[label] if "rank" in asked else ranks[label][:1]
        copies = cards_of(int(label != 0), decks) // (len(suits) * len(names))
        if is_suit_free and len(suits) > 1:
            suits, factor, is_suit_free = suits[:1], factor * len(suits), False
        if is_rank_free and len(names) > 1:
            names, factor, is_rank_free = names[:1], factor * len(names), False
        found.append((tuple(Card(rank, suit).number for rank in names for suit in suits), copies))
    return found, factor


def _draws(choices: Sequence[Choice]) -> Mapping[Numbers, int]:
    """The number of ways to draw each sequence of faces."""
    sequences: dict[Numbers, int] = {(): 1}
    for numbers, copies in choices:
        sequences = {
            (*before, number): ways * (copies - before.count(number))
            for before, ways in sequences.items()
            for number in numbers
        }
    return {numbers: ways for numbers, ways in sequences.items() if ways}


class _Stated(dict[Numbers, frozenset[str]]):
    """The facts that the hands state, cached by the drawn faces."""

    def __init__(
        self, hands: Sequence[Sequence[Card]], drawn: Sequence[Place], kinds: frozenset[str], face_facts: frozenset[str]
    ) -> None:
        super().__init__()
        self._hands, self._kinds, self._face_facts = hands, kinds, face_facts
        self._player = tuple(i for side, i in drawn if side == "player")
        self._banker = tuple(i for side, i in drawn if side == "banker")
        self._split = len(self._player)
        self._ends: dict[tuple[bool, Numbers], HandEnd] = {}

    def __missing__(self, numbers: Numbers) -> frozenset[str]:
        player, banker = self._end(False, numbers[: self._split]), self._end(True, numbers[self._split :])
        return facts_of(player, banker) & self._face_facts

    def _end(self, is_banker: bool, numbers: Numbers) -> HandEnd:
        key = (is_banker, numbers)
        if key not in self._ends:
            hand = list(self._hands[is_banker])
            for i, number in zip(self._banker if is_banker else self._player, numbers, strict=True):
                hand[i] = PACK[number]
            self._ends[key] = end_of(hand, self._kinds)
        return self._ends[key]


def _ranks_of(labels: Sequence[Label]) -> Mapping[Label, tuple[str, ...]]:
    """The ranks in each urn; an urn whose points do not matter gets points that no other urn has."""
    free = iter([points for points in POINTS if points and points not in labels])
    ranks: dict[Label, tuple[str, ...]] = {0: _ZEROS}
    for label in labels:
        if label not in ranks:
            points = label if label > 0 else next(free)
            ranks[label] = ("A" if points == 1 else str(points),)
    return ranks


def _points_facts(deal: Deal) -> frozenset[str]:
    one, two, third, last = deal
    ends = [
        HandEnd((points + (more or 0)) % 10, 2 if more is None else 3, is_natural(points), None, False)
        for points, more in ((one, third), (two, last))
    ]
    return facts_of(*ends)
