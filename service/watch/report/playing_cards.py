"""Draw playing cards as small SVG pictures.

Independent of hands. A card is 63 x 88 units; suits are symbols that the page defines once.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from thirdcard.rules.game.cards import Card

SUIT_NAMES = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
RANK_NAMES = {"A": "ace", "J": "jack", "Q": "queen", "K": "king"}
SUIT_PATHS = {
    "C": "M50 8a21 21 0 0 0-16 34.5a21 21 0 1 0 11 31c0 9-3 15-9 18.5h28c-6-3.5-9-9.5-9-18.5"
    "a21 21 0 1 0 11-31A21 21 0 0 0 50 8z",
    "D": "M50 4C58 20 70 36 84 50C70 64 58 80 50 96C42 80 30 64 16 50C30 36 42 20 50 4z",
    "H": "M50 92C20 66 6 50 6 32C6 17 17 8 29 8C39 8 46 14 50 22C54 14 61 8 71 8C83 8 94 17 94 32C94 50 80 66 50 92z",
    "S": "M50 5C68 30 92 42 92 62C92 74 83 81 73 81C65 81 58 77 54 71C55 82 58 89 64 94H36C42 89 45 82 46 71"
    "C42 77 35 81 27 81C17 81 8 74 8 62C8 42 32 30 50 5z",
}


def suit_symbols() -> Markup:
    """The four suits as symbols `suit-C` … `suit-S`, to be included once in the page."""
    symbols = "".join(
        f'<symbol id="suit-{suit}" viewBox="0 0 100 100"><path d="{path}"/></symbol>'
        for suit, path in SUIT_PATHS.items()
    )
    return Markup(f'<svg width="0" height="0" aria-hidden="true" class="symbols">{symbols}</svg>')


def card_name(card: Card | None) -> str:
    """A card's name for screen readers, such as `ten of hearts`."""
    if card is None:
        return "a card that was not read"
    return f"{RANK_NAMES.get(card.rank, card.rank)} of {SUIT_NAMES[card.suit]}"


def draw_card(card: Card | None, *, is_sideways: bool = False) -> Markup:
    """One card; an unread face is drawn as a back with a question mark."""
    turn = " sideways" if is_sideways else ""
    if card is None:
        return Markup(
            f'<svg class="card unread{turn}" viewBox="0 0 63 88" role="img" aria-label="{card_name(card)}">'
            '<rect class="paper" x="1" y="1" width="61" height="86" rx="5"/>'
            '<rect class="weave" x="6" y="6" width="51" height="76" rx="3"/>'
            '<text class="query" x="31.5" y="56">?</text></svg>'
        )
    colour = "red" if card.is_red else "black"
    corner = (
        f'<text class="rank{" wide" if card.rank == "10" else ""}" x="11.5" y="20">{card.rank}</text>'
        f'<use href="#suit-{card.suit}" x="5" y="24" width="13" height="13"/>'
    )
    return Markup(
        f'<svg class="card {colour}{turn}" viewBox="0 0 63 88" role="img" aria-label="{card_name(card)}">'
        f'<rect class="paper" x="1" y="1" width="61" height="86" rx="5"/>{corner}'
        f'<g transform="rotate(180 31.5 44)">{corner}</g>{_middle(card)}</svg>'
    )


def _middle(card: Card) -> str:
    if card.rank in "JQK":
        return (
            '<rect class="court" x="20.5" y="16" width="22" height="56" rx="2"/>'
            f'<text class="letter" x="31.5" y="53">{card.rank}</text>'
        )
    return f'<use href="#suit-{card.suit}" x="18.5" y="31" width="26" height="26"/>'


def draw_hand(cards: Sequence[Card | None]) -> Markup:
    """A hand in the order of dealing, the third card turned sideways as on the table."""
    return Markup("").join(draw_card(card, is_sideways=place >= 2) for place, card in enumerate(cards))
