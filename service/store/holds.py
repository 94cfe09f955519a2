"""Holds that forbid the deletion of evidence: who placed them, why, and who lifted them; all in the audit chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.store import audit
from thirdcard.service.store.schema import AlertRow, CaseRow, HoldRow


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldView:
    """One hold; of an alert, or of all alerts of a case."""

    id: int
    alert_id: int | None
    case_id: int | None
    reason: str
    put_by: str
    put_at: datetime
    lifted_by: str | None
    lifted_at: datetime | None


def hold_alert(session: Session, who: str, alert_id: int, reason: str, *, now: datetime) -> int | None:
    """Hold an alert's evidence; returns the hold's id, None where there is no such alert."""
    if session.get(AlertRow, alert_id) is None:
        return None
    row = HoldRow(alert_id=alert_id, reason=reason, put_by=who, put_at=now)
    return _put(session, row, f"alert:{alert_id}")


def hold_case(session: Session, who: str, case_id: int, reason: str, *, now: datetime) -> int | None:
    """Hold the evidence of all present and future alerts of a case; None where there is no such case."""
    if session.get(CaseRow, case_id) is None:
        return None
    row = HoldRow(case_id=case_id, reason=reason, put_by=who, put_at=now)
    return _put(session, row, f"case:{case_id}")


def lift_hold(session: Session, who: str, hold_id: int, *, now: datetime) -> bool:
    """Lift a hold; returns False where there is none, or it was lifted before."""
    row = session.get(HoldRow, hold_id, with_for_update=True)
    if row is None or row.lifted_at is not None:
        return False
    row.lifted_by, row.lifted_at = who, now
    audit.note(session, who, "hold.lifted", _target(row), at=now, hold=row.id)
    return True


def list_holds(session: Session, *, are_lifted_shown: bool = False) -> Sequence[HoldView]:
    """The holds in force, the newest first; with `are_lifted_shown` also the lifted ones."""
    query = select(HoldRow).order_by(HoldRow.id.desc())
    if not are_lifted_shown:
        query = query.where(HoldRow.lifted_at.is_(None))
    return [
        HoldView(
            id=row.id,
            alert_id=row.alert_id,
            case_id=row.case_id,
            reason=row.reason,
            put_by=row.put_by,
            put_at=row.put_at,
            lifted_by=row.lifted_by,
            lifted_at=row.lifted_at,
        )
        for row in session.scalars(query)
    ]


def _put(session: Session, row: HoldRow, target: str) -> int:
    session.add(row)
    session.flush()
    audit.note(session, row.put_by, "hold.put", target, at=row.put_at, hold=row.id, reason=row.reason)
    return row.id


def _target(row: HoldRow) -> str:
    return f"case:{row.case_id}" if row.alert_id is None else f"alert:{row.alert_id}"
