"""What chips make up exactly, against trying every sum."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.builders import rules_of
from thirdcard.rules.game.words import Bet
from thirdcard.rules.wagers.exact_pay import MOST_RESIDUES, least_part_of, payable_amounts, valid_part_of

CHIPS = st.lists(st.integers(1, 40), min_size=1, max_size=4, unique=True)


def sums_of(chips: list[int], most: int) -> set[int]:
    """Every sum of those chips up to `most`."""
    sums = {0}
    for amount in range(1, most + 1):
        if any(amount - chip in sums for chip in chips):
            sums.add(amount)
    return sums


@settings(max_examples=60, deadline=None)
@given(chips=CHIPS)
def test_payable_amounts_are_the_sums_of_the_chips(chips: list[int]) -> None:
    payable = payable_amounts(tuple(chips))
    assert {amount for amount in range(300) if payable.has(Fraction(amount))} == sums_of(chips, 299)
    assert not payable.has(Fraction(1, 2))


@settings(max_examples=60, deadline=None)
@given(chips=CHIPS, stake=st.integers(0, 600))
def test_rule_nz_5_13_the_largest_part_that_chips_can_pay_is_valid(chips: list[int], stake: int) -> None:
    rules, sums = rules_of("nz-authority"), sums_of(chips, 600)
    parts = [part for part in range(stake + 1) if 19 * part % 20 == 0 and 19 * part // 20 in sums]
    assert valid_part_of(Bet.BANKER, stake, rules, tuple(chips)) == max(parts)
    assert valid_part_of(Bet.PLAYER, stake, rules, tuple(chips)) == stake


def test_least_part_is_the_least_wager_that_stands() -> None:
    rules = rules_of("nz-authority")
    assert least_part_of(Bet.BANKER, rules, (5,)) == 100
    assert least_part_of(Bet.BANKER, rules, (1000, 2500, 3800)) == 4000
    assert least_part_of(Bet.BANKER, rules, ()) is None
    assert least_part_of(Bet.TIE, rules, (5,)) is None


def test_chips_of_odd_values_are_taken_to_make_up_all_that_their_unit_does() -> None:
    payable = payable_amounts((MOST_RESIDUES + 7, 10**12))
    assert payable.has(Fraction(1))
