"""The outbox: what happened is entered once, whatever falls in between."""

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
from thirdcard.service.alerts.cursors import CursorError
from thirdcard.service.alerts.lifecycle import Step, take_step
from thirdcard.service.notify import outbox
from thirdcard.service.notify.deliveries import deliveries, send_again, tallies
from thirdcard.service.notify.matching import NoticeRules
from thirdcard.service.notify.outbox import DeliveryOutcome
from thirdcard.service.notify.people_words import PeopleWords
from thirdcard.service.store import audit, chain
from thirdcard.service.store.alert_states import AlertState
from thirdcard.service.store.database import Database
from thirdcard.service.store.people import Person, Role
from thirdcard.service.store.schema import AlertChange, AlertRow, DeliveryRow

WORDS = PeopleWords(zone=ZoneInfo("UTC"))

EVERYTHING = rules_of({"channels": ["bus"], "events": ["raised", "overdue", "escalated", "dismissed"]})
ANNA = Person(name="anna", role=Role.SUPERVISOR, tables=None)


def begin(database: Database) -> None:
    with database.writing() as session:
        outbox.begin(session, ["bus", "duty"], now=NOON)


def enter(database: Database, clock: HandClock, rules: NoticeRules = EVERYTHING) -> int:
    with database.writing() as session:
        return outbox.enter_news(session, rules, now=clock(), overdue_after=timedelta(minutes=2))


def rows(database: Database) -> list[Any]:
    with database.reading() as session:
        query = select(DeliveryRow.key, DeliveryRow.channel, DeliveryRow.state, DeliveryRow.body)
        return list(session.execute(query.order_by(DeliveryRow.id)))


def keys(database: Database) -> list[str]:
    return [row.key for row in rows(database)]


def decide(database: Database, alert: int, state: AlertState, **why: Any) -> None:
    with database.writing() as session:
        take_step(session, ANNA, alert, Step(state=state, **why), now=NOON)


def test_first_run_tells_nothing_of_what_was_before_it(database: Database, clock: HandClock) -> None:
    add_alert(database)
    begin(database)
    assert enter(database, clock) == 0

    number = add_alert(database)
    assert enter(database, clock) == 1
    assert keys(database) == [f"alert-{number}-raised"]


def test_next_run_goes_on_where_the_last_ended(database: Database, clock: HandClock) -> None:
    begin(database)
    number = add_alert(database)
    begin(database)
    assert enter(database, clock) == 1
    assert enter(database, clock) == 0
    assert keys(database) == [f"alert-{number}-raised"]


def test_fall_while_entering_enters_nothing_and_the_next_run_all(database: Database, clock: HandClock) -> None:
    begin(database)
    numbers = [add_alert(database) for _ in range(3)]

    with pytest.raises(RuntimeError), database.writing() as session:
        outbox.enter_news(session, EVERYTHING, now=clock(), overdue_after=timedelta(minutes=2))
        raise RuntimeError("the power fails")
    assert rows(database) == []

    enter(database, clock)
    assert keys(database) == [f"alert-{number}-raised" for number in numbers]


def test_rules_say_which_channels(database: Database, clock: HandClock) -> None:
    begin(database)
    add_alert(database, table="B08")
    add_alert(database, severity="low")
    rules = rules_of({"channels": ["bus"]}, {"channels": ["duty"], "least_severity": "high", "tables": ["B08"]})
    enter(database, clock, rules)
    assert [(row.key, row.channel) for row in rows(database)] == [
        ("alert-1-raised", "bus"), ("alert-1-raised", "duty"), ("alert-2-raised", "bus"),
    ]  # fmt: skip


def test_body_is_the_alert_as_the_api_shows_it(database: Database, clock: HandClock) -> None:
    begin(database)
    number = add_alert(database)
    enter(database, clock)
    body = json.loads(rows(database)[0].body)
    assert body["key"] == f"alert-{number}-raised"
    assert (body["event"], body["table"], body["severity"], body["at"]) == (
        "raised", "B07", "high", "2026-05-04T12:00:00.000Z",
    )  # fmt: skip
    assert body["alert"]["remedy"]["action"] == "void_wager"
    assert body["alert"]["id"] == number
    assert WORDS.title(body) == "[high] Table B07: Late bet: placed"
    assert WORDS.text(body) == "Seat 3 placed 500.\nThe wager is void. (tas 6.3)\n4 May 2026 12:00:00 (UTC)"


def test_decisions_are_told_with_who_and_why(database: Database, clock: HandClock) -> None:
    begin(database)
    number = add_alert(database)
    decide(database, number, AlertState.ACKNOWLEDGED)
    decide(database, number, AlertState.DISMISSED, reason="card_misread", note="It was a five.")
    enter(database, clock)
    assert keys(database) == [f"alert-{number}-raised", f"alert-{number}-dismissed-2"]
    body = json.loads(rows(database)[1].body)
    assert WORDS.title(body) == "[high] Table B07: anna dismissed Late bet: placed"
    assert "A card was misread\nIt was a five." in WORDS.text(body)


def withdraw(database: Database, number: int) -> None:
    """As the watch does where later evidence takes an alert back."""
    with database.writing() as session:
        row = session.get_one(AlertRow, number)
        session.add(AlertChange(alert_id=number, at=NOON, who="watch", before=row.state, after="withdrawn"))
        row.state = "withdrawn"


def test_alert_that_is_withdrawn_is_told_to_those_who_heard_of_it(database: Database, clock: HandClock) -> None:
    begin(database)
    heard, unheard = add_alert(database), add_alert(database, code="late_bet.removed")
    both = {"events": ["raised", "withdrawn"]}
    rules = rules_of({"channels": ["bus"], **both}, {"channels": ["duty"], "codes": ["misdeal"], **both})
    enter(database, clock, rules)
    for number in (heard, unheard):
        withdraw(database, number)
    later = rules_of({"channels": ["bus", "duty"], **both})
    enter(database, clock, later)
    told = [(row.channel, row.key.rsplit("-", 1)[0]) for row in rows(database)[2:]]
    assert told == [("bus", f"alert-{heard}-withdrawn"), ("bus", f"alert-{unheard}-withdrawn")]
    assert "taken back" in WORDS.title(json.loads(rows(database)[2].body))


def test_change_that_cannot_be_told_of_holds_nothing_up(
    database: Database, clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    begin(database)
    number = add_alert(database)
    with database.writing() as session:
        session.add(AlertChange(alert_id=number, at=NOON, who="anna", before="open", after="of_a_later_version"))
    later = add_alert(database)
    enter(database, clock)
    assert keys(database) == [f"alert-{number}-raised", f"alert-{later}-raised"]
    assert "it is skipped" in caplog.text
    assert enter(database, clock) == 0


def test_alert_that_nobody_took_is_told_again_once(database: Database, clock: HandClock) -> None:
    begin(database)
    left, taken = add_alert(database), add_alert(database)
    decide(database, taken, AlertState.ACKNOWLEDGED)
    enter(database, clock)
    clock.move(seconds=119)
    enter(database, clock)
    assert keys(database) == [f"alert-{left}-raised", f"alert-{taken}-raised"]

    clock.move(seconds=1)
    enter(database, clock)
    clock.move(minutes=10)
    enter(database, clock)
    assert keys(database)[2:] == [f"alert-{left}-overdue"]
    assert WORDS.title(json.loads(rows(database)[2].body)) == "[high] Table B07: nobody took Late bet: placed"


def test_number_that_another_writer_may_still_commit_is_waited_for(database: Database, clock: HandClock) -> None:
    begin(database)
    add_alert(database)
    add_alert(database)
    with database.writing() as session:
        session.delete(session.get_one(AlertRow, 1))
    assert enter(database, clock) == 0
    clock.move(seconds=6)
    assert enter(database, clock) == 1
    assert keys(database) == ["alert-2-raised"]


def test_what_was_read_a_day_late_is_kept_as_not_told(database: Database, clock: HandClock) -> None:
    begin(database)
    add_alert(database)
    clock.move(hours=25)
    enter(database, clock)
    with database.reading() as session:
        (first, *_) = deliveries(session, limit=10, state="failed").items
    assert first.fault == "not sent: it was more than 24 h ago"


def test_what_no_channel_can_send_any_more_is_given_up(database: Database, clock: HandClock) -> None:
    begin(database)
    add_alert(database)
    enter(database, clock)
    with database.writing() as session:
        outbox.begin(session, ["duty"], now=clock())
    with database.reading() as session:
        (view,) = deliveries(session, limit=10).items
    assert (view.state, view.fault) == ("failed", "there is no channel of that name any more")


def test_has_news_only_when_there_is_some(database: Database, clock: HandClock) -> None:
    def has_news() -> bool:
        with database.reading() as session:
            return outbox.has_news(session, now=clock(), overdue_after=timedelta(minutes=2))

    begin(database)
    assert not has_news()
    add_alert(database)
    assert has_news()
    enter(database, clock)
    assert not has_news()
    clock.move(minutes=3)
    assert has_news()


def test_deliveries_are_listed_newest_first_in_parts(database: Database, clock: HandClock) -> None:
    begin(database)
    for _ in range(5):
        add_alert(database)
    enter(database, clock)
    with database.reading() as session:
        first = deliveries(session, limit=2)
        rest = deliveries(session, limit=5, cursor=first.next)
        assert [view.alert_id for view in (*first.items, *rest.items)] == [5, 4, 3, 2, 1]
        assert rest.next is None
        assert [view.key for view in deliveries(session, limit=5, alert_id=3).items] == ["alert-3-raised"]
        assert [(t.channel, t.waiting, t.sent, t.failed) for t in tallies(session)] == [("bus", 5, 0, 0)]
        with pytest.raises(CursorError):
            deliveries(session, limit=2, cursor="bm9uZQ")


def test_failed_delivery_can_be_sent_again_with_its_old_key(database: Database, clock: HandClock) -> None:
    begin(database)
    add_alert(database)
    enter(database, clock)
    with database.writing() as session:
        assert not send_again(session, "anna", 1, now=clock())
        outbox.settle(session, DeliveryOutcome(ids=[1], at=clock(), fault="no answer"))
        assert send_again(session, "anna", 1, now=clock())
        assert not send_again(session, "anna", 99, now=clock())
    with database.reading() as session:
        (waiting,) = outbox.due(session, "bus", now=clock(), limit=10)
        said = [json.loads(line.body) for line in chain.read(session, audit.AUDIT)]
    assert (waiting.key, waiting.attempts) == ("alert-1-raised", 0)
    assert (said[-1]["who"], said[-1]["action"]) == ("anna", "delivery.sent_again")


def test_what_was_sent_long_ago_leaves_the_list_and_what_failed_stays(database: Database, clock: HandClock) -> None:
    begin(database)
    for _ in range(3):
        add_alert(database)
    enter(database, clock)
    with database.writing() as session:
        outbox.settle(session, DeliveryOutcome(ids=[1], at=clock()))
        outbox.settle(session, DeliveryOutcome(ids=[2], at=clock(), fault="refused"))
        assert outbox.prune(session, before=clock()) == 0
        assert outbox.prune(session, before=clock() + timedelta(days=1)) == 1
    assert [(row.key, row.state) for row in rows(database)] == [
        ("alert-2-raised", "failed"), ("alert-3-raised", "waiting"),
    ]  # fmt: skip
