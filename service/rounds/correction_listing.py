"""List corrections, newest first."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.alerts import may_see
from thirdcard.service.alerts.cursors import format_cursor, parse_cursor
from thirdcard.service.alerts.views import Page
from thirdcard.service.rounds.rounds import CorrectionView, correction_view
from thirdcard.service.store.people import Person
from thirdcard.service.store.round_schema import CorrectionRow

LIST = "corrections"


def list_corrections(
    session: Session, person: Person, *, limit: int, cursor: str | None = None
) -> Page[CorrectionView]:
    """The newest corrections that the person may see.

    Raises:
        CursorError: The cursor is none of this list's.
    """
    below = parse_cursor(LIST, cursor)
    query = select(CorrectionRow).where(*may_see(person, CorrectionRow.table_id))
    query = query if below is None else query.where(CorrectionRow.id < below)
    rows = session.scalars(query.order_by(CorrectionRow.id.desc()).limit(limit + 1)).all()
    more = format_cursor(LIST, rows[limit - 1].id) if len(rows) > limit else None
    return Page(items=[correction_view(row) for row in rows[:limit]], next=more)
