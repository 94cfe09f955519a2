"""The pages on running the service: they name every setting, event and figure, and what they ask for works."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import typer
from pydantic import BaseModel
from typer.main import get_command

from tests.repository import ROOT
from tests.service.hand_clock import NOON, HandClock
from tests.service.stores import add_alert, add_file, bare_database
from tests.service.web.rooms import StillTables
from thirdcard.service.cli.commands.serve import serve
from thirdcard.service.config.analytics_file import AnalyticsFile
from thirdcard.service.config.house_time import ShiftFile
from thirdcard.service.config.settings import RoomSettings
from thirdcard.service.devices.mqtt import BrokerFile
from thirdcard.service.devices.signals_in import DevicesFile
from thirdcard.service.notify.settings import (
    MqttFile,
    NoticeEvent,
    NotificationsFile,
    PeopleFile,
    RuleFile,
    WebhookFile,
    load_notifications,
)
from thirdcard.service.notify.webhook import sign
from thirdcard.service.retention.disk_budget import DiskLevel
from thirdcard.service.retention.worker import DaysFile, Retention, RetentionFile, load_retention
from thirdcard.service.store.blob_store import EvidenceStore
from thirdcard.service.store.database import Database, open_database, sqlite_url
from thirdcard.service.store.verification import verify_chains, verify_evidence
from thirdcard.service.web.background import open_background

PAGES = (ROOT / "docs" / "operations.md", *sorted((ROOT / "docs" / "operations").glob("*.md")))
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)


MODELS = (
    *(NotificationsFile, WebhookFile, MqttFile, PeopleFile, ShiftFile, RuleFile),
    *(RetentionFile, DaysFile, DevicesFile, BrokerFile, AnalyticsFile),
)
KEYS = [pytest.param(model, key, id=f"{model.__name__}.{key}") for model in MODELS for key in model.model_fields]


def example(name: str) -> str:
    """The YAML that begins with a key, on the only page that has it."""
    (found,) = re.findall(rf"```yaml\n({name}:.*?)```", TEXT, re.DOTALL)
    assert isinstance(found, str)
    return found


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = bare_database(tmp_path / "thirdcard.db")
    yield opened
    opened.close()


@pytest.mark.parametrize(("model", "key"), KEYS)
def test_every_setting_is_told_and_says_what_is_allowed(model: type[BaseModel], key: str) -> None:
    assert re.search(rf"\b{key}\b", TEXT)
    assert model.model_fields[key].description


@pytest.mark.parametrize("event", [event for event in NoticeEvent if event != NoticeEvent.TEST])
def test_every_event_is_told(event: str) -> None:
    assert f"`{event}`" in TEXT


def test_examples_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "notifications.yaml").write_text(example("webhooks"), encoding="utf-8")
    (tmp_path / "retention.yaml").write_text(example("days"), encoding="utf-8")
    assert load_notifications(tmp_path).channel_names() == ["back-office", "floor-bus", "duty-manager"]
    assert load_retention(tmp_path) == RetentionFile()


def test_every_figure_is_told(tmp_path: Path, database: Database) -> None:
    (tmp_path / "devices.yaml").write_text("mqtt: {host: 127.0.0.1}", encoding="utf-8")
    settings = RoomSettings(evidence=tmp_path, version="1")
    background = open_background(
        tmp_path, {}, settings=settings, database=database, live=StillTables(), clock=HandClock()
    )
    background.retention.keep_budget()
    names = [f"{metric.name}_total" if metric.type == "counter" else metric.name for metric in background.figures()]
    assert names
    assert [name for name in names if f"`{name}`" not in TEXT] == []
    assert all(re.search(rf"\b{level}\b", TEXT) for level in DiskLevel)


def test_receivers_check_accepts_ours_and_nothing_else() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    secret, body, now = b"a secret of the house", b'{"event":"raised"}', NOON.timestamp()
    headers = {
        "webhook-id": "alert-1-raised",
        "webhook-timestamp": str(int(now)),
        "webhook-signature": sign(secret, "alert-1-raised", NOON, body),
    }
    is_ours = names["is_ours"]
    assert is_ours(secret, headers, body, now)
    assert not is_ours(secret, headers, body + b" ", now)
    assert not is_ours(b"another", headers, body, now)
    assert not is_ours(secret, headers, body, now + 301)


def test_backup_taken_while_evidence_comes_and_goes_is_whole(tmp_path: Path, database: Database) -> None:
    room, backup = tmp_path / "evidence", tmp_path / "backup"
    going = add_alert(database, state="dismissed")
    add_file(database, room, going)
    clock = HandClock()
    keeper = Retention(database, room, RetentionFile(keep_free_gb=0), clock, lambda *_: None)

    shutil.copytree(room, backup / "evidence")
    staying = add_alert(database)
    add_file(database, room, staying)
    connect = sqlite3.connect
    with closing(connect(tmp_path / "thirdcard.db")) as ours, closing(connect(backup / "thirdcard.db")) as copy:
        ours.backup(copy)
    clock.move(days=31)
    assert keeper.delete_what_is_over() == 1
    shutil.copytree(room, backup / "evidence", dirs_exist_ok=True)
    add_file(database, room, add_alert(database))

    restored = open_database(sqlite_url(backup / "thirdcard.db"))
    with restored.reading() as session:
        assert verify_chains(session) is None
        assert verify_evidence(session, EvidenceStore(backup / "evidence")) is None
    (backup / "evidence" / "B07" / f"{staying}-clip.mp4").write_bytes(b"another film")
    with restored.reading() as session:
        assert verify_evidence(session, EvidenceStore(backup / "evidence")) == f"B07/{staying}-clip.mp4: was changed"
    restored.close()


def test_unit_and_container_call_the_program_as_it_is() -> None:
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(ROOT / "deploy" / "thirdcard.service", encoding="utf-8")
    _, command, *arguments = shlex.split(unit["Service"]["ExecStart"])
    assert command == serve.__name__
    commands = typer.Typer()
    commands.command()(serve)
    known = {option for parameter in get_command(commands).params for option in parameter.opts}
    assert {argument for argument in arguments if argument.startswith("--")} <= known

    container = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8")
    assert set(re.findall(r'"(--[a-z-]+)"', container)) <= known
    copied = {path for line in re.findall(r"^COPY (?!--)(.*) \S+$", container, re.MULTILINE) for path in line.split()}
    assert [path for path in copied if not (ROOT / path).exists()] == []


def test_moment_of_the_example_is_one() -> None:
    (text,) = re.findall(r'"no_more_bets", "at": "([^"]+)"', TEXT)
    assert datetime.fromisoformat(text).tzinfo == UTC
