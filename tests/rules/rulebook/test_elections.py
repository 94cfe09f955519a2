"""Elections that a text forbids together are refused with its section; each by itself is not."""

from __future__ import annotations

import pytest

from tests.rules.builders import rules_of
from thirdcard.rules.errors import OptionError

SEC = "nz-secretary"


def are_refused_together(rule: str, book: str = SEC, **options: str | bool) -> None:
    """Each option is taken alone, and all together are refused by that rule."""
    for key, value in options.items():
        assert rules_of(book, **{key: value}).options[key] == value
    with pytest.raises(OptionError) as caught:
        rules_of(book, **options)
    assert f"({book} {rule})" in str(caught.value)


@pytest.mark.parametrize("other", ["any_pair", "lucky_match"])
def test_rule_nz_secretary_11a_1a_perfect_pair_stands_alone(other: str) -> None:
    are_refused_together("11A.1A", **{"perfect_pair": "one", other: "one"})


def test_rule_nz_secretary_11c_2_any_pair_stands_alone() -> None:
    are_refused_together("11C.2", any_pair="one", lucky_match="one")


@pytest.mark.parametrize(("other", "rule"), [("perfect_pair", "11A.1A"), ("any_pair", "11C.2")])
def test_rule_nz_secretary_11d_2_lucky_match_stands_alone(other: str, rule: str) -> None:
    are_refused_together(rule, **{other: "one", "lucky_match": "one"})


@pytest.mark.parametrize("competition", ["competition", "live"])
def test_rule_tas_16_4_4_a_competition_offers_no_pairs(competition: str) -> None:
    are_refused_together("16.4.4", "tas", competition=competition, perfect_pair=True)


@pytest.mark.parametrize("competition", ["competition", "live"])
def test_rule_tas_16_7_1_a_cards_of_a_competition_are_passed_face_down(competition: str) -> None:
    assert rules_of("tas", competition=competition).options["dealing_style"] == "B"
    are_refused_together("16.7.1", "tas", competition=competition, dealing_style="A")
