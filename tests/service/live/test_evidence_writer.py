"""Promises of evidence: one that cannot be kept now is kept later, and none is kept twice."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.repository import DEMO
from tests.service.databases import url_of
from tests.service.live.test_journal import ALERT
from tests.service.store.conftest import NOW
from thirdcard.service.config.table_file import load_table
from thirdcard.service.live import evidence_writer
from thirdcard.service.live.evidence_writer import EvidenceWriter
from thirdcard.service.live.journal import EnteredAlert, Journal, News
from thirdcard.service.media.clips import ClipError
from thirdcard.service.media.ring import ClipTimes
from thirdcard.service.store import chain
from thirdcard.service.store.alert_writer import promise_file
from thirdcard.service.store.database import Database, open_database
from thirdcard.service.store.log_chains import alert_chain
from thirdcard.service.store.schema import EvidenceRow

LATER = NOW + timedelta(minutes=1)


class Disk:
    """Takes clips unless it is full."""

    fault: OSError | None = None

    def cut(self, _ring: Path, clip: Path, *, at: datetime, from_at: datetime, to_at: datetime) -> ClipTimes:
        if self.fault is not None:
            raise ClipError(f"{clip.name}: {self.fault}") from self.fault
        clip.write_bytes((DEMO / "video.mp4").read_bytes())
        return ClipTimes(began=from_at, ended=to_at)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk()
    monkeypatch.setattr(evidence_writer, "cut_from_ring", disk.cut)
    monkeypatch.setattr(EvidenceWriter, "_pictures", lambda _self, _promise, clip, *_others: {"clip": clip})
    return disk


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(url_of(tmp_path / "room.db"))
    yield opened
    opened.close()


@pytest.fixture
def entry(database: Database) -> EnteredAlert:
    journal = Journal(database, "DEMO", {})
    journal.open(NOW)
    return journal.write(News(alerts=[ALERT]), NOW)[0]


def writer_of(database: Database, folder: Path) -> EvidenceWriter:
    writer = EvidenceWriter(database, load_table(DEMO / "table.yaml"), folder / "ring", folder / "evidence")
    writer.open()
    return writer


def clip_of(database: Database) -> tuple[str, str | None]:
    with database.reading() as session:
        row = session.scalars(select(EvidenceRow).where(EvidenceRow.kind == "clip")).one()
        return row.state, row.fault


@pytest.mark.usefixtures("entry")
def test_promise_outlives_a_full_disk(database: Database, disk: Disk, tmp_path: Path) -> None:
    writer = writer_of(database, tmp_path)
    disk.fault = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(ClipError, match="No space left"):
        writer.keep_next(LATER)
    assert clip_of(database) == ("promised", None)
    assert writer.is_due(LATER)

    disk.fault = None
    writer.keep_next(LATER)

    assert clip_of(database) == ("kept", None)
    assert not writer.is_due(LATER)


@pytest.mark.usefixtures("entry")
def test_promise_that_the_ring_cannot_keep_fails_and_says_why(database: Database, disk: Disk, tmp_path: Path) -> None:
    disk.fault = OSError(errno.EIO, "Input/output error")

    writer_of(database, tmp_path).keep_next(LATER)

    state, fault = clip_of(database)
    assert state == "failed"
    assert "Input/output error" in str(fault)


@pytest.mark.usefixtures("disk")
def test_promise_that_was_kept_unheard_is_not_kept_again(
    database: Database, entry: EnteredAlert, tmp_path: Path
) -> None:
    writer = writer_of(database, tmp_path)
    writer.promise(entry)

    assert [writer.keep_next(LATER), writer.keep_next(LATER)] == [entry.alert_id, entry.alert_id]

    with database.reading() as session:
        assert len(list(chain.read(session, alert_chain("DEMO")))) == 2, "the alert and its clip, each sealed once"


def test_longer_clip_is_cut_beside_the_first_and_sealed(
    database: Database, entry: EnteredAlert, disk: Disk, tmp_path: Path
) -> None:
    writer = writer_of(database, tmp_path)
    writer.keep_next(LATER)
    with database.writing() as session:
        promise_file(session, entry.alert_id, "longer", NOW - timedelta(minutes=1), LATER)
    writer.ask()

    assert writer.is_due(LATER + timedelta(seconds=3))
    writer.keep_next(LATER)

    with database.reading() as session:
        rows = {row.kind: row for row in session.scalars(select(EvidenceRow)) if row.state == "kept"}
        sealed = [line.body for line in chain.read(session, alert_chain("DEMO"))]
    assert rows["longer"].path == (rows["clip"].path or "").replace(".mp4", "-longer.mp4")
    assert rows["longer"].sha256 == rows["clip"].sha256  # the disk here gives every clip the same content
    assert any('"evidence":"longer"' in body for body in sealed)
