"""A hand's points, naturals and pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from thirdcard.rules.game.cards import PACK, Card
from thirdcard.rules.game.words import Outcome

NATURALS = (8, 9)


def point_count(cards: Iterable[Card]) -> int:
    """The total of the cards' points modulo 10.

    >>> from thirdcard.rules.game.cards import parse_card
    >>> point_count(parse_card(text) for text in ("7H", "8S"))
    5
    """
    return sum(card.point_value for card in cards) % 10


def known_point_count(cards: Iterable[Card | None]) -> int | None:
    """The point count; None where a face is unknown."""
    points = 0
    for card in cards:
        if card is None:
            return None
        points += card.point_value
    return points % 10


@cache
def share_worth(points: int, cards: int = 1) -> float:
    """The share of draws of so many cards, each from a full pack, that count `points`, 0 to 9.

    >>> share_worth(0) == 16 / 52
    True
    >>> share_worth(5, 0)
    0.0
    """
    if cards == 0:
        return float(points == 0)
    shares = [share_worth((points - card.point_value) % 10, cards - 1) for card in PACK]
    return sum(shares) / len(PACK)


def two_card_points(first: Card | None, second: Card | None) -> int | None:
    """The point count of two cards; None where a face is unknown."""
    return None if first is None or second is None else (first.point_value + second.point_value) % 10


def is_natural(points: int) -> bool:
    """Whether two cards with these points are a natural, which ends the drawing."""
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


_PLAYER_WINS, _BANKER_WINS, _TIE = Outcome


def winner_of(player: int, banker: int) -> Outcome:
    """The outcome for these two totals."""
    if player == banker:
        return _TIE
    return _PLAYER_WINS if player > banker else _BANKER_WINS


def points(cards: Sequence[Card | None]) -> int | None:
    """The point count of these cards; None where a face is unknown or there are no cards."""
    known = [card for card in cards if card is not None]
    if not cards or len(known) < len(cards):
        return None
    return sum(card.point_value for card in known) % 10
