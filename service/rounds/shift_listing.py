"""List shifts (logs of tables, live or reviewed), newest first, with the counts of what each holds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.alerts import may_see
from thirdcard.service.alerts.cursors import CursorError, format_cursor, parse_cursor
from thirdcard.service.alerts.views import Page
from thirdcard.service.store.people import Person
from thirdcard.service.store.schema import AlertRow, LogRow, RoundRow
from thirdcard.service.store.shift_schema import FootageRow, LogNoteRow

LIST = "shifts"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftWish:
    """The filter of the list; None means no restriction."""

    table: str | None = None
    origin: str | None = None
    from_at: datetime | None = None
    to_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftView:
    """A shift."""

    id: int
    table_id: str
    origin: str
    rulebook: str | None
    is_counted: bool
    began_at: datetime
    ended_at: datetime
    """The end of the shift as far as known."""
    rounds: int
    alerts: Mapping[str, int] = field(default_factory=dict)
    """The number of alerts by severity, where there are any."""
    notes: Mapping[str, int] = field(default_factory=dict)
    """The number of notes by kind."""


def list_shifts(
    session: Session, person: Person, wish: ShiftWish, *, limit: int, cursor: str | None = None
) -> Page[ShiftView]:
    """The shifts that match and that the person may see, latest start first.

    Raises:
        CursorError: The cursor is not from this list.
    """
    query = select(LogRow).where(*may_see(person, LogRow.table_id))
    query = query if wish.table is None else query.where(LogRow.table_id == wish.table)
    query = query if wish.origin is None else query.where(LogRow.origin == wish.origin)
    query = query if wish.from_at is None else query.where(LogRow.began_at >= wish.from_at)
    query = query if wish.to_at is None else query.where(LogRow.began_at < wish.to_at)
    number = parse_cursor(LIST, cursor)
    if number is not None:
        last = session.get(LogRow, number)
        if last is None:
            raise CursorError("cursor is none that this list gave; leave it out to begin with the newest")
        is_older = and_(LogRow.began_at == last.began_at, LogRow.id < last.id)
        query = query.where(or_(LogRow.began_at < last.began_at, is_older))
    rows = session.scalars(query.order_by(LogRow.began_at.desc(), LogRow.id.desc()).limit(limit + 1)).all()
    more = format_cursor(LIST, rows[limit - 1].id) if len(rows) > limit else None
    return Page(items=shift_views(session, rows[:limit]), next=more)


def find_shift(session: Session, person: Person, log_id: int) -> ShiftView | None:
    """One shift; None where there is none or the person may not see it."""
    row = session.get(LogRow, log_id)
    if row is None or not person.may_see(row.table_id):
        return None
    return shift_views(session, [row])[0]


def shift_views(session: Session, rows: Sequence[LogRow]) -> list[ShiftView]:
    """The views of rows with their counts, in the same order."""
    numbers = [row.id for row in rows]
    rounds = select(RoundRow.log_id, func.count(), func.max(RoundRow.closed_at)).where(RoundRow.log_id.in_(numbers))
    counts = {log: (count, last) for log, count, last in session.execute(rounds.group_by(RoundRow.log_id))}
    footage = select(FootageRow.log_id, func.max(FootageRow.to_at)).where(FootageRow.log_id.in_(numbers))
    filmed = dict(session.execute(footage.group_by(FootageRow.log_id)).all())
    alerts = select(AlertRow.log_id, AlertRow.severity, func.count()).where(AlertRow.log_id.in_(numbers))
    notes = select(LogNoteRow.log_id, LogNoteRow.kind, func.count()).where(LogNoteRow.log_id.in_(numbers))
    by_severity: dict[int, dict[str, int]] = {}
    by_kind: dict[int, dict[str, int]] = {}
    for log, severity, count in session.execute(alerts.group_by(AlertRow.log_id, AlertRow.severity)):
        by_severity.setdefault(log, {})[severity] = count
    for log, kind, count in session.execute(notes.group_by(LogNoteRow.log_id, LogNoteRow.kind)):
        by_kind.setdefault(log, {})[kind] = count
    views = []
    for row in rows:
        count, last = counts.get(row.id, (0, row.began_at))
        ended = max(last, filmed.get(row.id, last), row.began_at)
        views.append(
            ShiftView(
                id=row.id,
                table_id=row.table_id,
                origin=row.origin,
                rulebook=json.loads(row.rules).get("rulebook"),
                is_counted=row.is_counted,
                began_at=row.began_at,
                ended_at=ended,
                rounds=count,
                alerts=by_severity.get(row.id, {}),
                notes=by_kind.get(row.id, {}),
            )
        )
    return views
