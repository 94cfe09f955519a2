"""A camera's faults in the comparison: noticed when, over when, and what came after."""

from __future__ import annotations

from thirdcard.rules.log.events import CameraBack, CameraLost, CameraObstructed, Event
from thirdcard.service.evaluate.accounts import Incident, RoundAccount, TableAccount
from thirdcard.service.evaluate.camera_faults import CameraFaultOutcome, camera_fault_outcomes, camera_faults_sheet

FIRST = RoundAccount(opened=1.0, closed=9.0, player=("7H", "2S"), banker=("KD", "6C"), winner="player")
SECOND = RoundAccount(opened=21.0, closed=30.0, player=("7H", "2S"), banker=("KD", "6C"), winner="player")


def account(*events: Event, incidents: tuple[Incident, ...] = ()) -> TableAccount:
    return TableAccount(events=events, incidents=incidents, rounds=(FIRST, SECOND), end_s=60.0)


def truth() -> TableAccount:
    dark = CameraObstructed(t=10.0, fault="dark")
    return account(dark, CameraBack(t=18.0), CameraLost(t=40.0, fault="frozen"), CameraBack(t=45.0))


def test_fault_that_was_noticed() -> None:
    told = Incident(code="camera.obstructed", t=10.1, noticed_at=11.4)
    found = account(CameraObstructed(t=10.1, fault="dark"), CameraBack(t=18.2), incidents=(told,))
    false = [Incident(code="misdeal.order", t=12.0), Incident(code="misdeal.order", t=5.0)]
    first, second = camera_fault_outcomes(truth(), found, false, [SECOND])
    assert (first.told, round(first.noticed_s or 0, 3), round(first.ended_off_s or 0, 3)) == ("dark", 1.4, 0.2)
    assert (first.false_alerts, first.rounds, first.rounds_exact) == (1, 1, 1)
    assert (second.told, second.noticed_s, second.ended_off_s) == (None, None, None)


def test_fault_that_nobody_ended_lasts_to_the_end() -> None:
    (outcome,) = camera_fault_outcomes(account(CameraLost(t=40.0)), account(), [], [])
    assert (outcome.fault, outcome.to_s, outcome.rounds) == ("camera_lost", 60.0, 0)


def test_sheet_has_a_row_for_each_fault() -> None:
    outcome = CameraFaultOutcome(
        fault="dark", from_s=10.0, to_s=18.0, told="dark", noticed_s=1.25, ended_off_s=-0.1, rounds=3, rounds_exact=2
    )
    missed = CameraFaultOutcome(fault="glare", from_s=70.0, to_s=71.0)
    sheet = camera_faults_sheet([("t1", outcome), ("t1", missed)])
    assert sheet.rows[0] == (
        "t1", "dark", "00:10.0", "8.0 s", "dark", "1.2 s", "-0.1 s", "0", "2 of 3 (66.7 %)",
    )  # fmt: skip
    assert sheet.rows[1][4:] == ("not noticed", "", "", "0", "")
