"""What a house elects: defaults, values as texts, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.builders import rules_of
from thirdcard.rules.errors import OptionError
from thirdcard.rules.game.words import Bet
from thirdcard.rules.rulebook.load import elect, load_rulebook
from thirdcard.rules.rulebook.options import variants_of

DEFAULTS: dict[str, dict[str, object]] = {
    "nz-authority": {"dealing_style": "A", "version": "mini", "banker_pay": "commission"},
    "nz-secretary": {
        "dealing_style": "A", "version": "mini", "banker_pay": "commission", "tie_pays": 8, "burn": "count",
        "perfect_pair": "none", "dragon_bonus": "none", "any_pair": "none", "lucky_match": "none",
        "two_to_one": False, "ante": 0, "ante_waived_from": None, "international": False,
    },
    "sg-rws": {"dealing_style": "A", "insurance": True},
    "nsw": {"dealing_style": "B", "even_money": False},
    "tas": {"dealing_style": "A", "federal": False, "perfect_pair": False, "competition": "none"},
}  # fmt: skip


@pytest.mark.parametrize("rulebook_id", DEFAULTS)
def test_defaults_are_the_first_values(rulebook_id: str) -> None:
    assert dict(rules_of(rulebook_id).options) == DEFAULTS[rulebook_id]


@pytest.mark.parametrize(
    ("rulebook_id", "given", "elected"),
    [
        pytest.param("tas", {"federal": "true"}, {"federal": True}, id="true-as-text"),
        pytest.param("nz-secretary", {"tie_pays": "9"}, {"tie_pays": 9}, id="number-as-text"),
        pytest.param("nz-secretary", {"ante": "25"}, {"ante": 25}, id="amount-as-text"),
        pytest.param("nz-secretary", {"ante_waived_from": 1000}, {"ante_waived_from": 1000}, id="amount"),
        pytest.param("nz-secretary", {"ante_waived_from": "null"}, {"ante_waived_from": None}, id="null-as-text"),
    ],
)
def test_values_may_be_texts(rulebook_id: str, given: dict[str, object], elected: dict[str, object]) -> None:
    options = elect(load_rulebook(rulebook_id), given).options
    assert {key: options[key] for key in elected} == elected


@pytest.mark.parametrize(
    ("rulebook_id", "options", "text"),
    [
        pytest.param("nsw", {"dealing_style": "A"}, "table.yaml: options.dealing_style = A; allowed: B", id="value"),
        pytest.param("tas", {"version": "mini"}, "options.version = mini; allowed: dealing_style, federal", id="key"),
        pytest.param("tas", {"federal": 1}, "options.federal = 1; allowed: false, true", id="one-is-not-true"),
        pytest.param("nz-secretary", {"tie_pays": True}, "options.tie_pays = True; allowed: 8, 9", id="true-is-not-1"),
        pytest.param("nz-secretary", {"ante": -1}, "options.ante = -1; allowed: 0, a whole amount", id="amount"),
        pytest.param(
            "nz-secretary",
            {"perfect_pair": "one", "any_pair": "two"},
            "options.any_pair = two; allowed: none where perfect_pair = one (nz-secretary 11A.1A)",
            id="11A.1A",
        ),
        pytest.param(
            "nz-secretary",
            {"lucky_match": "one", "any_pair": "two"},
            "options.lucky_match = one; allowed: none where any_pair = two (nz-secretary 11C.2)",
            id="11C.2",
        ),
        pytest.param(
            "nz-secretary", {"lucky_match": "one", "perfect_pair": "two"}, "options.lucky_match = one", id="11D.2"
        ),
        pytest.param(
            "tas",
            {"competition": "live", "perfect_pair": True},
            "options.perfect_pair = True; allowed: False where competition = live (tas 16.4.4)",
            id="tas-16.4.4",
        ),
        pytest.param(
            "tas",
            {"competition": "live", "dealing_style": "A"},
            "options.dealing_style = A; allowed: B where competition = live (tas 16.7.1)",
            id="tas-16.7.1",
        ),
        pytest.param(
            "tas",
            {"competition": "competition", "dealing_style": "A"},
            "options.dealing_style = A",
            id="tas-16.7.1-chips",
        ),
    ],
)
def test_option_is_refused(rulebook_id: str, options: dict[str, object], text: str) -> None:
    with pytest.raises(OptionError) as caught:
        elect(load_rulebook(rulebook_id), options, where="table.yaml: options")
    assert text in str(caught.value)
    assert caught.value.key in options


@pytest.mark.parametrize(
    ("rulebook_id", "options", "bet", "is_offered"),
    [
        pytest.param("tas", {}, Bet.PLAYER_PAIR, False, id="tas-without-pairs"),
        pytest.param("tas", {"perfect_pair": True}, Bet.PLAYER_PAIR, True, id="tas-with-pairs"),
        pytest.param("nz-authority", {}, Bet.PLAYER_PAIR, False, id="nz-authority-has-none"),
        pytest.param("sg-rws", {}, Bet.SUPER_SIX, True, id="sg-super-six"),
        pytest.param("nz-secretary", {"dragon_bonus": "three"}, Bet.DRAGON_BANKER, True, id="dragon"),
    ],
)
def test_bets_on_offer(rulebook_id: str, options: dict[str, Any], bet: Bet, is_offered: bool) -> None:
    assert rules_of(rulebook_id, **options).offers(bet) is is_offered


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


@pytest.mark.parametrize("kind", ["competition", "live"])
def test_rule_tas_16_7_1_competition_elects_the_style_that_passes_cards(kind: str) -> None:
    assert rules_of("tas", competition=kind).options["dealing_style"] == "B"
    assert rules_of("tas", competition=kind).style is rules_of("tas", dealing_style="B").style
