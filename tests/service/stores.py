"""Databases for tests, and rows in the form that a table's process writes."""

from __future__ import annotations

import json
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import select

from tests.service.databases import url_of
from tests.service.hand_clock import NOON
from thirdcard.service.store import chain
from thirdcard.service.store.database import Database, open_database
from thirdcard.service.store.log_chains import alert_chain
from thirdcard.service.store.schema import AlertRow, Base, EvidenceRow, LogRow

BODY = {
    "t": 83.2, "round": 4, "code": "late_bet.placed", "severity": "high", "rulebook": "tas", "rule": "6.3", "seat": 3,
    "bet": "banker", "area": "s3-banker", "hand": None, "cards": [], "amount": 500, "message": "Seat 3 placed 500.",
    "remedy": {"action": "void_wager", "rule": "6.3", "text": "The wager is void."}, "confidence": 0.97,
}  # fmt: skip


def bare_database(path: Path) -> Database:
    """A database with the tables that the schema has."""
    database = open_database(url_of(path))
    Base.metadata.create_all(database.engine)
    return database


def add_alert(
    database: Database, *, at: datetime = NOON, table: str = "B07", state: str = "open", **changes: Any
) -> int:
    """Add an alert that was raised at once; returns its id."""
    body = BODY | changes
    with database.writing() as session:
        log = session.scalar(select(LogRow).where(LogRow.table_id == table))
        if log is None:
            log = LogRow(table_id=table, began_at=NOON, rules="{}", first_line=1)
            session.add(log)
            session.flush()
        facts = {"code": body["code"], "severity": body["severity"], "body": json.dumps(body), "state": state}
        row = AlertRow(table_id=table, log_id=log.id, round=4, at=at, noticed_at=at, dealer="d17", **facts)
        session.add(row)
        session.flush()
        return row.id


def add_file(database: Database, folder: Path, alert: int, kind: str = "clip", *, size: int = 1000) -> Path:
    """Add an evidence file of an alert, sealed in the same way as by its process."""
    with database.writing() as session:
        table = session.get_one(AlertRow, alert).table_id
        path, data = folder / table / f"{alert}-{kind}.mp4", bytes(size)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        digest = sha256(data).hexdigest()
        facts = {"path": path.relative_to(folder).as_posix(), "size_bytes": size, "sha256": digest}
        session.add(EvidenceRow(alert_id=alert, kind=kind, state="kept", from_at=NOON, to_at=NOON, **facts))
        chain.append(session, alert_chain(table), [{"alert": alert, "evidence": kind, "sha256": digest}], at=NOON)
    return path
