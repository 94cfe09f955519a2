"""Know how much of a wager the table's chips can pay exactly. Money in the smallest unit.

The chips of each value are as many as it takes: with chips of 1.00 and 2.50, 47.50 can be paid and 1.50 cannot.
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
"""Of chips whose smallest is so many times what divides them all, it is not worked out which sums they lack."""


@dataclass(frozen=True, slots=True)
class PayableAmounts:
    """The amounts that some chips make up exactly."""

    unit: int
    """What divides every chip."""
    smallest: int
    """The smallest chip, in units."""
    least: Mapping[int, int]
    """By remainder after division by the smallest chip, the least amount that has it, in units."""

    def has(self, amount: Fraction) -> bool:
        """Whether chips make up the amount."""
        units = amount / self.unit
        if units.denominator > 1:
            return False
        least = self.least.get(units.numerator % self.smallest)
        return least is not None and units.numerator >= least


@lru_cache(maxsize=64)
def payable_amounts(chips: tuple[int, ...]) -> PayableAmounts:
    """What chips of these values make up.

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
    """The largest part of a stake whose winnings the chips make up exactly, however it wins; all where none is asked.

    Args:
        chips: The values of the table's chips, none where they are not known.
    """
    terms = _terms_of(bet, rules, chips)
    if terms is None:
        return stake
    part = stake - stake % terms.step
    while part and not terms.is_payable(part):
        part -= terms.step
    return part


def least_part_of(bet: Bet, rules: Rules, chips: tuple[int, ...]) -> int | None:
    """The least stake that can be paid exactly; None where every stake stands."""
    terms = _terms_of(bet, rules, chips)
    return None if terms is None else next(part for part in count(terms.step, terms.step) if terms.is_payable(part))


@dataclass(frozen=True, slots=True)
class _Terms:
    amounts: PayableAmounts
    odds: tuple[Fraction, ...]
    step: int
    """Only multiples of it can be paid exactly; a multiple that the smallest chip alone can pay is never far."""

    def is_payable(self, part: int) -> bool:
        return all(self.amounts.has(part * one) for one in self.odds)


@lru_cache(maxsize=256)
def _terms_of(bet: Bet, rules: Rules, chips: tuple[int, ...]) -> _Terms | None:
    """What is asked of a bet's stakes; None where all of them stand."""
    terms = rules.rulebook.bets.get(bet)
    rule = None if terms is None else terms.exact_pay
    if rule is None or not chips or not rule.when <= rules.facts:
        return None
    amounts, odds = payable_amounts(chips), tuple(_odds_of(bet, rules))
    return _Terms(amounts, odds, lcm(*((amounts.unit / one).numerator for one in odds)))


def _odds_of(bet: Bet, rules: Rules) -> Iterable[Fraction]:
    """All odds at which a bet may win something under the elections, less a commission that is kept at once."""
    commission = rules.commissions.get(bet)
    kept = commission.rate if commission is not None and commission.collected is Collected.AT_ONCE else 0
    return (case.pays * (1 - kept) for case in rules.pay_cases(bet) if case.outcome is Settling.WIN and case.pays)
