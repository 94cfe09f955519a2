"""A table's own process, with the real models and the shipped recording: watched as it plays, killed, resumed."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from sqlalchemy import select

from tests.repository import DEMO
from thirdcard.service.config.data_folder import Home
from thirdcard.service.live.supervisor import Supervisor
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.ports.messages import Message, TableStatus, Written
from thirdcard.service.store import chain
from thirdcard.service.store.blob_store import EvidenceStore
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import AlertRow, EvidenceRow
from thirdcard.service.store.verification import verify_chains, verify_evidence

PATIENCE_S = 180.0
TABLE = "DEMO"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A house whose one table plays the shipped recording over and over."""
    home = Home(tmp_path / "home")
    home.make()
    table = yaml.safe_load((DEMO / "table.yaml").read_text(encoding="utf-8"))
    parts = str(DEMO)
    table |= {"id": TABLE, "layout": f"{parts}/layout.yaml", "chips": f"{parts}/chips.yaml", "loop": True}
    table["cameras"] = [{"name": "overhead", "source": f"{parts}/video.mp4", "calibration": f"{parts}/overhead.yaml"}]
    (home.tables / "demo.yaml").write_text(yaml.safe_dump(table), encoding="utf-8")
    return home


@pytest.fixture
def database(home: Home) -> Iterator[Database]:
    opened = home.open_database({})
    yield opened
    opened.close()


def wait_for(told: list[Message], what: Callable[[Message], bool]) -> Message:
    """The first message like that; those before it are taken away."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        while told:
            message = told.pop(0)
            if what(message):
                return message
        time.sleep(0.05)
    raise AssertionError("never told")


def is_playing(message: Message) -> bool:
    return isinstance(message, TableStatus) and message.camera == "playing" and message.frames > 20


def test_alert_and_its_clip_outlive_the_process(home: Home, database: Database) -> None:
    told: list[Message] = []
    supervisor = Supervisor(home.folder, now_utc, told.append)
    supervisor.start({TABLE: home.tables / "demo.yaml"})
    try:
        alerted = wait_for(told, lambda message: isinstance(message, Written) and bool(message.alerts))
        assert isinstance(alerted, Written)
        number = alerted.alerts[0]
        pid = supervisor.pid_of(TABLE)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        wait_for(told, lambda message: isinstance(message, TableStatus) and message.camera == "down")
        wait_for(told, lambda message: isinstance(message, Written) and number in message.evidence)
        wait_for(told, is_playing)
    finally:
        supervisor.stop()

    with database.reading() as session:
        assert verify_chains(session) is None
        assert verify_evidence(session, EvidenceStore(home.evidence)) is None
        clip = session.scalars(
            select(EvidenceRow).where(EvidenceRow.alert_id == number, EvidenceRow.kind == "clip")
        ).first()
        assert clip is not None
        assert clip.state == "kept"
        assert (home.evidence / str(clip.path)).stat().st_size == clip.size_bytes
        assert session.get_one(AlertRow, number).state == "open"
        lines = [json.loads(line.body) for line in chain.read(session, f"log/{TABLE}")]
    assert [line["t"] for line in lines] == sorted(line["t"] for line in lines)
    assert "camera_lost" in [line["type"] for line in lines]
    assert "camera_back" in [line["type"] for line in lines]
