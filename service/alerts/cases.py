"""Collect alerts into cases, with notes; every change is recorded in the audit chain.

A person limited to some tables sees the cases that they opened or that hold an alert of these tables, and in a case
only the alerts of these tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.cursors import format_cursor, parse_cursor
from thirdcard.service.alerts.views import AlertView, Page, alert_views
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store import audit
from thirdcard.service.store.people import Person
from thirdcard.service.store.schema import AlertRow, CaseAlert, CaseNote, CaseRow, HoldRow

LIST = "cases"
OPEN, CLOSED = "open", "closed"


class CaseError(ServiceError):
    """The case does not allow that change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseView:
    """A case in a list."""

    id: int
    title: str
    state: str
    opened_by: str
    opened_at: datetime
    closed_at: datetime | None
    alerts: int
    """The number of its alerts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteView:
    """A note on a case."""

    at: datetime
    who: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStory:
    """A case with its alerts and notes."""

    case: CaseView
    alerts: Sequence[AlertView]
    """In order of time."""
    notes: Sequence[NoteView]


def list_cases(
    session: Session, person: Person, *, limit: int, cursor: str | None = None, state: str | None = None
) -> Page[CaseView]:
    """The newest cases that the person may see.

    Raises:
        CursorError: The cursor is not from this list.
    """
    below = parse_cursor(LIST, cursor)
    query = select(CaseRow).where(*_seen(person))
    query = query if below is None else query.where(CaseRow.id < below)
    query = query if state is None else query.where(CaseRow.state == state)
    rows = session.scalars(query.order_by(CaseRow.id.desc()).limit(limit + 1)).all()
    counts = _counts(session, person, [row.id for row in rows])
    more = format_cursor(LIST, rows[limit - 1].id) if len(rows) > limit else None
    return Page(items=[_view(row, counts.get(row.id, 0)) for row in rows[:limit]], next=more)


def open_case(session: Session, person: Person, title: str, *, now: datetime) -> int:
    """Open a case; returns its number."""
    row = CaseRow(title=title, state=OPEN, opened_by=person.name, opened_at=now, closed_at=None)
    session.add(row)
    session.flush()
    audit.note(session, person.name, "case.opened", f"case:{row.id}", at=now, title=title)
    return row.id


def tell_case(session: Session, person: Person, case_id: int) -> CaseStory | None:
    """A case with its alerts and notes; None where there is none, or the person may not see it."""
    row = session.get(CaseRow, case_id)
    if row is None or not may_see_case(session, person, case_id):
        return None
    query = (
        select(AlertRow)
        .join(CaseAlert, CaseAlert.alert_id == AlertRow.id)
        .where(CaseAlert.case_id == case_id)
        .order_by(AlertRow.at, AlertRow.id)
    )
    alerts = [alert for alert in session.scalars(query) if person.may_see(alert.table_id)]
    notes = session.scalars(select(CaseNote).where(CaseNote.case_id == case_id).order_by(CaseNote.id))
    return CaseStory(
        case=_view(row, len(alerts)),
        alerts=alert_views(session, alerts),
        notes=[NoteView(at=note.at, who=note.who, text=note.text) for note in notes],
    )


def may_see_case(session: Session, person: Person, case_id: int) -> bool:
    """Whether the case exists and the person may see it."""
    return session.scalar(select(CaseRow.id).where(CaseRow.id == case_id, *_seen(person))) is not None


def cases_of(session: Session, person: Person, alert_id: int) -> list[CaseView]:
    """The cases that contain the alert and that the person may see."""
    query = select(CaseRow).join(CaseAlert, CaseAlert.case_id == CaseRow.id).where(CaseAlert.alert_id == alert_id)
    query = query.where(*_seen(person))
    return [_view(row, 0) for row in session.scalars(query.order_by(CaseRow.id))]


def put_alert(session: Session, person: Person, case_id: int, alert_id: int, *, now: datetime) -> bool:
    """Put an alert into a case; returns False where there is no such case or alert.

    Raises:
        CaseError: The case is closed.
    """
    case, alert = _open(session, person, case_id), session.get(AlertRow, alert_id)
    if case is None or alert is None or not person.may_see(alert.table_id):
        return False
    if session.get(CaseAlert, (case_id, alert_id)) is None:
        session.add(CaseAlert(case_id=case_id, alert_id=alert_id, added_by=person.name, added_at=now))
        audit.note(session, person.name, "case.alert_added", f"case:{case_id}", at=now, alert=alert_id)
    return True


def take_alert_out(session: Session, person: Person, case_id: int, alert_id: int, *, now: datetime) -> bool:
    """Remove an alert from a case; returns False where it is not in it.

    Raises:
        CaseError: The case is closed, or a hold on the case protects its alerts.
    """
    case, alert = _open(session, person, case_id), session.get(AlertRow, alert_id)
    link = session.get(CaseAlert, (case_id, alert_id))
    if case is None or alert is None or link is None or not person.may_see(alert.table_id):
        return False
    hold = session.scalar(select(HoldRow).where(HoldRow.case_id == case_id, HoldRow.lifted_at.is_(None)).limit(1))
    if hold is not None:
        raise CaseError(f"case {case_id} is held by {hold.put_by}: {hold.reason}; lift the hold first")
    session.delete(link)
    audit.note(session, person.name, "case.alert_removed", f"case:{case_id}", at=now, alert=alert_id)
    return True


def add_note(session: Session, person: Person, case_id: int, text: str, *, now: datetime) -> bool:
    """Add a note to a case; returns False where there is no such case.

    Raises:
        CaseError: The case is closed.
    """
    if _open(session, person, case_id) is None:
        return False
    session.add(CaseNote(case_id=case_id, at=now, who=person.name, text=text))
    audit.note(session, person.name, "case.noted", f"case:{case_id}", at=now, text=text)
    return True


def set_case_state(session: Session, person: Person, case_id: int, state: str, *, now: datetime) -> bool:
    """Close or reopen a case; returns False where there is no such case."""
    row = session.get(CaseRow, case_id, with_for_update=True)
    if row is None or not may_see_case(session, person, case_id):
        return False
    if row.state != state:
        row.state, row.closed_at = state, now if state == CLOSED else None
        audit.note(session, person.name, f"case.{state}", f"case:{case_id}", at=now)
    return True


def _open(session: Session, person: Person, case_id: int) -> CaseRow | None:
    row = session.get(CaseRow, case_id, with_for_update=True)
    if row is not None and not may_see_case(session, person, case_id):
        return None
    if row is not None and row.state != OPEN:
        raise CaseError(f"case {case_id} is closed; open it again to change it")
    return row


def _seen(person: Person) -> list[ColumnElement[bool]]:
    """The SQL condition for the cases that the person may see."""
    if person.tables is None:
        return []
    of_tables = select(CaseAlert.case_id).join(AlertRow, AlertRow.id == CaseAlert.alert_id)
    held = of_tables.where(CaseAlert.case_id == CaseRow.id, AlertRow.table_id.in_(person.tables)).exists()
    return [or_(CaseRow.opened_by == person.name, held)]


def _counts(session: Session, person: Person, numbers: Sequence[int]) -> dict[int, int]:
    query = select(CaseAlert.case_id, func.count()).where(CaseAlert.case_id.in_(numbers)).group_by(CaseAlert.case_id)
    if person.tables is not None:
        query = query.join(AlertRow, AlertRow.id == CaseAlert.alert_id).where(AlertRow.table_id.in_(person.tables))
    return dict(session.execute(query).all())


def _view(row: CaseRow, alerts: int) -> CaseView:
    return CaseView(
        id=row.id,
        title=row.title,
        state=row.state,
        opened_by=row.opened_by,
        opened_at=row.opened_at,
        closed_at=row.closed_at,
        alerts=alerts,
    )
