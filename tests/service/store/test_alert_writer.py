"""The writer of alerts: whoever raises one, the rows and the sealed lines have the same form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.service.databases import url_of
from tests.service.store.conftest import NOW
from tests.service.stores import BODY
from thirdcard.service.store import chain
from thirdcard.service.store.alert_writer import (
    AlertEvidence,
    KeptFile,
    RaisedAlert,
    are_promised,
    settle_promises,
    write_alert,
)
from thirdcard.service.store.database import Database, open_database
from thirdcard.service.store.log_chains import alert_chain
from thirdcard.service.store.schema import AlertRow, EvidenceRow, LogRow

CLIP = KeptFile(kind="clip", path="B07/1.mp4", size_bytes=10, sha256="a" * 64)
STILL = KeptFile(kind="still", path="B07/1.jpg", size_bytes=5, sha256="b" * 64)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(url_of(tmp_path / "room.db"))
    yield opened
    opened.close()


def raise_one(database: Database, evidence: AlertEvidence | None, *, is_quiet: bool = False) -> int:
    with database.writing() as session:
        log = LogRow(table_id="B07", began_at=NOW, rules="{}", first_line=1)
        session.add(log)
        session.flush()
        raised = RaisedAlert(
            table_id="B07", log_id=log.id, body=BODY, dealer="D1", at=NOW, noticed_at=NOW + timedelta(seconds=3),
            is_quiet=is_quiet, evidence=evidence,
        )  # fmt: skip
        return write_alert(session, raised, now=NOW).id


def lines(database: Database) -> list[dict[str, object]]:
    with database.reading() as session:
        assert chain.first_breach(session, alert_chain("B07")) is None
        return [json.loads(line.body) for line in chain.read(session, alert_chain("B07"))]


def evidence(database: Database) -> dict[str, tuple[str, str | None, str | None]]:
    with database.reading() as session:
        return {row.kind: (row.state, row.path, row.fault) for row in session.scalars(select(EvidenceRow))}


def test_alert_without_evidence_is_a_row_and_one_line(database: Database) -> None:
    number = raise_one(database, None, is_quiet=True)
    assert lines(database) == [{"alert": number, "body": BODY}]
    assert evidence(database) == {}
    with database.reading() as session:
        row = session.get_one(AlertRow, number)
        assert (row.round, row.code, row.severity, row.state) == (4, "late_bet.placed", "high", "open")
        assert (row.dealer, row.at, row.is_quiet, row.body) == ("D1", NOW, True, chain.canonical(BODY))


def test_files_that_are_there_are_sealed_with_their_alert(database: Database) -> None:
    number = raise_one(database, AlertEvidence(from_at=NOW, to_at=NOW, kept=(CLIP, STILL)))
    assert [line.get("evidence") for line in lines(database)] == [None, "clip", "still"]
    assert lines(database)[1] == {"alert": number, "evidence": "clip", "sha256": CLIP.sha256}
    assert evidence(database) == {"clip": ("kept", CLIP.path, None), "still": ("kept", STILL.path, None)}


def test_why_there_is_no_clip_stands_beside_the_alert_and_is_not_sealed(database: Database) -> None:
    raise_one(database, AlertEvidence(from_at=NOW, to_at=NOW, fault="nothing was filmed then"))
    assert len(lines(database)) == 1
    assert evidence(database) == {"clip": ("failed", None, "nothing was filmed then")}


def test_promises_are_sealed_once_they_are_kept_and_say_so_where_they_cannot_be(database: Database) -> None:
    number = raise_one(database, AlertEvidence(from_at=NOW, to_at=NOW, promised=("clip", "still", "before")))
    assert len(lines(database)) == 1
    later = NOW + timedelta(seconds=9)
    with database.writing() as session:
        assert are_promised(session, number)
        settle_promises(session, number, AlertEvidence(from_at=NOW, to_at=later, kept=(CLIP, STILL)), now=later)
        assert not are_promised(session, number)
    assert [line.get("evidence") for line in lines(database)] == [None, "clip", "still"]
    assert evidence(database)["before"] == ("failed", None, "there is no such picture")
    with database.reading() as session:
        assert set(session.scalars(select(EvidenceRow.to_at))) == {later}
