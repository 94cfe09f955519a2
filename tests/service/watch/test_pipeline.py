"""What is sure enough to be alleged, and how a watch goes on where a log ends."""

from __future__ import annotations

import pytest

from tests.repository import DEMO_TABLE
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.cards import parse_card
from thirdcard.rules.game.words import Remedy, Severity
from thirdcard.rules.log.events import BetsOpened, CardDealt, Event, RoundClosed, Side
from thirdcard.service.config.table_file import load_table
from thirdcard.service.interpretation.alert_policy import is_alleged
from thirdcard.service.watch.pipeline import start_watch

HALF_A_ROUND: list[Event] = [
    BetsOpened(t=2.0),
    CardDealt(t=9.0, card_id="c1", hand=Side.PLAYER, card=parse_card("7H"), face_up=True),
]


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


@pytest.mark.parametrize(
    ("log", "told"),
    [
        pytest.param(HALF_A_ROUND, ["camera_lost", "round_closed"], id="amid-a-round"),
        pytest.param([*HALF_A_ROUND, RoundClosed(t=20.0)], [], id="between-rounds"),
        pytest.param([], [], id="no-log"),
    ],
)
def test_round_that_was_under_way_ends_unseen_where_a_watch_goes_on(log: list[Event], told: list[str]) -> None:
    watch = start_watch(load_table(DEMO_TABLE), [])
    watch.resume(log)
    watch.wait(60.0)

    events, alerts, rounds = watch.take()

    assert [event.type for event in events] == told
    assert alerts == ()
    assert len(rounds) == told.count("round_closed")
