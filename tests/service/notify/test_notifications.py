"""Notifications as they run: by themselves, channels apart from each other, killed and begun again."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from tests.repository import ROOT
from tests.service.hand_clock import HandClock
from tests.service.mqtt_fakes import wait_until
from tests.service.notify.fakes import Received, a_channel, http_receiver, rules_of
from tests.service.stores import add_alert
from thirdcard.rules.game.words import Severity
from thirdcard.service.live.entries import RETRY
from thirdcard.service.notify import notifications as module
from thirdcard.service.notify import outbox, sender
from thirdcard.service.notify.channels import Channel, ChannelTraits, DeliveryRefusedError, DownError
from thirdcard.service.notify.deliveries import DeliveryView, deliveries, tallies
from thirdcard.service.notify.notifications import NoSuchChannelError, Notifications
from thirdcard.service.notify.webhook import HttpxPoster, Webhook
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.store import audit, chain
from thirdcard.service.store.database import Database, sqlite_url


def running(database: Database, clock: HandClock, *channels: Channel) -> Notifications:
    """Notifications that tell all channels everything."""
    names = [channel.traits.name for channel in channels]
    rules = rules_of({"channels": names, "events": ["raised", "service"]})
    made = Notifications(database, rules, channels, clock, poll_s=0.01)
    made.begin()
    made.start()
    return made


def listed(database: Database) -> list[DeliveryView]:
    with database.reading() as session:
        return list(deliveries(session, limit=500).items)


def test_alert_is_told_by_itself(database: Database, clock: HandClock) -> None:
    channel = a_channel()
    notifications = running(database, clock, channel)
    was_open = channel.is_open
    number = add_alert(database)
    notifications.wake()
    wait_until(lambda: channel.sent == [[f"alert-{number}-raised"]])
    notifications.stop()
    assert (was_open, channel.is_open) == (True, False)
    assert notifications.fault is None


def test_real_server_that_fails_twice_gets_the_alert_once(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "WAITS_S", (0.05,))
    monkeypatch.setattr(sender, "REST_S", (0.05,))
    with http_receiver(500, 503) as server:
        hook = Webhook(
            traits=ChannelTraits(name="office", give_up_after=timedelta(hours=1)),
            url=server.url,
            secret=b"k" * 32,
            timeout_s=30,
            version="1",
            poster=HttpxPoster(),
            clock=now_utc,
        )
        notifications = Notifications(database, rules_of({"channels": ["office"]}), [hook], now_utc, poll_s=0.01)
        notifications.begin()
        notifications.start()
        number = add_alert(database, at=now_utc())
        wait_until(lambda: [view.state for view in listed(database)] == ["sent"])
        notifications.stop()
        requests = list(server.requests)
    assert [request.headers["idempotency-key"] for request in requests] == [f"alert-{number}-raised"] * 3
    assert len({request.body for request in requests}) == 1
    (view,) = listed(database)
    assert (view.attempts, view.fault) == (3, None)


def test_slow_channel_does_not_keep_up_another(database: Database, clock: HandClock) -> None:
    slow, quick, let_go = a_channel("slow"), a_channel("quick"), threading.Event()
    slow.before = lambda: _wait(let_go)
    notifications = running(database, clock, slow, quick)
    for _ in range(3):
        add_alert(database)
    wait_until(lambda: len(quick.sent) == 3)
    assert slow.sent == []
    let_go.set()
    wait_until(lambda: len(slow.sent) == 3)
    notifications.stop()


def test_fault_of_a_channel_is_shown_until_it_is_mended(database: Database, clock: HandClock) -> None:
    channel = a_channel()
    channel.faults = [DownError("nobody answers")]
    notifications = running(database, clock, channel)
    add_alert(database)
    wait_until(lambda: notifications.states()[0].fault == "nobody answers")
    wait_until(lambda: listed(database)[0].fault == "nobody answers")
    clock.move(seconds=10)
    wait_until(lambda: notifications.states()[0].fault is None)
    notifications.stop()


def test_unforeseen_fault_is_shown_and_survived(
    database: Database, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AFTER_A_FALL_S", 0.01)
    channel = a_channel()
    with monkeypatch.context() as broken:
        broken.setattr(outbox, "has_news", lambda *_, **__: 1 / 0)
        notifications = running(database, clock, channel)
        wait_until(lambda: notifications.fault == "what happened: division by zero")
    add_alert(database)
    wait_until(lambda: len(channel.sent) == 1 and notifications.fault is None)
    notifications.stop()


def test_rest_after_a_fall_is_no_longer_than_tables_rest() -> None:
    """What a full disk delayed is sent within 5 s of free space, though two threads wait one after the other."""
    assert RETRY.total_seconds() >= module.AFTER_A_FALL_S


def test_service_tells_of_itself_where_a_rule_asks_for_it(database: Database, clock: HandClock) -> None:
    channel = a_channel()
    notifications = running(database, clock, channel)
    notifications.tell("disk.warning", Severity.MEDIUM, "The disk budget is nearly spent.")
    wait_until(lambda: len(channel.sent) == 1)
    notifications.stop()
    assert channel.sent == [["service-disk_warning-1777896000000"]]

    deaf = Notifications(database, rules_of({"channels": ["bus"]}), [channel], clock)
    deaf.tell("disk.full", Severity.CRITICAL, "Full.")
    assert len(listed(database)) == 1


@pytest.mark.parametrize(
    ("fault", "state"), [pytest.param(None, "sent", id="sent"), pytest.param("answered 404", "failed", id="failed")]
)
def test_test_is_sent_at_once_and_kept_with_what_became_of_it(
    database: Database, clock: HandClock, fault: str | None, state: str
) -> None:
    channel = a_channel()
    channel.faults = [] if fault is None else [DeliveryRefusedError(fault)]
    notifications = Notifications(database, rules_of(), [channel], clock)
    assert notifications.send_test("bus", who="anna") == fault
    (view,) = listed(database)
    assert (view.event, view.state, view.fault, view.alert_id) == ("test", state, fault, None)
    with database.reading() as session:
        act = [json.loads(line.body) for line in chain.read(session, audit.AUDIT)][-1]
        (tally,) = tallies(session)
    assert (act["who"], act["action"], act["target"]) == ("anna", "channel.tested", "channel:bus")
    assert (tally.sent, tally.failed) == (int(fault is None), int(fault is not None))


def test_test_of_no_channel_is_refused(database: Database, clock: HandClock) -> None:
    notifications = Notifications(database, rules_of(), [a_channel()], clock)
    with pytest.raises(NoSuchChannelError, match="channel = pigeon; must be one of bus"):
        notifications.send_test("pigeon", who="anna")


def test_killed_again_and_again_nothing_is_lost_and_every_repeat_has_its_key(
    database: Database, tmp_path: Path
) -> None:
    with http_receiver() as server:
        wanted = set()
        for round_number in range(3):
            process = _fallible(tmp_path / "room.db", server.url)
            known = len(server.requests)
            wanted |= {f"alert-{add_alert(database, at=now_utc())}-raised" for _ in range(25)}
            _wait_for(server.requests, known + 5 * round_number)
            process.kill()
            process.wait()
        process = _fallible(tmp_path / "room.db", server.url)
        wait_until(lambda: {view.state for view in listed(database)} == {"sent"} and len(listed(database)) == 75)
        process.kill()
        process.wait()
        requests = list(server.requests)
    bodies = {request.headers["idempotency-key"]: request.body for request in requests}
    assert set(bodies) == wanted
    assert all(request.body == bodies[request.headers["idempotency-key"]] for request in requests)


def _fallible(path: Path, receiver: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.service.notify.falling_service", sqlite_url(path), receiver]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def _wait(event: threading.Event) -> None:
    assert event.wait(60)


def _wait_for(requests: list[Received], count: int) -> None:
    wait_until(lambda: len(requests) >= count)
