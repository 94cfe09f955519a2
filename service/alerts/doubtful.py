"""List doubtful findings: those that were never certain enough for an alert, to review when there is time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.alerts import AlertWish, may_see, with_dealer
from thirdcard.service.alerts.cursors import format_cursor, parse_cursor
from thirdcard.service.alerts.views import Page
from thirdcard.service.store.people import Person
from thirdcard.service.store.schema import DoubtfulRow, RoundRow

LIST = "doubtful"


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtfulView:
    """A doubtful finding."""

    id: int
    table_id: str
    dealer: str | None
    at: datetime
    round_id: int | None
    """The row of its round; None where the round was deleted."""
    body: Mapping[str, Any]
    """The contract's fields, as for an alert."""


def list_doubtful(
    session: Session, person: Person, wish: AlertWish, *, limit: int, cursor: str | None = None
) -> Page[DoubtfulView]:
    """The newest doubtful findings that match and that the person may see; states in the filter are ignored.

    Raises:
        CursorError: The cursor is not from this list.
    """
    below, wish = parse_cursor(LIST, cursor), with_dealer(session, wish)
    query = select(DoubtfulRow).where(*may_see(person, DoubtfulRow.table_id))
    if below is not None:
        query = query.where(DoubtfulRow.id < below)
    if wish.table is not None:
        query = query.where(DoubtfulRow.table_id == wish.table)
    if wish.code is not None:
        prefix = DoubtfulRow.code.startswith(f"{wish.code.removesuffix('.')}.", autoescape=True)
        query = query.where(or_(DoubtfulRow.code == wish.code, prefix))
    if wish.severities:
        query = query.where(DoubtfulRow.severity.in_(wish.severities))
    if wish.dealer is not None:
        query = query.where(DoubtfulRow.dealer == wish.dealer)
    if wish.from_at is not None:
        query = query.where(DoubtfulRow.at >= wish.from_at)
    if wish.to_at is not None:
        query = query.where(DoubtfulRow.at < wish.to_at)
    rows = session.scalars(query.order_by(DoubtfulRow.id.desc()).limit(limit + 1)).all()
    more = format_cursor(LIST, rows[limit - 1].id) if len(rows) > limit else None
    rounds = select(RoundRow.id, RoundRow.log_id, RoundRow.number).where(
        RoundRow.log_id.in_({row.log_id for row in rows[:limit]})
    )
    numbers = {(log_id, number): round_id for round_id, log_id, number in session.execute(rounds)}
    views = [
        DoubtfulView(
            id=row.id,
            table_id=row.table_id,
            dealer=row.dealer,
            at=row.at,
            round_id=numbers.get((row.log_id, row.round)),
            body=json.loads(row.body),
        )
        for row in rows[:limit]
    ]
    return Page(items=views, next=more)
