"""A round's cards as one line of text: `P 8H 4D 2C | B KS 9D`; `?` is a card that was not read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thirdcard.rules.errors import CardError, NotationError
from thirdcard.rules.game.cards import Card, parse_card


@dataclass(frozen=True, slots=True)
class RoundCards:
    """The cards of both hands, each in order of dealing; None: not read."""

    player: tuple[Card | None, ...]
    banker: tuple[Card | None, ...]


def parse_round(text: str) -> RoundCards:
    """The cards that a line names.

    >>> format_round_cards(parse_round("P 8H 4D 2C | B KS ?"))
    'P 8H 4D 2C | B KS ?'

    Raises:
        NotationError: The line does not name two hands, or a word names no card.
    """
    hands = [part.split() for part in text.split("|")]
    if len(hands) != 2 or [hand[:1] for hand in hands] != [["P"], ["B"]]:
        raise NotationError(f"round = {text}; allowed: P and the Player's cards, a bar, B and the Banker's")
    try:
        player, banker = (tuple(_card(word) for word in hand[1:]) for hand in hands)
    except CardError as error:
        raise NotationError(f"round = {text}; {error}") from error
    return RoundCards(player, banker)


def format_round_cards(cards: RoundCards) -> str:
    """The cards as a line that `parse_round` reads back."""
    return f"P {_hand(cards.player)} | B {_hand(cards.banker)}"


def _card(word: str) -> Card | None:
    return None if word == "?" else parse_card(word)


def _hand(cards: Sequence[Card | None]) -> str:
    return " ".join("?" if card is None else str(card) for card in cards)
