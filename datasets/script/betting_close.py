"""When a rulebook closes betting on the two hands: at the call, with the first card, or each hand with its own."""

from __future__ import annotations

from collections.abc import Sequence

from thirdcard.rules.game.words import Bet

MAIN_BETS = (Bet.PLAYER, Bet.BANKER)
_BY_CALL = ("nz-authority", "sg-rws")
_BY_FIRST_CARD = ("nz-secretary", "nsw")


def bets_closed_by_call(rulebook: str) -> Sequence[Bet]:
    """The bets that the call closes."""
    return MAIN_BETS if rulebook in _BY_CALL else ()


def bets_closed_by_card(rulebook: str, number: int) -> Sequence[Bet]:
    """The bets that the round's first, second, ... card closes."""
    if rulebook in _BY_CALL:
        return ()
    if rulebook in _BY_FIRST_CARD:
        return MAIN_BETS if number == 1 else ()
    return MAIN_BETS[number - 1 : number]
