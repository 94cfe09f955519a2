"""Write alerts: the row, its evidence files, and its lines in the table's chain. No other module writes them.

A live table, a review and a correction raise alerts in the same form. Whoever raises one also indexes its round for the
search; this package does not depend on rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.store import chain
from thirdcard.service.store.alert_states import AlertState
from thirdcard.service.store.log_chains import alert_chain
from thirdcard.service.store.recorded_rows import table_of
from thirdcard.service.store.row_record import insert_rows
from thirdcard.service.store.schema import AlertRow, EvidenceRow

PROMISED, KEPT, FAILED = "promised", "kept", "failed"
"""The states of a piece of evidence until it is deleted."""
FIRST_KINDS = ("clip", "still", "overlay", "before", "after")
"""The kinds of files promised with an alert itself."""
LONGER_KINDS = ("longer", "longer-2", "longer-3")
"""Longer clips that a person asked for later; the first clip stays unchanged."""

COPY_KINDS = {f"{kind}-copy": kind for kind in ("clip", *LONGER_KINDS)}
"""Copies that browsers can play, mapped to their originals; the original stays the evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFile:
    """An evidence file on the disk."""

    kind: str
    """One of the kinds above."""
    path: str
    """The path below the evidence folder, with slashes."""
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertEvidence:
    """The evidence of an alert: existing files, promised files, or why there is no clip."""

    from_at: datetime
    to_at: datetime
    kept: tuple[KeptFile, ...] = ()
    promised: tuple[str, ...] = ()
    """The kinds of the promised files."""
    fault: str | None = None
    """Why there is no clip."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedAlert:
    """An alert to be stored."""

    table_id: str
    log_id: int
    body: Mapping[str, Any]
    """In the form of `format_alert`."""
    dealer: str | None
    """The dealer at that time."""
    at: datetime
    """The time of the fault."""
    noticed_at: datetime
    is_quiet: bool = False
    """Whether it raises no alarm, because it is reported after the fact."""
    evidence: AlertEvidence | None = field(default=None)


def write_alert(session: Session, raised: RaisedAlert, *, now: datetime) -> AlertRow:
    """Insert an open alert, and seal it with its existing files; returns the row with its id."""
    row = AlertRow(
        table_id=raised.table_id,
        log_id=raised.log_id,
        round=raised.body["round"],
        code=raised.body["code"],
        severity=raised.body["severity"],
        state=AlertState.OPEN,
        dealer=raised.dealer,
        at=raised.at,
        noticed_at=raised.noticed_at,
        body=chain.canonical(raised.body),
        is_quiet=raised.is_quiet,
    )
    session.add(row)
    session.flush()
    kept = () if raised.evidence is None else raised.evidence.kept
    lines = [{"alert": row.id, "body": raised.body}, *(_sealed(row.id, file) for file in kept)]
    chain.append(session, alert_chain(raised.table_id), lines, at=now)
    if raised.evidence is not None:
        insert_rows(session, EvidenceRow, [*_evidence_rows(row.id, raised.evidence)])
    return row


def promise_file(session: Session, alert_id: int, kind: str, from_at: datetime, to_at: datetime) -> None:
    """Record that a further file of an alert will be made."""
    session.add(EvidenceRow(alert_id=alert_id, kind=kind, state=PROMISED, from_at=from_at, to_at=to_at))
    session.flush()


def settle_promises(
    session: Session, alert_id: int, found: AlertEvidence, *, now: datetime, kinds: Sequence[str] = FIRST_KINDS
) -> None:
    """Record that the promised files exist or cannot be made, and seal those that exist."""
    table_id = session.get_one(AlertRow, alert_id).table_id
    files = {file.kind: file for file in found.kept}
    sealed = []
    of_these = (EvidenceRow.alert_id == alert_id, EvidenceRow.kind.in_(kinds), EvidenceRow.state == PROMISED)
    for row in session.scalars(select(EvidenceRow).where(*of_these)).all():
        file = files.get(row.kind)
        row.from_at, row.to_at = found.from_at, found.to_at
        row.state, row.fault = (KEPT, None) if file is not None else (FAILED, found.fault or "there is no such picture")
        if file is not None:
            row.path, row.size_bytes, row.sha256 = file.path, file.size_bytes, file.sha256
            sealed.append(_sealed(alert_id, file))
    chain.append(session, alert_chain(table_id), sealed, at=now)


def are_promised(session: Session, alert_id: int, kinds: Sequence[str] = FIRST_KINDS) -> bool:
    """Whether any of these files of an alert is still promised."""
    of_these = (EvidenceRow.alert_id == alert_id, EvidenceRow.kind.in_(kinds), EvidenceRow.state == PROMISED)
    return session.scalars(select(EvidenceRow.id).where(*of_these).limit(1)).first() is not None


def _sealed(alert_id: int, file: KeptFile) -> Mapping[str, object]:
    """The line of a file in the alerts' chain."""
    return {"alert": alert_id, "evidence": file.kind, "sha256": file.sha256}


def _evidence_rows(alert_id: int, evidence: AlertEvidence) -> Iterator[Mapping[str, Any]]:
    row = dict.fromkeys(column.name for column in table_of(EvidenceRow).columns if not column.primary_key)
    row |= {"alert_id": alert_id, "from_at": evidence.from_at, "to_at": evidence.to_at}
    for file in evidence.kept:
        facts = {"path": file.path, "size_bytes": file.size_bytes, "sha256": file.sha256}
        yield {**row, "kind": file.kind, "state": KEPT, **facts}
    for kind in evidence.promised:
        yield {**row, "kind": kind, "state": PROMISED}
    if evidence.fault is not None:
        yield {**row, "kind": "clip", "state": FAILED, "fault": evidence.fault}
