"""What a house says of its alerts: unknown codes are refused, and its own rates of faults are weighed against."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from thirdcard.rules.belief.priors import shipped_priors
from thirdcard.service.config.alerts_file import AlertsFile
from thirdcard.service.config.parse_errors import table_error_from


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        pytest.param({"codes": {"late_bet": 1.0}}, "codes", id="a family is no code"),
        pytest.param({"codes": {"late_bet.places": 1.0}}, "late_bet.places", id="unknown code"),
        pytest.param({"fault_rates": {"late": 0.1}}, "late", id="unknown family"),
        pytest.param({"fault_rates": {"late_bet": 0.0}}, "0.000001 to 1", id="never"),
        pytest.param({"fault_rates": {"late_bet": 1.5}}, "0.000001 to 1", id="more often than always"),
    ],
)
def test_what_cannot_be_is_refused_with_what_is_allowed(keys: dict[str, object], says: str) -> None:
    with pytest.raises(ValidationError) as refused:
        AlertsFile.model_validate(keys)

    assert says in str(table_error_from(refused.value, AlertsFile, "house.yaml: alerts"))


def test_a_house_s_rates_stand_in_for_the_shipped_ones_it_names() -> None:
    shipped = shipped_priors()
    own = shipped.with_rates(AlertsFile(fault_rates={"late_bet": 0.2, "misdeal.order": 0.001}).fault_rates)

    assert (own.rate("late_bet.placed"), own.rate("misdeal.order")) == (0.2, 0.001)
    assert own.rate("misdeal.extra_card") == shipped.rate("misdeal.extra_card")
    assert own.rate("payout.loser_paid", ["misdeal.wrong_result"]) == 0.9
