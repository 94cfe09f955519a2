"""Compare the present database and evidence folder with what was sealed.

Evidence is sealed in its table's chain of alerts, so a changed row is detected as well as a changed file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.store import chain
from thirdcard.service.store.blob_store import EvidenceStore
from thirdcard.service.store.schema import AlertRow, EvidenceRow

ALERT_CHAINS = "alerts/"
AT_ONCE = 500
"""The number of alerts read with one statement; SQLite accepts 32,766 values in one."""
VouchedLines = Callable[[Session, str], Iterable[chain.Vouched]]


def verify_chains(session: Session, known: Iterable[str] = (), vouched: VouchedLines | None = None) -> str | None:
    """The first line that was changed, in words; None where all are as they were written.

    Args:
        session: A transaction.
        known: Chains that must exist, whatever the database says.
        vouched: Returns the lines of a chain whose seals are known from elsewhere, in order.
    """
    for name in sorted({*chain.chains(session), *known}):
        breach = chain.first_breach(session, name, vouched(session, name) if vouched else ())
        if breach is not None:
            return f"{name}: line {breach.seq} {breach.what}"
    return None


def verify_evidence(session: Session, store: EvidenceStore) -> str | None:
    """The first alert or file that differs from what was sealed, in words; None where all match."""
    sealed = _sealed_alerts(session)
    while some := list(islice(sealed, AT_ONCE)):
        wanted = select(AlertRow.id, AlertRow.body).where(AlertRow.id.in_([alert_id for alert_id, _ in some]))
        bodies = dict(session.execute(wanted).all())
        for alert_id, body in some:
            if bodies.get(alert_id) != body:
                return f"alert {alert_id}: {'was changed' if alert_id in bodies else 'is missing'}"
    deleted = set(_sealed_deletions(session))
    for alert_id, kind, sha256 in _sealed_files(session):
        is_deleted = (alert_id, kind) in deleted
        fault = _fault_of_file(session, store, alert_id, kind, None if is_deleted else sha256)
        if fault is not None:
            return fault
    return None


def _fault_of_file(session: Session, store: EvidenceStore, alert_id: int, kind: str, sha256: str | None) -> str | None:
    """The fault of a file, in words; `sha256` is None where its deletion is sealed."""
    wanted = select(EvidenceRow).where(EvidenceRow.alert_id == alert_id, EvidenceRow.kind == kind)
    row = session.scalars(wanted).first()
    if row is not None and row.state == "deleted":
        return None if sha256 is None else f"alert {alert_id}: its {kind} was set to deleted, and no line says so"
    if row is None or row.path is None:
        return f"alert {alert_id}: its {kind} is missing"
    if store.size(row.path) is None:
        return f"{row.path}: is missing"
    with store.open(row.path) as stream:
        found = hashlib.sha256(stream.read()).hexdigest()
    if found != sha256:
        return f"{row.path}: was changed"
    return None


def _sealed_alerts(session: Session) -> Iterator[tuple[int, str]]:
    for line in _alert_lines(session):
        if "body" in line:
            yield line["alert"], chain.canonical(line["body"])


def _sealed_files(session: Session) -> Iterator[tuple[int, str, str]]:
    for line in _alert_lines(session):
        if "evidence" in line:
            yield line["alert"], line["evidence"], line["sha256"]


def _sealed_deletions(session: Session) -> Iterator[tuple[int, str]]:
    for line in _alert_lines(session):
        if "deleted" in line:
            yield line["alert"], line["deleted"]


def _alert_lines(session: Session) -> Iterator[dict[str, Any]]:
    for name in chain.chains(session):
        if name.startswith(ALERT_CHAINS):
            yield from (content for _, content in chain.contents(session, name))
