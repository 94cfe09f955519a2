"""`notifications.yaml`: what it may say, and what is refused with file, key, value and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from thirdcard.service.config.house_file import HouseFileError
from thirdcard.service.notify.settings import NoticeEvent, NotificationsFile, load_notifications
from thirdcard.service.ports.errors import TableError

FULL = """
webhooks:
  - {name: back-office, url: "https://office.example/hook", secret_env: HOOK_SECRET, timeout_s: 5}
mqtt:
  - {name: bus, host: broker.local, port: 8883, tls: true, username: u, password_env: P, topic: floor}
people:
  - {name: duty, url_env: DUTY_URL, at_most_every_s: 60}
shifts:
  - {name: night, begins: "20:00", ends: "06:00", days: [fri, sat]}
rules:
  - {channels: [bus, back-office]}
  - channels: [duty]
    events: [raised, overdue, service]
    least_severity: high
    tables: [B07]
    codes: [late_bet, misdeal.order]
    shifts: [night]
overdue_after_min: 3
"""


def written(folder: Path, text: str) -> Path:
    (folder / "notifications.yaml").write_text(text, encoding="utf-8")
    return folder


def test_file_says_who_is_told_of_what(tmp_path: Path) -> None:
    settings = load_notifications(written(tmp_path, FULL))

    assert settings.channel_names() == ["back-office", "bus", "duty"]
    assert settings.rules[0].events == [NoticeEvent.RAISED, NoticeEvent.WITHDRAWN]
    assert settings.rules[1].least_severity == "high"
    assert settings.mqtt[0].topic == "floor"


def test_nobody_is_told_without_a_file(tmp_path: Path) -> None:
    assert load_notifications(tmp_path) == NotificationsFile()


HOOK = "{name: a, url: 'http://x/', secret_env: S}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("sms: []", r"sms = \[\]; unknown key; allowed: webhooks, mqtt, people, shifts", id="unknown-list"),
        pytest.param(
            "webhooks: [{name: a, url: 'http://x/', secret_env: S, secret: s}]",
            r"webhooks\[0\].secret = s; unknown key; allowed: name, url, url_env, secret_env",
            id="secret-in-the-file",
        ),
        pytest.param(
            "webhooks: [{name: a, url: 'http://x/'}]", r"secret_env = \(missing\); must be the name of", id="unsigned"
        ),
        pytest.param(
            "webhooks: [{name: a, url: 'ftp://x/', secret_env: S}]", "url = ftp://x/; must be an address", id="ftp"
        ),
        pytest.param(
            "webhooks: [{name: a, secret_env: S}]", r"url = null; must have either url or url_env", id="no-address"
        ),
        pytest.param(
            "webhooks: [{name: a b, url: 'http://x/', secret_env: S}]", "name = a b; must be a name", id="name"
        ),
        pytest.param(
            f"webhooks: [{HOOK}, {HOOK}]", r"webhooks\[1\].name = a; webhooks\[0\] has the same", id="same-name"
        ),
        pytest.param(
            "mqtt: [{name: a, host: h, port: 0}]", r"mqtt\[0\].port = 0; must be a port, 1 to 65535", id="port"
        ),
        pytest.param("mqtt: [{name: a, host: h, topic: 'a/b'}]", r"topic = a/b; must be the first level", id="topic"),
        pytest.param(
            "shifts: [{name: n, begins: 20:00, ends: '06:00'}]",
            "YAML reads 20:00 as 1200: write 1200, or put it in quotes",
            id="yaml-reads-a-number-of-base-60",
        ),
        pytest.param(
            "shifts: [{name: n, begins: '24:00', ends: '06:00'}]", r'begins = "24:00"; must be a time', id="hour-24"
        ),
        pytest.param(
            "shifts: [{name: n, begins: '06:00', ends: '06:00'}]", "must be another time than begins", id="empty"
        ),
        pytest.param(
            "shifts: [{name: n, begins: '06:00', ends: '07:00', days: [friday]}]",
            r"days\[0\] = friday; must be a list",
            id="day",
        ),
        pytest.param("rules: [{channels: []}]", r"channels = \[\]; must be a list of names", id="nobody"),
        pytest.param(
            "rules: [{channels: [x]}]", r"rules\[0\].channels\[0\] = x; must be one of \(there are none\)", id="channel"
        ),
        pytest.param(
            f"webhooks: [{HOOK}]\nrules: [{{channels: [a], shifts: [late]}}]",
            r"shifts\[0\] = late; must be one of",
            id="shift",
        ),
        pytest.param(
            f"webhooks: [{HOOK}]\nrules: [{{channels: [a], events: [happened]}}]",
            r"events\[0\] = happened; must be",
            id="event",
        ),
        pytest.param(
            f"webhooks: [{HOOK}]\nrules: [{{channels: [a], events: [test]}}]", "a test is sent by its button", id="test"
        ),
        pytest.param(
            f"webhooks: [{HOOK}]\nrules: [{{channels: [a], least_severity: huge}}]",
            "least_severity = huge; must be one of",
            id="severity",
        ),
        pytest.param("overdue_after_min: 0", "overdue_after_min = 0; must be minutes", id="overdue-at-once"),
    ],
)
def test_refusal_names_file_key_value_and_what_is_allowed(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises((TableError, HouseFileError), match=complaint) as refused:
        load_notifications(written(tmp_path, text))
    assert str(refused.value).startswith(f"{tmp_path / 'notifications.yaml'}: ")


def test_file_that_is_no_mapping_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HouseFileError, match="must be a mapping"):
        load_notifications(written(tmp_path, "- webhooks"))
