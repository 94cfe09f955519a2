"""The facts that a finished hand states for the pay cases, even where some cards were not read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from thirdcard.rules.game.cards import PACK, Card
from thirdcard.rules.game.hand import NATURALS, is_triple_match, pair_kind, winner_of
from thirdcard.rules.game.hand_marks import marks_of

_THIRDS = tuple(card for card in PACK if card.suit in "CD" and (card.point_value or card.rank == "10"))
"""Third cards of all points in two suits each, so that at least one differs from the face of a pair."""


class HandEnd(NamedTuple):
    """Everything that bets need to know of a finished hand."""

    total: int
    """Point count, 0 to 9."""
    cards: int
    """2 or 3."""
    is_natural: bool
    pair: str | None
    """`mixed`, `coloured` or `perfect`; None where the ranks of the first two cards differ."""
    is_triple: bool
    """Whether three cards share rank and suit."""
    marks: frozenset[str] = frozenset()
    """Further facts that the rulebook's bets need."""


_NO_KINDS: frozenset[str] = frozenset()


def end_of(cards: Sequence[Card], kinds: frozenset[str] = _NO_KINDS) -> HandEnd:
    """The end of a hand of two or three known cards, in order of dealing.

    Args:
        cards: The cards.
        kinds: The kinds of further facts that a house's own bets need.
    """
    first, second, count = cards[0], cards[1], len(cards)
    points = (first.point_value + second.point_value) % 10
    total = points if count == 2 else (points + cards[2].point_value) % 10
    marks = marks_of(cards, kinds) if kinds else _NO_KINDS
    if first.rank != second.rank:
        return HandEnd(total, count, points in NATURALS, None, False, marks)
    return HandEnd(total, count, points in NATURALS, pair_kind(first, second), is_triple_match(cards), marks)


@lru_cache(maxsize=4096)
def ends_of(cards: tuple[Card | None, ...], kinds: frozenset[str] = _NO_KINDS) -> frozenset[HandEnd]:
    """Every possible end of the hand, over all faces of the unread cards (None).

    >>> from thirdcard.rules.game.cards import parse_card
    >>> sorted(end.total for end in ends_of((parse_card("9H"), parse_card("KD"))))
    [9]
    """
    thirds = PACK if kinds else _THIRDS
    return frozenset(end_of(hand, kinds) for hand in _hands_of(cards, thirds))


def loose_ends_of(cards: tuple[Card | None, ...], kinds: frozenset[str] = _NO_KINDS) -> frozenset[HandEnd]:
    """Every possible end where it is unknown whether the hand got a third card; `cards` are its first two."""
    return ends_of(cards, kinds) | ends_of((*cards, None), kinds)


def _hands_of(cards: tuple[Card | None, ...], thirds: Sequence[Card]) -> Iterator[tuple[Card, ...]]:
    known = tuple(card for card in cards if card is not None)
    if len(known) == len(cards):
        yield known
        return
    for two in product(*(PACK if card is None else (card,) for card in cards[:2])):
        if len(cards) == 2:
            yield two
        for third in cards[2:]:
            for face in (*thirds, two[0]) if third is None else (third,):
                yield (*two, face)


@lru_cache(maxsize=8192)
def facts_of(player: HandEnd, banker: HandEnd) -> frozenset[str]:
    """The facts of two finished hands, for the pay cases."""
    facts = {f"winner={winner_of(player.total, banker.total)}", f"margin={abs(player.total - banker.total)}"}
    for side, end in (("player", player), ("banker", banker)):
        facts |= {f"{side}_points={end.total}", f"{side}_cards={end.cards}"}
        if end.is_natural:
            facts.add(f"{side}_natural=true")
        if end.pair is not None:
            facts |= {f"{side}_pair=any", f"{side}_pair={end.pair}"}
        if end.is_triple:
            facts.add(f"{side}_triple=true")
        for mark in end.marks:
            facts.add(f"{side}_{mark}")
    facts |= {f"cards={player.cards + banker.cards}", f"total_points={player.total + banker.total}"}
    if player.marks and any(mark.startswith("pair_rank=") for mark in player.marks & banker.marks):
        facts.add("pairs_alike=true")
    return frozenset(facts)
