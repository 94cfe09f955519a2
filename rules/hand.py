"""Count a hand's points and tell naturals and pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeGuard

from rules.cards import Card

NATURALS = (8, 9)


def point_count(cards: Iterable[Card]) -> int:
    """The total of the cards' points modulo 10.

    >>> from rules.cards import parse_card
    >>> point_count(parse_card(text) for text in ("7H", "8S"))
    5
    """
    return sum(card.point_value for card in cards) % 10


def known_point_count(cards: Iterable[Card | None]) -> int | None:
    """The point count; None where a face is not known."""
    points = 0
    for card in cards:
        if card is None:
            return None
        points += card.point_value
    return points % 10


def is_known(cards: Sequence[Card | None]) -> TypeGuard[Sequence[Card]]:
    """Whether every face was read."""
    return known_point_count(cards) is not None


def is_natural(points: int) -> bool:
    """Whether two cards with these points end the drawing."""
    return points in NATURALS


def pair_kind(first: Card, second: Card) -> str | None:
    """`perfect` (same suit), `coloured` (same colour), `mixed`, or None where the ranks differ."""
    if first.rank != second.rank:
        return None
    if first.suit == second.suit:
        return "perfect"
    return "coloured" if first.is_red == second.is_red else "mixed"


def is_triple_match(cards: Sequence[Card]) -> bool:
    """Whether three cards share rank and suit."""
    return len(cards) == 3 and len(set(cards)) == 1
