"""The bets of a rulebook's file: ranges spread out, and what is not whole refused with its place."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from tests.rules.rulebook.test_parse import content_of, with_value, without
from thirdcard.rules.errors import RulebookError
from thirdcard.rules.game.words import Bet
from thirdcard.rules.rulebook.load import load_rulebook
from thirdcard.rules.rulebook.parse import parse_rulebook


def test_range_is_one_case_for_each_value() -> None:
    cases = load_rulebook("nz-secretary").bets[Bet.DRAGON_PLAYER].cases
    pays = {fact: case.pays for case in cases if "dragon_bonus=three" in case.when for fact in case.when}
    assert {fact: pays[fact] for fact in sorted(pays) if fact.startswith("margin=")} == {
        "margin=4": 2, "margin=5": 2, "margin=6": 4, "margin=7": 4, "margin=8": 10, "margin=9": 30,
    }  # fmt: skip


def test_fee_and_exact_pay_are_read() -> None:
    bets = load_rulebook("nz-secretary").bets
    fee, exact_pay = bets[Bet.ANTE].fee, bets[Bet.BANKER].exact_pay
    assert fee is not None
    assert (fee.rule, sorted(fee.wagers)) == ("14.7", ["banker", "player", "tie"])
    assert exact_pay is not None
    assert (exact_pay.rule, sorted(exact_pay.when)) == ("5.13", ["banker_pay=commission", "two_to_one=false"])


def test_odds_are_exact_fractions() -> None:
    assert load_rulebook("tas").bets[Bet.BANKER].cases[0].pays == Fraction(19, 20)


BROKEN = [
    pytest.param(without("bets", "tie", "cases"), "bets.tie: cases is missing", id="nothing-said-of-a-bet"),
    pytest.param(
        with_value(["winner=player", "margin=7-6"], "bets", "dragon_player", "cases", 4, "when"),
        "when = margin=7-6; allowed: margin= and one of 0, 1",
        id="range-upside-down",
    ),
    pytest.param(with_value("anteater", "bets", "ante", "fee", "amount"), "fee.amount = anteater", id="no-such-option"),
    pytest.param(with_value("x", "bets", "ante", "fee", "waived_from"), "fee.waived_from = x", id="no-such-waiver"),
    pytest.param(with_value(["red"], "bets", "ante", "fee", "wagers"), "fee.wagers = red", id="no-such-wager"),
    pytest.param(without("bets", "ante", "fee", "rule"), "bets.ante.fee: rule is missing", id="fee-cites-nothing"),
    pytest.param(without("bets", "banker", "paid_exactly", "rule"), "paid_exactly: rule is missing", id="exact-pay"),
    pytest.param(with_value(1, "bets", "ante", "fee", "tip"), "bets.ante.fee: tip is not known here", id="unknown-key"),
]


@pytest.mark.parametrize(("change", "text"), BROKEN)
def test_bets_that_are_not_whole_are_refused_with_the_place(change: Callable[[Any], None], text: str) -> None:
    content = content_of("nz-secretary")
    change(content)
    with pytest.raises(RulebookError) as caught:
        parse_rulebook(content, "nz-secretary.yaml")
    assert text in str(caught.value)
