"""Elections that a text forbids together are refused with its section; each by itself is not."""

from __future__ import annotations

import pytest

from tests.rules.builders import rules_of
from thirdcard.rules.errors import OptionError

SEC = "nz-secretary"


def are_refused_together(rule: str, **options: str) -> None:
    """Each option is taken alone, and all together are refused by that rule."""
    for key, value in options.items():
        assert rules_of(SEC, **{key: value}).options[key] == value
    with pytest.raises(OptionError) as caught:
        rules_of(SEC, **options)
    assert f"({SEC} {rule})" in str(caught.value)


@pytest.mark.parametrize("other", ["any_pair", "lucky_match"])
def test_rule_nz_secretary_11a_1a_perfect_pair_stands_alone(other: str) -> None:
    are_refused_together("11A.1A", **{"perfect_pair": "one", other: "one"})


def test_rule_nz_secretary_11c_2_any_pair_stands_alone() -> None:
    are_refused_together("11C.2", any_pair="one", lucky_match="one")


@pytest.mark.parametrize(("other", "rule"), [("perfect_pair", "11A.1A"), ("any_pair", "11C.2")])
def test_rule_nz_secretary_11d_2_lucky_match_stands_alone(other: str, rule: str) -> None:
    are_refused_together(rule, **{other: "one", "lucky_match": "one"})
