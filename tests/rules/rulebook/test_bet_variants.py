"""Every way in which a rulebook may offer a bet is found, once."""

from __future__ import annotations

import pytest

from thirdcard.rules.game.words import Bet
from thirdcard.rules.rulebook.bet_variants import variants_of
from thirdcard.rules.rulebook.load import load_rulebook

FOUND = [
    pytest.param("nsw", Bet.BANKER, [{}, {"even_money": True}], id="one-option"),
    pytest.param("nz-secretary", Bet.TIE, [{}, {"tie_pays": 9}], id="what-does-not-bear-on-it-is-left-out"),
    pytest.param(
        "nz-secretary",
        Bet.BANKER,
        [{}, {"two_to_one": True}, {"banker_pay": "six_half"}, {"banker_pay": "six_half", "two_to_one": True}],
        id="two-options",
    ),
    pytest.param(
        "nz-secretary",
        Bet.PLAYER_PAIR,
        [{"any_pair": "one"}, {"any_pair": "two"}, *({"perfect_pair": scale} for scale in ("one", "two", "three"))],
        id="11C.2-options-that-exclude-each-other",
    ),
    pytest.param("tas", Bet.PLAYER_PAIR, [{"perfect_pair": True}], id="only-where-it-is-offered"),
]


@pytest.mark.parametrize(("rulebook_id", "bet", "chosen"), FOUND)
def test_variants_are_those_that_bear_on_the_bet(rulebook_id: str, bet: Bet, chosen: list[dict[str, object]]) -> None:
    found = list(variants_of(bet, load_rulebook(rulebook_id)))
    assert [dict(elections) for elections, _ in found] == chosen
    assert all(rules.offers(bet) for _, rules in found)
