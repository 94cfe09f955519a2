"""Facts about a hand that a house's own bets may use, besides points and pairs: suits, ranks, single cards.

A kind such as `first_suit` exists for either hand; a fact puts the hand before it, `player_first_suit=H`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from thirdcard.rules.game.cards import RANKS, SUITS, Card
from thirdcard.rules.game.words import Side

NAMES_OF_CARDS = ("first", "second", "third")
_TRUE = ("true",)
_COLOURS = ("red", "black")
_POINTS = tuple(map(str, range(10)))
_ATTRIBUTES: Mapping[str, tuple[str, ...]] = {"rank": RANKS, "suit": SUITS, "colour": _COLOURS, "points": _POINTS}
KINDS: Mapping[str, tuple[str, ...]] = {
    "suited": _TRUE,
    "flush": _TRUE,
    "colour": _COLOURS,
    "three_alike": _TRUE,
    "pair_rank": RANKS,
    **{f"{name}_{what}": values for name in NAMES_OF_CARDS for what, values in _ATTRIBUTES.items()},
}
"""The allowed values of each kind."""
BOTH = {"pairs_alike": "pair_rank"}
"""Facts about both hands together, and the kind of each hand that they compare."""
FACE_KINDS = frozenset({*KINDS, *BOTH, "pair", "triple"})
"""All kinds that need more than points."""


@dataclass(frozen=True, slots=True)
class FaceNeed:
    """The facts about a hand's cards that decide a condition."""

    cards: tuple[int, ...]
    """The cards of the hand that matter, by index from 0."""
    attributes: frozenset[str]
    """The attributes that matter: `rank`, `suit`, `colour`."""
    is_valued: bool = False
    """Whether the cards' point values matter."""
    names: frozenset[str] = frozenset()
    """What a fact of the kind names: a `suit` (or colour), a `rank`."""
    is_alike: bool = False
    """Whether it compares the ranks of the cards."""


_TWO, _ALL = (0, 1), (0, 1, 2)
_RANK, _SUIT, _COLOUR = frozenset({"rank"}), frozenset({"suit"}), frozenset({"colour"})
_NEEDS: Mapping[str, FaceNeed] = {
    "suited": FaceNeed(_TWO, _SUIT),
    "flush": FaceNeed(_ALL, _SUIT),
    "colour": FaceNeed(_ALL, _COLOUR, names=_SUIT),
    "three_alike": FaceNeed(_ALL, _RANK, is_alike=True),
    "pair_rank": FaceNeed(_TWO, _RANK, is_valued=True, names=_RANK, is_alike=True),
    "triple": FaceNeed(_ALL, _RANK | _SUIT, is_alike=True),
    "pair": FaceNeed(_TWO, _RANK | _SUIT, is_alike=True),
}


def face_need(kind: str, value: str) -> FaceNeed:
    """The facts that a condition of that kind needs; `any` pair does not need suits."""
    if kind == "pair" and value == "any":
        return FaceNeed(_TWO, _RANK, is_alike=True)
    if kind in _NEEDS:
        return _NEEDS[kind]
    name, _, what = kind.partition("_")
    card = (NAMES_OF_CARDS.index(name),)
    if what == "points":
        return FaceNeed(card, frozenset(), is_valued=True)
    if what == "rank":
        return FaceNeed(card, _RANK, is_valued=True, names=_RANK)
    return FaceNeed(card, _COLOUR if what == "colour" else _SUIT, names=_SUIT)


def split_key(key: str) -> tuple[str | None, str]:
    """The hand and the kind in a fact's key; the hand is None where the fact is about both.

    >>> split_key("banker_first_suit"), split_key("pairs_alike")
    (('banker', 'first_suit'), (None, 'pairs_alike'))
    """
    side, _, kind = key.partition("_")
    return (side, kind) if side in Side.__members__.values() and kind in FACE_KINDS else (None, key)


def kinds_of(key: str) -> tuple[tuple[str, str], ...]:
    """The (hand, kind) pairs that a fact's key needs; none where points alone decide it."""
    if key in BOTH:
        return tuple((str(side), BOTH[key]) for side in Side)
    side, kind = split_key(key)
    return () if side is None else ((side, kind),)


def marks_asked(facts: Iterable[str]) -> frozenset[str]:
    """The kinds that must be read for these facts; pairs and triples are always read, so they are left out."""
    asked = {kind for fact in facts for _, kind in kinds_of(fact.partition("=")[0])}
    return frozenset(asked & KINDS.keys())


def marks_of(cards: Sequence[Card], kinds: Collection[str]) -> frozenset[str]:
    """The facts about a hand of two or three cards for these kinds, as `kind=value`."""
    found: set[str] = set()
    for kind in kinds:
        value = _READERS[kind](cards) if kind in _READERS else _of_one_card(cards, kind)
        if value is not None:
            found.add(f"{kind}={value}")
    return frozenset(found)


def _of_one_card(cards: Sequence[Card], kind: str) -> str | None:
    name, _, what = kind.partition("_")
    i = NAMES_OF_CARDS.index(name)
    if i >= len(cards):
        return None
    if what == "points":
        return str(cards[i].point_value)
    return _colour(cards[i]) if what == "colour" else str(getattr(cards[i], what))


def _colour(card: Card) -> str:
    return "red" if card.is_red else "black"


def _is_one(values: Iterable[object]) -> bool:
    return len(set(values)) == 1


def _one_colour(cards: Sequence[Card]) -> str | None:
    return _colour(cards[0]) if _is_one(card.is_red for card in cards) else None


_READERS: Mapping[str, Callable[[Sequence[Card]], str | None]] = {
    "suited": lambda cards: "true" if _is_one(card.suit for card in cards[:2]) else None,
    "flush": lambda cards: "true" if _is_one(card.suit for card in cards) else None,
    "colour": _one_colour,
    "three_alike": lambda cards: "true" if len(cards) == 3 and _is_one(card.rank for card in cards) else None,
    "pair_rank": lambda cards: cards[0].rank if cards[0].rank == cards[1].rank else None,
}
