"""Storms: people get one message, programs get each."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from tests.service.hand_clock import NOON, HandClock
from tests.service.notify.fakes import rules_of
from tests.service.stores import add_alert
from thirdcard.service.alerts.storms import GAP, LEAST, SPAN
from thirdcard.service.notify import outbox
from thirdcard.service.notify.matching import NoticeRules
from thirdcard.service.notify.people_words import PeopleWords
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import DeliveryRow

WORDS = PeopleWords(zone=ZoneInfo("UTC"))

PEOPLE: list[dict[str, Any]] = [{"name": "duty", "url_env": "DUTY"}]
RULES = rules_of({"channels": ["bus", "duty"], "events": ["raised", "overdue"]}, people=PEOPLE)


@pytest.fixture
def begun(database: Database) -> Database:
    """A database whose deliveries begin here."""
    with database.writing() as session:
        outbox.begin(session, ["bus", "duty"], now=NOON)
    return database


def storm(database: Database, count: int, *, gap: timedelta = timedelta(seconds=20), **changes: Any) -> None:
    """So many alerts of one table."""
    for n in range(count):
        add_alert(database, at=NOON + n * gap, **changes)


def told(
    database: Database, channel: str, *, rules: NoticeRules = RULES, later: timedelta = timedelta(minutes=1)
) -> list[str]:
    """The states of what a channel was to tell after everything was entered."""
    with database.writing() as session:
        outbox.enter_news(session, rules, now=HandClock(NOON + later)(), overdue_after=timedelta(minutes=20))
    with database.reading() as session:
        query = select(DeliveryRow.state).where(DeliveryRow.channel == channel)
        return list(session.scalars(query.order_by(DeliveryRow.alert_id)))


def bodies(database: Database, channel: str, state: str = "waiting") -> list[dict[str, Any]]:
    with database.reading() as session:
        query = select(DeliveryRow.body).where(DeliveryRow.channel == channel, DeliveryRow.state == state)
        return [json.loads(body) for body in session.scalars(query.order_by(DeliveryRow.id))]


def test_people_are_told_of_a_storm_once_and_programs_of_each_alert(begun: Database) -> None:
    storm(begun, LEAST + 3, severity="medium")
    assert told(begun, "duty") == ["waiting"] * LEAST + ["gathered"] * 3
    assert told(begun, "bus") == ["waiting"] * (LEAST + 3)
    body = bodies(begun, "duty")[-1]
    assert WORDS.title(body) == f"[medium] Table B07: {LEAST} times Late bet: placed, a storm"
    assert f"{LEAST} alerts of one kind" in WORDS.text(body)
    assert "not sent one by one" in WORDS.text(body)
    assert all("storm" not in other for other in bodies(begun, "bus"))


def test_storm_names_the_gravest_and_how_long_it_lasts(begun: Database) -> None:
    add_alert(begun, at=NOON, severity="medium", message="Seat 1 placed 5000.")
    for n in range(1, LEAST):
        add_alert(begun, at=NOON + n * timedelta(seconds=50), severity="low")
    told(begun, "duty", later=timedelta(minutes=4))
    said = WORDS.text(bodies(begun, "duty")[-1])
    assert said.splitlines()[0] == (
        f"{LEAST} alerts of one kind from 4 May 2026 12:00:00 (UTC) to 4 May 2026 12:02:30 (UTC), 2 min 30 s; "
        "the most severe says: Seat 1 placed 5000."
    )
    assert WORDS.title(bodies(begun, "duty")[-1]).startswith("[medium]")


def test_storm_is_told_again_when_it_has_doubled(begun: Database) -> None:
    storm(begun, 2 * LEAST + 1, severity="medium")
    assert told(begun, "duty", later=timedelta(minutes=4)) == (
        ["waiting"] * LEAST + ["gathered"] * (LEAST - 1) + ["waiting", "gathered"]
    )


def test_storm_that_lasts_is_another_after_its_span(begun: Database) -> None:
    each = timedelta(minutes=2)
    storm(begun, SPAN // each + 3, gap=each, severity="medium")
    assert told(begun, "duty", later=timedelta(minutes=30))[-2:] == ["waiting", "waiting"]


def test_what_is_worse_than_the_storm_is_told(begun: Database) -> None:
    storm(begun, LEAST + 1, code="camera.moved", severity="medium")
    add_alert(begun, at=NOON + timedelta(seconds=100), code="camera.moved", severity="critical")
    add_alert(begun, at=NOON + timedelta(seconds=101), code="camera.moved", severity="critical")
    assert told(begun, "duty") == ["waiting"] * LEAST + ["gathered", "waiting", "gathered"]


def test_each_grave_fault_of_the_dealing_is_told(begun: Database) -> None:
    storm(begun, 5 * LEAST, gap=timedelta(seconds=2))
    assert told(begun, "duty") == ["waiting"] * 5 * LEAST


def test_storm_of_a_camera_holds_back_no_fault_of_the_dealing(begun: Database) -> None:
    storm(begun, 3 * LEAST, gap=timedelta(seconds=2), code="camera.lost")
    for n, code in enumerate(("late_bet.placed", "payout.loser_paid", "misdeal.order")):
        add_alert(begun, at=NOON + timedelta(seconds=30 + n), code=code, severity="low")
    states = told(begun, "duty")
    assert states.count("gathered") == 2 * LEAST - 1
    assert states[-3:] == ["waiting"] * 3


@pytest.mark.parametrize("gap", [pytest.param(GAP + timedelta(seconds=1), id="far-between")])
def test_alerts_far_between_are_no_storm(begun: Database, gap: timedelta) -> None:
    storm(begun, LEAST + 2, gap=gap, severity="low")
    assert set(told(begun, "duty", later=timedelta(minutes=1))) == {"waiting"}


def test_storm_counts_only_what_the_channel_would_tell(begun: Database) -> None:
    rules = rules_of({"channels": ["duty"], "codes": ["misdeal"]}, people=PEOPLE)
    storm(begun, LEAST + 2)
    add_alert(begun, at=NOON + timedelta(seconds=130), code="misdeal.order")
    add_alert(begun, at=NOON + timedelta(seconds=131), table="B08", code="misdeal.order")
    assert told(begun, "duty", rules=rules, later=timedelta(minutes=3)) == ["waiting", "waiting"]


def test_storm_that_nobody_takes_is_overdue_once(begun: Database) -> None:
    storm(begun, LEAST + 2)
    told(begun, "duty")
    with begun.writing() as session:
        now = NOON + timedelta(minutes=10)
        outbox.enter_news(session, RULES, now=now, overdue_after=timedelta(minutes=2))
    overdue = [body for body in bodies(begun, "duty") if body["event"] == "overdue"]
    assert len(overdue) == LEAST
    assert "nobody took them" in WORDS.text(overdue[-1])
    assert len([body for body in bodies(begun, "duty", "gathered") if body["event"] == "overdue"]) == 2
