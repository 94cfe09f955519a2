"""Verification: what was sealed is still there, unchanged."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from tests.service.hand_clock import HandClock
from tests.service.store.conftest import NOW
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.words import Remedy, Severity
from thirdcard.service.live.journal import Journal, News
from thirdcard.service.retention.worker import Retention, RetentionFile
from thirdcard.service.store import chain
from thirdcard.service.store.blob_store import EvidenceStore
from thirdcard.service.store.database import Database
from thirdcard.service.store.log_chains import alert_chain
from thirdcard.service.store.schema import AlertRow, ChainLine, EvidenceRow
from thirdcard.service.store.verification import verify_chains, verify_evidence

ALERT = Alert(
    t=12.5, round=1, code="late_bet.placed", severity=Severity.HIGH, rulebook="tas", rule="6.3", seat=3,
    message="Seat 3 placed 500.", remedy=Remedy("void_wager", "6.3", "The wager is void."),
)  # fmt: skip


@pytest.fixture
def room(database: Database, tmp_path: Path) -> tuple[Database, Path]:
    """One alert whose clip is kept."""
    journal = Journal(database, "B07", {"rulebook": "tas"})
    journal.open(NOW)
    (entry,) = journal.write(News(alerts=[ALERT]), NOW + timedelta(seconds=14))
    clip = tmp_path / "clip.mp4"
    clip.write_bytes(b"a film")
    sha256 = hashlib.sha256(b"a film").hexdigest()
    with database.writing() as session:
        row = session.query(EvidenceRow).filter_by(alert_id=entry.alert_id, kind="clip").one()
        row.state, row.path, row.sha256 = "kept", "clip.mp4", sha256
        chain.append(session, alert_chain("B07"), [{"alert": 1, "evidence": "clip", "sha256": sha256}], at=NOW)
    return database, tmp_path


def faults(room: tuple[Database, Path]) -> tuple[str | None, str | None]:
    with room[0].reading() as session:
        return verify_chains(session), verify_evidence(session, EvidenceStore(room[1]))


def test_what_was_not_touched_is_in_order(room: tuple[Database, Path]) -> None:
    assert faults(room) == (None, None)


def change_line(session: Session, _folder: Path) -> None:
    session.execute(update(ChainLine).where(ChainLine.seq == 2).values(body="{}"))


def change_alert(session: Session, _folder: Path) -> None:
    session.execute(update(AlertRow).values(body="{}"))


def lose_evidence(session: Session, _folder: Path) -> None:
    session.query(EvidenceRow).delete()


def change_file(_session: Session, folder: Path) -> None:
    (folder / "clip.mp4").write_bytes(b"another")


def delete_by_hand(session: Session, folder: Path) -> None:
    session.execute(update(EvidenceRow).where(EvidenceRow.kind == "clip").values(state="deleted", path=None))
    (folder / "clip.mp4").unlink()


def forget_promise(session: Session, _folder: Path) -> None:
    session.execute(update(EvidenceRow).where(EvidenceRow.kind == "clip").values(state="failed", path=None))


def lose_file(_session: Session, folder: Path) -> None:
    (folder / "clip.mp4").unlink()


@pytest.mark.parametrize(
    ("tamper", "found"),
    [
        pytest.param(change_line, "alerts/B07: line 2 was changed, or one was slipped in before it", id="line"),
        pytest.param(change_alert, "alert 1: was changed", id="alert"),
        pytest.param(lose_evidence, "alert 1: its clip is missing", id="evidence"),
        pytest.param(change_file, "clip.mp4: was changed", id="file-changed"),
        pytest.param(delete_by_hand, "alert 1: its clip was set to deleted, and no line says so", id="deleted-by-hand"),
        pytest.param(forget_promise, "alert 1: its clip is missing", id="set-to-failed"),
        pytest.param(lose_file, "clip.mp4: is missing", id="file-lost"),
    ],
)
def test_first_thing_that_is_not_as_sealed_is_named(
    room: tuple[Database, Path], tamper: Callable[[Session, Path], None], found: str
) -> None:
    with room[0].writing() as session:
        tamper(session, room[1])

    assert found in faults(room)


def test_evidence_that_was_deleted_by_the_rules_is_no_fault(room: tuple[Database, Path]) -> None:
    clock = HandClock(NOW + timedelta(days=400))
    retention = Retention(room[0], room[1], RetentionFile(), clock, lambda *_: None, free=lambda _: 10**12)

    assert retention.delete_what_is_over() == 1
    assert not (room[1] / "clip.mp4").exists()

    assert faults(room) == (None, None)
