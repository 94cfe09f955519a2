"""The part of a wager that the table's chips can pay exactly. Money in minor units.

Any number of chips of each value may be used: with chips of 1.00 and 2.50, 47.50 can be paid and 1.50 cannot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import count
from math import gcd, lcm

from thirdcard.rules.game.words import Bet, Settling
from thirdcard.rules.rulebook.model import Collected
from thirdcard.rules.rulebook.options import Rules

MOST_RESIDUES = 10_000
"""The largest ratio of the smallest chip to the common divisor for which missing sums are computed."""


@dataclass(frozen=True, slots=True)
class PayableAmounts:
    """The amounts that these chips can make up exactly."""

    unit: int
    """The greatest common divisor of the chips, in minor units."""
    smallest: int
    """The smallest chip, in units."""
    least: Mapping[int, int]
    """For each remainder modulo the smallest chip: the least payable amount with it, in units."""

    def has(self, amount: Fraction) -> bool:
        """Whether the chips can make up the amount, in minor units."""
        units = amount / self.unit
        if units.denominator > 1:
            return False
        least = self.least.get(units.numerator % self.smallest)
        return least is not None and units.numerator >= least


@lru_cache(maxsize=64)
def payable_amounts(chips: tuple[int, ...]) -> PayableAmounts:
    """The amounts that chips of these values can make up.

    >>> [amount for amount in range(7) if payable_amounts((2, 5)).has(Fraction(amount))]
    [0, 2, 4, 5, 6]
    """
    unit = gcd(*chips)
    values = sorted({value // unit for value in chips})
    if values[0] > MOST_RESIDUES:
        return PayableAmounts(unit, 1, {0: 0})
    return PayableAmounts(unit, values[0], _least_by_remainder(values))


def _least_by_remainder(values: list[int]) -> Mapping[int, int]:
    smallest, least = values[0], {0: 0}
    for value in values[1:]:
        cycle = gcd(value, smallest)
        for start in range(cycle):
            known = [least[remainder] for remainder in range(start, smallest, cycle) if remainder in least]
            amount = min(known, default=0)
            for _ in range(smallest // cycle if known else 0):
                amount = min(amount, least.get(amount % smallest, amount))
                least[amount % smallest] = amount
                amount += value
    return least


def valid_part_of(bet: Bet, stake: int, rules: Rules, chips: tuple[int, ...]) -> int:
    """The largest part of a stake whose winnings the chips can pay exactly in every case; all of it without such a
    rule.

    Args:
        bet: The bet.
        stake: In minor units.
        rules: The rulebook and the house's options.
        chips: The values of the table's chips; empty where unknown.
    """
    terms = _terms_of(bet, rules, chips)
    if terms is None:
        return stake
    part = stake - stake % terms.step
    while part and not terms.is_payable(part):
        part -= terms.step
    return part


def least_part_of(bet: Bet, rules: Rules, chips: tuple[int, ...]) -> int | None:
    """The least stake that can be paid exactly, in minor units; None where every stake can."""
    terms = _terms_of(bet, rules, chips)
    return None if terms is None else next(part for part in count(terms.step, terms.step) if terms.is_payable(part))


@dataclass(frozen=True, slots=True)
class _Terms:
    amounts: PayableAmounts
    odds: tuple[Fraction, ...]
    step: int
    """Only multiples of this can be paid exactly, in minor units."""

    def is_payable(self, part: int) -> bool:
        return all(self.amounts.has(part * one) for one in self.odds)


@lru_cache(maxsize=256)
def _terms_of(bet: Bet, rules: Rules, chips: tuple[int, ...]) -> _Terms | None:
    """The conditions on a bet's stakes; None where there are none."""
    terms = rules.rulebook.bets.get(bet)
    rule = None if terms is None else terms.exact_pay
    if rule is None or not chips or not rule.when <= rules.facts:
        return None
    amounts, odds = payable_amounts(chips), tuple(_odds_of(bet, rules))
    return _Terms(amounts, odds, lcm(*((amounts.unit / one).numerator for one in odds)))


def _odds_of(bet: Bet, rules: Rules) -> Iterable[Fraction]:
    """All odds at which the bet can win, less a commission that is kept at once."""
    commission = rules.commissions.get(bet)
    kept = commission.rate if commission is not None and commission.collected is Collected.AT_ONCE else 0
    return (case.pays * (1 - kept) for case in rules.pay_cases(bet) if case.outcome is Settling.WIN and case.pays)
