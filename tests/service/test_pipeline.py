"""What is sure enough to be alleged."""

from __future__ import annotations

import pytest

from rules.alerts import Alert, Remedy, Severity
from service.pipeline import is_alleged


@pytest.mark.parametrize(
    ("code", "confidence", "told"),
    [
        pytest.param("late_bet.placed", 0.6, True, id="sure-enough"),
        pytest.param("late_bet.placed", 0.59, False, id="a-person-would-look-for-nothing"),
        pytest.param("misdeal.wrong_result", 0.96, True, id="faces-well-read"),
        pytest.param("misdeal.wrong_result", 0.94, False, id="a-misread-card-may-be-the-fault"),
        pytest.param("exposed_card.excess", 0.94, False, id="not-due-by-a-misread-card"),
        pytest.param("misdeal.order", 0.94, True, id="no-face-decides"),
    ],
)
def test_finding_is_alleged_where_it_is_sure_enough(code: str, confidence: float, told: bool) -> None:
    alert = Alert(
        t=1.0, round=1, code=code, severity=Severity.HIGH, rulebook="tas", rule=None, message="",
        remedy=Remedy("supervisor", None, ""), confidence=confidence,
    )  # fmt: skip
    assert is_alleged(alert) is told
