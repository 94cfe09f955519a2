"""What the service does besides its room, put together: opened from a folder, started, stopped, shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.hand_clock import HandClock
from tests.service.mqtt_fakes import wait_until
from tests.service.notify.fakes import http_receiver
from tests.service.stores import add_alert, bare_database
from tests.service.web.rooms import StillTables
from thirdcard.service.config.settings import RoomSettings
from thirdcard.service.ports.errors import TableError
from thirdcard.service.ports.messages import TableStatus
from thirdcard.service.store.database import Database
from thirdcard.service.web.background import BackgroundWork, open_background

SECRETS = {"HOOK_SECRET": "a secret that is long enough", "DUTY_URL": "json://127.0.0.1:1/"}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = bare_database(tmp_path / "room.db")
    yield opened
    opened.close()


def opened(folder: Path, database: Database, secrets: dict[str, str]) -> BackgroundWork:
    (folder / "evidence").mkdir(exist_ok=True)
    settings = RoomSettings(evidence=folder / "evidence", version="1", time_zone="Pacific/Auckland")
    tables = StillTables(known={"B07": TableStatus(table_id="B07", at="", t=0.0, camera="playing")})
    return open_background(folder, secrets, settings=settings, database=database, live=tables, clock=HandClock())


def names(background: BackgroundWork) -> set[str]:
    return {metric.name for metric in background.figures()}


def test_empty_folder_tells_nobody_and_still_looks_after_the_disk(tmp_path: Path, database: Database) -> None:
    background = opened(tmp_path, database, {})
    background.start()
    wait_until(lambda: background.retention.state is not None)
    background.stop()
    assert background.devices is None
    assert {"thirdcard_evidence_bytes", "thirdcard_disk_level", "thirdcard_deliveries"} <= names(background)


def test_folder_says_who_is_told(tmp_path: Path, database: Database) -> None:
    with http_receiver() as server:
        (tmp_path / "notifications.yaml").write_text(
            f"webhooks: [{{name: office, url: '{server.url}', secret_env: HOOK_SECRET}}]\n"
            "mqtt: [{name: bus, host: 127.0.0.1, port: 1}]\n"
            "people: [{name: duty, url_env: DUTY_URL}]\n"
            "rules: [{channels: [office]}]\n",
            encoding="utf-8",
        )
        (tmp_path / "devices.yaml").write_text("mqtt: {host: 127.0.0.1, port: 1}", encoding="utf-8")
        background = opened(tmp_path, database, SECRETS)
        number = add_alert(database)
        background.start()
        wait_until(lambda: len(server.requests) == 1)
        wait_until(lambda: "devices: nobody answers there" in background.faults())
        background.stop()
        (request,) = server.requests
    assert request.json["alert"]["id"] == number
    assert {"thirdcard_devices_connected", "thirdcard_device_reports", "thirdcard_channel_up"} <= names(background)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param(
            "webhooks: [{name: a, url: 'http://x/', secret_env: NONE}]", r"webhooks\[0\].secret_env = NONE", id="absent"
        ),
        pytest.param(
            "webhooks: [{name: a, url: 'http://x/', secret_env: SHORT}]",
            "secret_env = SHORT; must hold a secret of 16 characters or more",
            id="short",
        ),
        pytest.param(
            "webhooks: [{name: a, url_env: NONE, secret_env: HOOK_SECRET}]",
            r"webhooks\[0\].url_env = NONE",
            id="address",
        ),
        pytest.param("people: [{name: a, url_env: NONE}]", r"people\[0\].url_env = NONE; must name", id="people"),
        pytest.param("mqtt: [{name: a, host: h, password_env: NONE}]", r"mqtt\[0\].password_env = NONE", id="broker"),
    ],
)
def test_service_does_not_start_without_its_secrets(
    tmp_path: Path, database: Database, text: str, complaint: str
) -> None:
    (tmp_path / "notifications.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match=complaint):
        opened(tmp_path, database, {**SECRETS, "SHORT": "short"})
