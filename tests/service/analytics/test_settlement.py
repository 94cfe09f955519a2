"""What faults of settlement cost."""

from __future__ import annotations

from typing import Any

import pytest

from thirdcard.service.analytics.settlement import difference_of, is_accepted

RECORD = {"due": [{"area": "s3-banker", "pays": "95/2"}, {"area": "s4-tie", "pays": None}]}


@pytest.mark.parametrize(
    ("code", "amount", "area", "difference"),
    [
        pytest.param("payout.loser_paid", 100, "s3-banker", (100.0, 0.0), id="loser paid"),
        pytest.param("payout.loser_kept", 100, "s3-banker", (100.0, 0.0), id="loser left in place"),
        pytest.param("payout.winner_unpaid", 95, "s3-banker", (0.0, 95.0), id="winner not paid"),
        pytest.param("payout.push_taken", 50, "s3-banker", (0.0, 50.0), id="stand-off collected"),
        pytest.param("payout.wrong_amount", 50, "s3-banker", (2.5, 0.0), id="paid too much"),
        pytest.param("payout.wrong_amount", 40, "s3-banker", (0.0, 7.5), id="paid too little"),
        pytest.param("payout.wrong_amount", 40, "s4-tie", (0.0, 0.0), id="what was due is not known"),
        pytest.param("payout.loser_paid", None, "s3-banker", (0.0, 0.0), id="not read"),
        pytest.param("misdeal.order", 10, None, (0.0, 0.0), id="no fault of settlement"),
    ],
)
def test_difference(code: str, amount: int | None, area: str | None, difference: tuple[float, float]) -> None:
    assert difference_of({"code": code, "amount": amount, "area": area}, RECORD) == difference


@pytest.mark.parametrize(
    ("remedy", "is_stood"),
    [
        pytest.param({"state": "done"}, False, id="voided"),
        pytest.param({"state": "not_done"}, True, id="not voided"),
        pytest.param({"state": "done", "area": "s4-tie"}, True, id="another wager was voided"),
        pytest.param({"state": "done", "t": 90.0}, True, id="another time it was voided"),
    ],
)
def test_late_bet_stands_unless_it_was_voided(remedy: dict[str, Any], is_stood: bool) -> None:
    alert = {"code": "late_bet.placed", "t": 83.2, "area": "s3-banker"}
    record = {"remedies": [alert | {"action": "void_wager"} | remedy]}
    assert is_accepted(alert, record) is is_stood


def test_late_bet_in_a_round_that_runs_still_stands_so_far() -> None:
    assert is_accepted({"code": "late_bet.placed", "t": 1.0, "area": "a"}, None)
    assert not is_accepted({"code": "misdeal.order", "t": 1.0, "area": None}, None)
