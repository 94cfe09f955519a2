"""What becomes of a finding is set by how many false alerts an hour a house accepts."""

from __future__ import annotations

import pytest

from tests.rules.builders import rules_of
from thirdcard.rules.belief.belief import Telling
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.words import Remedy, Severity
from thirdcard.rules.referee import Referee
from thirdcard.service.interpretation.alert_policy import AlertPolicy, Sureness, belief_of, shipped_sureness

FITTED = Sureness(
    families={"late_bet": (0.5, -1.0), "late_bet.moved": (1.0, 0.0)},
    false_per_hour=((0.3, 2.0), (0.6, 0.5), (0.9, 0.05), (0.99, 0.01)),
)


def alert(code: str = "late_bet.placed", confidence: float = 0.7, severity: Severity = Severity.HIGH) -> Alert:
    return Alert(
        t=1.0, round=1, code=code, severity=severity, rulebook="tas", rule=None, message="",
        remedy=Remedy("supervisor", None, ""), confidence=confidence,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("confidence", "telling"),
    [
        pytest.param(0.95, Telling.ALERT, id="above-the-line"),
        pytest.param(0.89, Telling.REVIEW, id="doubtful"),
        pytest.param(0.01, Telling.NOTHING, id="not-worth-a-look"),
    ],
)
def test_line_is_that_of_the_rate_which_the_house_accepts(confidence: float, telling: Telling) -> None:
    assert AlertPolicy(0.05, sureness=FITTED).telling_of(alert(confidence=confidence)) is telling


def test_house_that_accepts_more_false_alerts_hears_of_more() -> None:
    doubtful = alert(confidence=0.7)
    assert AlertPolicy(0.05, sureness=FITTED).telling_of(doubtful) is Telling.REVIEW
    assert AlertPolicy(1.0, sureness=FITTED).telling_of(doubtful) is Telling.ALERT


def test_code_goes_before_severity_and_severity_before_the_rest() -> None:
    policy = AlertPolicy(0.01, codes={"late_bet.moved": 2.0}, severities={"critical": 0.5}, sureness=FITTED)
    assert policy.telling_of(alert("late_bet.moved", 0.4)) is Telling.ALERT
    assert policy.telling_of(alert(confidence=0.7, severity=Severity.CRITICAL)) is Telling.ALERT
    assert policy.telling_of(alert(confidence=0.7)) is Telling.REVIEW


def test_rate_that_no_line_keeps_takes_the_last_line() -> None:
    assert FITTED.line_for(0.0001) == 0.99


def test_confidence_is_brought_to_how_often_such_findings_are_right() -> None:
    assert FITTED.calibrated(alert(confidence=0.5)) == pytest.approx(0.2689, abs=1e-3)
    assert FITTED.calibrated(alert("late_bet.moved", 0.5)) == pytest.approx(0.5)
    assert FITTED.calibrated(alert("payout.loser_paid", 0.8)) == pytest.approx(0.8)


def test_shipped_sureness_rises_with_the_weight() -> None:
    shipped = shipped_sureness()
    for code in ("misdeal.order", "late_bet.placed", "payout.loser_paid", "exposed_card.excess"):
        sure = [shipped.calibrated(alert(code, weight)) for weight in (0.1, 0.5, 0.9, 0.99)]
        assert sure == sorted(sure)


def test_where_frames_come_too_seldom_nothing_is_alleged_but_what_ails_the_camera() -> None:
    belief = belief_of(Referee(rules_of("tas")), AlertPolicy(sureness=FITTED))
    for is_seen in (False, True):
        belief.sight.is_seen = is_seen
        belief.sight.is_seldom_seen = False
        assert belief.tell(alert(confidence=0.99)) is Telling.ALERT
        belief.sight.is_seldom_seen = True
        assert belief.tell(alert(confidence=0.99)) is Telling.REVIEW
        assert belief.tell(alert("camera.lost", 1.0)) is Telling.ALERT


def test_belief_weighs_against_the_house_s_own_rates() -> None:
    belief = belief_of(Referee(rules_of("tas")), AlertPolicy(fault_rates={"late_bet": 0.25}))

    assert belief.priors.rate("late_bet.placed") == 0.25
