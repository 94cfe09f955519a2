"""The payments of a scripted dealer: the winnings of each bet, in the table's smallest unit, and the chips for a value.

Knows only the bets that scripts use; the referee's own settlement is in `rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from thirdcard.calibration.chips import ChipSet
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.plan import Hands, total
from thirdcard.rules.game.words import Bet, Outcome

EVEN = Fraction(1)
HALF = Fraction(1, 2)
LESS_COMMISSION = Fraction(19, 20)
TALLEST = 10
"""Largest number of chips that the dealer puts into one stack when giving change."""


def banker_odds(rulebook: str, options: Mapping[str, object], banker_points: int) -> Fraction:
    """Return what a winning wager on the Banker pays per unit."""
    even = (
        rulebook == "sg-rws"
        or options.get("even_money") is True
        or options.get("federal") is True
        or options.get("banker_pay") == "six_half"
    )
    if options.get("two_to_one") is True:
        return EVEN
    if not even:
        return LESS_COMMISSION
    return HALF if banker_points == 6 else EVEN


def odds_of(bet: Bet, hands: Hands, winner: Outcome, table: tuple[str, Mapping[str, object]]) -> Fraction | None:
    """Return what a bet pays per unit; None if it lost, 0 if it stands off.

    `table` is the rulebook and its options.
    """
    rulebook, options = table
    if bet in (Bet.PLAYER, Bet.BANKER):
        if winner is Outcome.TIE:
            return Fraction(0)
        if str(bet) != str(winner):
            return None
        return EVEN if bet is Bet.PLAYER else banker_odds(rulebook, options, total(hands.banker))
    if bet is Bet.TIE:
        tie_pays = options.get("tie_pays", 8)
        return Fraction(int(str(tie_pays))) if winner is Outcome.TIE else None
    if bet is Bet.SUPER_SIX:
        won = winner is Outcome.BANKER and total(hands.banker) == 6
        return Fraction(12 if len(hands.banker) == 2 else 20) if won else None
    if bet in (Bet.PLAYER_PAIR, Bet.BANKER_PAIR):
        first, second = (hands.player if bet is Bet.PLAYER_PAIR else hands.banker)[:2]
        return Fraction(11) if first.rank == second.rank else None
    return None


def chips_for(value: int, chips: ChipSet, where: str) -> tuple[int, ...]:
    """Return chips that make up a value, the largest at the bottom, as indices into the set.

    Raises:
        ScriptError: The set has no chips for it.
    """
    chosen: list[int] = []
    left = value
    for index in sorted(range(len(chips.chips)), key=lambda i: -chips.chips[i].value):
        count, left = divmod(left, chips.chips[index].value)
        chosen += [index] * count
    if left or not chosen:
        raise ScriptError(where, value, f"must be a sum of chips of {', '.join(str(c.value) for c in chips.chips)}")
    return tuple(chosen)


def small_chips_for(value: int, chips: ChipSet, where: str) -> tuple[int, ...]:
    """Return chips for a value, the smallest ones that still fit into a single stack.

    Raises:
        ScriptError: The set has no chips for it.
    """
    by_value = sorted(range(len(chips.chips)), key=lambda i: chips.chips[i].value)
    for index in by_value:
        count, left = divmod(value, chips.chips[index].value)
        if not left and 0 < count <= TALLEST:
            return (index,) * count
    return chips_for(value, chips, where)


def payable(bet: Bet, value: int, chips: ChipSet, table: tuple[str, Mapping[str, object]]) -> bool:
    """Whether a wager can be paid exactly with the table's smallest chip; always true except on the Banker."""
    if bet is not Bet.BANKER:
        return True
    smallest = min(chip.value for chip in chips.chips)
    return all((value * banker_odds(*table, points)) % smallest == 0 for points in (5, 6))
