"""When a rulebook closes betting on the two hands: at the call, or each with its first card."""

from __future__ import annotations

from collections.abc import Sequence

from rules.words import Bet

MAIN_BETS = (Bet.PLAYER, Bet.BANKER)
_BY_CALL = ("nz-authority", "nz-secretary", "sg-rws")


def bets_closed_by_call(rulebook: str) -> Sequence[Bet]:
    """The bets that the call closes."""
    return MAIN_BETS if rulebook in _BY_CALL else ()


def bets_closed_by_card(rulebook: str, number: int) -> Sequence[Bet]:
    """The bets that the round's first, second, ... card closes."""
    return () if rulebook in _BY_CALL else MAIN_BETS[number - 1 : number]
