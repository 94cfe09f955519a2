"""A channel's sender: each message once, failures with their waits, a receiver that is away left alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy.exc import OperationalError

from tests.service.hand_clock import HandClock
from tests.service.notify.fakes import FakeChannel, a_channel, rules_of
from tests.service.stores import add_alert
from thirdcard.service.notify import outbox
from thirdcard.service.notify.channels import DeliveryRefusedError, DownError, Outgoing
from thirdcard.service.notify.deliveries import DeliveryView, deliveries
from thirdcard.service.notify.sender import Sender
from thirdcard.service.store.database import Database


def waiting_sender(
    database: Database, clock: HandClock, channel: FakeChannel, alerts: int = 1, severities: Sequence[str] = ()
) -> Sender:
    """A sender for which so many messages wait, or one about an alert of each severity."""
    with database.writing() as session:
        outbox.begin(session, ["bus"], now=clock())
    for severity in severities or ["high"] * alerts:
        add_alert(database, severity=severity)
    with database.writing() as session:
        outbox.enter_news(session, rules_of({"channels": ["bus"]}), now=clock(), overdue_after=timedelta(days=9))
    return Sender(channel, database, clock)


def only(database: Database) -> DeliveryView:
    with database.reading() as session:
        (view,) = deliveries(session, limit=10).items
    return view


def test_messages_are_sent_once_in_their_order(database: Database, clock: HandClock) -> None:
    channel = a_channel()
    sender = waiting_sender(database, clock, channel, alerts=3)
    assert [sender.send_due() for _ in range(2)] == [True, False]
    assert channel.sent == [["alert-1-raised"], ["alert-2-raised"], ["alert-3-raised"]]
    with database.reading() as session:
        assert {(view.state, view.attempts) for view in deliveries(session, limit=10).items} == {("sent", 1)}


def test_severe_alerts_are_sent_first(database: Database, clock: HandClock) -> None:
    channel = a_channel()
    sender = waiting_sender(database, clock, channel, severities=("medium", "high", "low", "critical"))
    assert sender.send_due()
    assert [key for (key,) in channel.sent] == [f"alert-{n}-raised" for n in (2, 4, 1, 3)]


def test_outcomes_of_a_row_of_messages_are_recorded_within_a_second(database: Database, clock: HandClock) -> None:
    channel = a_channel()
    sender = waiting_sender(database, clock, channel, alerts=4)
    channel.before = lambda: clock.move(seconds=0.4)
    assert sender.send_due()
    with database.reading() as session:
        assert sorted(view.state for view in deliveries(session, limit=10).items) == ["sent"] * 3 + ["waiting"]
    assert sender.send_due()
    assert channel.attempts == 4


def test_failure_is_kept_with_its_reason_and_tried_again_later_and_later(database: Database, clock: HandClock) -> None:
    channel = a_channel()
    sender = waiting_sender(database, clock, channel)
    waits = []
    for _ in range(9):
        channel.faults = [DeliveryRefusedError("the receiver answered 404")]
        assert sender.send_due()
        view = only(database)
        assert (view.state, view.fault) == ("waiting", "the receiver answered 404")
        waits.append((view.due_at - clock()).total_seconds())
        assert not sender.send_due()
        clock.now = view.due_at
    assert waits == [5, 15, 60, 300, 900, 1800, 3600, 3600, 3600]

    assert sender.send_due()
    view = only(database)
    assert (view.state, view.fault, view.attempts) == ("sent", None, 10)
    assert sender.fault is None


def test_message_is_given_up_when_its_time_is_over(database: Database, clock: HandClock) -> None:
    channel = a_channel(give_up_after=timedelta(seconds=30))
    sender = waiting_sender(database, clock, channel)
    for _ in range(3):
        channel.faults = [DownError("nobody answers")]
        sender.send_due()
        clock.move(seconds=20)
    view = only(database)
    assert (view.state, view.fault, view.attempts) == ("failed", "nobody answers", 2)


def test_receiver_that_is_away_is_left_alone_and_then_gets_all_at_once(database: Database, clock: HandClock) -> None:
    channel = a_channel()
    sender = waiting_sender(database, clock, channel, alerts=3)
    channel.faults = [DownError("nobody answers") for _ in range(3)]
    assert sender.send_due()
    assert not sender.send_due()
    assert channel.attempts == 1
    clock.move(seconds=5)
    assert sender.send_due()
    clock.move(seconds=15)
    assert sender.send_due()
    assert sender.fault == "nobody answers"

    clock.move(seconds=60)
    while sender.send_due():
        pass
    assert sorted(key for keys in channel.sent for key in keys) == [f"alert-{n}-raised" for n in (1, 2, 3)]
    assert channel.attempts == 6


def test_receiver_says_itself_when_to_come_back(database: Database, clock: HandClock) -> None:
    channel = a_channel()
    sender = waiting_sender(database, clock, channel)
    channel.faults = [DownError("busy", retry_after=timedelta(minutes=10))]
    sender.send_due()
    assert only(database).due_at - clock() == timedelta(minutes=10)
    clock.move(minutes=9)
    assert not sender.send_due()
    clock.move(minutes=1)
    assert sender.send_due()


def test_message_that_is_refused_does_not_keep_up_the_others(database: Database, clock: HandClock) -> None:
    channel = a_channel()
    sender = waiting_sender(database, clock, channel, alerts=2)
    channel.faults = [DeliveryRefusedError("the receiver answered 422")]
    assert sender.send_due()
    assert channel.sent == [["alert-2-raised"]]
    with database.reading() as session:
        assert {(view.key, view.state) for view in deliveries(session, limit=10).items} == {
            ("alert-1-raised", "waiting"),
            ("alert-2-raised", "sent"),
        }


def test_people_get_many_messages_as_one_and_not_too_often(database: Database, clock: HandClock) -> None:
    channel = a_channel(most_at_once=2, pause=timedelta(seconds=30))
    sender = waiting_sender(database, clock, channel, alerts=5)
    for _ in range(3):
        assert sender.send_due()
        assert not sender.send_due()
        clock.move(seconds=30)
    assert channel.sent == [
        ["alert-1-raised", "alert-2-raised"],
        ["alert-3-raised", "alert-4-raised"],
        ["alert-5-raised"],
    ]


def test_fall_after_the_receiver_took_it_sends_it_again_with_the_same_key(database: Database, clock: HandClock) -> None:
    channel = a_channel()
    sender = waiting_sender(database, clock, channel)
    channel.before = lambda: (_ for _ in ()).throw(KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        sender.send_due()

    channel.before = lambda: None
    assert Sender(channel, database, clock).send_due()
    assert channel.sent == [["alert-1-raised"]]


def test_success_that_cannot_be_noted_is_noted_later_and_not_sent_again(
    database: Database, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = a_channel()
    sender = waiting_sender(database, clock, channel)
    with monkeypatch.context() as broken:
        broken.setattr(outbox, "settle", _full_disk)
        with pytest.raises(OperationalError):
            sender.send_due()
        with pytest.raises(OperationalError):
            sender.send_due()
    assert not sender.send_due()
    assert channel.attempts == 1
    assert only(database).state == "sent"


def test_message_can_be_sent_at_once_whatever_waits(database: Database, clock: HandClock) -> None:
    channel = a_channel()
    sender = waiting_sender(database, clock, channel)
    assert sender.send_now(Outgoing("test-1", "{}")) is None
    channel.faults = [DeliveryRefusedError("no")]
    assert sender.send_now(Outgoing("test-2", "{}")) == "no"
    assert channel.sent == [["test-1"]]


def _full_disk(*_: object) -> None:
    raise OperationalError("UPDATE", {}, Exception("database or disk is full"))
