"""Devices' reports by MQTT: kept before they are confirmed, refused with the reason, none lost by a fall."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from tests.service.hand_clock import NOON, HandClock
from tests.service.mqtt_fakes import FakeLink, a_real_broker, needs_mosquitto, wait_until
from tests.service.stores import bare_database
from tests.service.web.rooms import StillTables
from thirdcard.service.alerts.signals import check_signal
from thirdcard.service.devices import signals_in
from thirdcard.service.devices.mqtt import MqttMessage
from thirdcard.service.devices.signals_in import DeviceSignals, open_devices
from thirdcard.service.ports.errors import TableError
from thirdcard.service.ports.messages import TableStatus
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import SignalRow

CALL = {"type": "no_more_bets", "at": "2026-05-04T11:59:59Z"}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = bare_database(tmp_path / "room.db")
    yield opened
    opened.close()


@pytest.fixture
def link() -> FakeLink:
    return FakeLink()


@pytest.fixture
def tables() -> StillTables:
    known = {name: TableStatus(table_id=name, at="", t=0.0, camera="playing") for name in ("B07", "a/b")}
    return StillTables(known=known)


@pytest.fixture
def signals(database: Database, link: FakeLink, tables: StillTables) -> DeviceSignals:
    return DeviceSignals(link=link, topic="floor", database=database, live=tables, clock=HandClock())


def message(body: object, topic: str = "floor/B07/signals", **facts: Any) -> MqttMessage:
    payload = body if isinstance(body, bytes) else json.dumps(body).encode()
    return MqttMessage(topic=topic, payload=payload, **facts)


def kept(database: Database) -> list[tuple[str, dict[str, Any]]]:
    with database.reading() as session:
        rows = session.scalars(select(SignalRow).order_by(SignalRow.id)).all()
        return [(row.table_id, json.loads(row.body)) for row in rows]


def test_report_is_kept_and_its_table_told(signals: DeviceSignals, database: Database, tables: StillTables) -> None:
    signals.take(message(CALL))
    ((table, line),) = kept(database)
    assert (table, line["type"], line["source"]) == ("B07", "no_more_bets", "signal")
    assert tables.nudged == ["B07"]
    assert signals.state.taken == 1


def test_table_of_any_name_is_found_by_its_topic(signals: DeviceSignals, database: Database) -> None:
    signals.take(message(CALL, "floor/a%2Fb/signals"))
    assert [table for table, _ in kept(database)] == ["a/b"]


@pytest.mark.parametrize(
    ("sent", "field", "reason"),
    [
        pytest.param(message({"type": "no_more_bets", "x": 1}), "x", "no_more_bets has no field x", id="unknown-field"),
        pytest.param(message({"type": "sneeze"}), "type", "sneeze", id="unknown-type"),
        pytest.param(message(CALL | {"at": "yesterday"}), "at", "an RFC 3339 moment", id="no-moment"),
        pytest.param(message(CALL, "floor/B99/signals"), "table", "there is no table B99", id="unknown-table"),
        pytest.param(message(CALL, is_retained=True), "retain", "a retained message is no report", id="retained"),
        pytest.param(message(b"{"), "body", "a report is JSON in UTF-8", id="no-json"),
        pytest.param(message(b"\xff\xfe\xfd"), "body", "a report is JSON in UTF-8", id="no-utf-8"),
        pytest.param(message(b"[" * 9000), "body", "a report is JSON in UTF-8", id="deep"),
        pytest.param(message([1]), "body", "a report is one JSON object", id="a-list"),
        pytest.param(message(b" " * 10_001), "body", "a report has 10000 bytes at most", id="too-long"),
    ],
)
def test_report_that_is_refused_is_answered_with_the_reason(
    signals: DeviceSignals, database: Database, link: FakeLink, sent: MqttMessage, field: str, reason: str
) -> None:
    signals.take(sent)
    ((topic, payload),) = link.published
    answer = json.loads(payload)
    assert topic == f"{sent.topic}/refused"
    assert answer["error"]["field"] == field
    assert reason in answer["error"]["message"]
    assert sent.payload.decode("utf-8", "replace").startswith(answer["signal"])
    assert kept(database) == []
    assert signals.state.refused == 1


def test_refusal_that_cannot_be_told_is_no_fault_of_ours(signals: DeviceSignals, link: FakeLink) -> None:
    link.fault = "away"
    signals.take(message(b"{"))
    assert signals.state.refused == 1


def test_report_that_the_broker_sends_again_is_kept_once(signals: DeviceSignals, database: Database) -> None:
    signals.take(message(CALL))
    signals.take(message(CALL, is_repeated=True))
    assert len(kept(database)) == 1
    signals.take(message(CALL))
    assert len(kept(database)) == 2


def test_report_is_confirmed_only_when_it_is_kept(
    signals: DeviceSignals, database: Database, link: FakeLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signals_in, "AFTER_A_FALL_S", 0.01)
    confirmed: list[int] = []
    with monkeypatch.context() as broken:
        broken.setattr(signals_in, "keep_signal", _full_disk)
        signals.start()
        assert link.subscription == "floor/+/signals"
        assert link.receive is not None
        link.receive(message(CALL, settle=lambda: confirmed.append(len(kept(database)))))
        wait_until(lambda: "disk is full" in (signals.state.fault or ""))
        assert confirmed == []
    wait_until(lambda: confirmed == [1])
    assert signals.state.fault is None
    signals.stop()
    assert not link.is_running


def test_report_on_which_the_service_fails_does_not_keep_up_the_next(
    signals: DeviceSignals, database: Database, link: FakeLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        signals_in, "check_signal", lambda body, now: 1 / 0 if "x" in body else check_signal(body, now=now)
    )
    signals.start()
    assert link.receive is not None
    link.receive(message({"x": 1}))
    link.receive(message(CALL))
    wait_until(lambda: len(kept(database)) == 1)
    signals.stop()
    assert "the service failed on it" in json.loads(link.published[0][1])["error"]["message"]


def test_flood_is_cut_off(signals: DeviceSignals, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(signals_in.MOST_WAITING + 1):
        signals._receive(message(CALL))
    assert (signals.state.waiting, signals.state.refused) == (signals_in.MOST_WAITING, 1)


def test_folder_without_a_broker_has_no_devices(tmp_path: Path, database: Database, tables: StillTables) -> None:
    assert open_devices(tmp_path, {}, database=database, live=tables, clock=HandClock()) is None


def test_folder_names_the_broker(tmp_path: Path, database: Database, tables: StillTables) -> None:
    (tmp_path / "devices.yaml").write_text("mqtt: {host: broker.local, topic: pit-2}", encoding="utf-8")
    opened = open_devices(tmp_path, {}, database=database, live=tables, clock=HandClock())
    assert opened is not None
    assert opened.topic == "pit-2"
    assert opened.state.fault == "not connected yet"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("broker: {}", "devices.yaml: broker = {}; unknown key; allowed: mqtt", id="unknown-key"),
        pytest.param("mqtt: {}", r"mqtt.host = \(missing\); must be the broker's name", id="no-host"),
        pytest.param("mqtt: {host: h, tls: yes please}", "mqtt.tls = yes please; must be true or false", id="tls"),
        pytest.param("mqtt: {host: h, password_env: NONE}", "must name a variable", id="no-secret"),
    ],
)
def test_refusal_names_file_key_and_what_is_allowed(
    tmp_path: Path, database: Database, tables: StillTables, text: str, complaint: str
) -> None:
    (tmp_path / "devices.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match=complaint):
        open_devices(tmp_path, {}, database=database, live=tables, clock=HandClock())


@needs_mosquitto
def test_real_broker_keeps_for_us_what_comes_while_we_are_away(
    tmp_path: Path, database: Database, tables: StillTables
) -> None:
    with a_real_broker(tmp_path / "broker") as broker:
        device, refused = broker.link("device"), list[MqttMessage]()
        device.start("floor/+/signals/refused", refused.append)
        first = _listening(broker.link("signals", keeps_session=True), database, tables)
        wait_until(lambda: device.fault is None and first.state.fault is None)
        wait_until(lambda: _has_sent(device, database))
        first.stop()

        before = len(kept(database))
        device.publish(
            "floor/B07/signals", json.dumps({"type": "round_closed", "at": CALL["at"]}).encode(), timeout_s=30
        )
        second = _listening(broker.link("signals", keeps_session=True), database, tables)
        wait_until(lambda: len(kept(database)) == before + 1)

        device.publish("floor/B07/signals", b"nonsense", timeout_s=30)
        wait_until(lambda: len(refused) == 1)
        second.stop()
        device.stop()
    assert kept(database)[-1][1]["type"] == "round_closed"
    assert refused[0].topic == "floor/B07/signals/refused"


def _listening(link: Any, database: Database, tables: StillTables) -> DeviceSignals:
    signals = DeviceSignals(link=link, topic="floor", database=database, live=tables, clock=HandClock(NOON))
    signals.start()
    return signals


def _has_sent(device: Any, database: Database) -> bool:
    """Send until it is subscribed to."""
    device.publish("floor/B07/signals", json.dumps(CALL).encode(), timeout_s=30)
    return bool(kept(database))


def _full_disk(*_: object) -> None:
    raise OperationalError("INSERT", {}, Exception("database or disk is full"))
