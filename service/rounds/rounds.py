"""Read one round with its corrected lines, alerts and neighbours; list corrections."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.alerts import may_see
from thirdcard.service.alerts.cursors import format_cursor, parse_cursor
from thirdcard.service.alerts.views import AlertView, Page, RoundView, alert_views, round_view
from thirdcard.service.rounds.corrections import CorrectedLine, lines_of_round
from thirdcard.service.rounds.log_reading import RoundReading, read_round
from thirdcard.service.rounds.phases import TimelinePhase, phases_of
from thirdcard.service.rounds.search.index import has_fallen
from thirdcard.service.store.people import Person
from thirdcard.service.store.round_schema import CorrectionRow
from thirdcard.service.store.schema import AlertRow, LogRow, RoundRow

CORRECTIONS = "corrections"
"""The list that a cursor belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionView:
    """A correction for display."""

    id: int
    table_id: str
    round_id: int
    at: datetime
    who: str
    why: str
    body: Mapping[str, Any]
    effects: Mapping[str, Any]
    taken_back_by: str | None
    taken_back_at: datetime | None
    taken_back_why: str | None
    picture_state: str
    picture_note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedRound:
    """A round with everything that its page shows."""

    round: RoundView
    number: int
    origin: str
    rulebook: str | None
    log_began_at: datetime
    lines: Sequence[CorrectedLine]
    reading: RoundReading
    phases: Sequence[TimelinePhase]
    alerts: Sequence[AlertView]
    fallen: frozenset[int]
    """The alerts that a correction refuted."""
    corrections: Sequence[CorrectionView]
    previous: int | None
    following: int | None


def open_round(session: Session, person: Person, round_id: int) -> OpenedRound | None:
    """A round; None where there is none, or the person may not see it."""
    row = session.get(RoundRow, round_id)
    if row is None or not person.may_see(row.table_id):
        return None
    log, view, lines = session.get_one(LogRow, row.log_id), round_view(row), lines_of_round(session, row)
    rules = json.loads(log.rules)
    alerts = session.scalars(_alerts(row)).all()
    judged = [line.body for line in lines if not line.is_removed]
    return OpenedRound(
        round=view,
        number=row.number,
        origin=log.origin,
        rulebook=rules.get("rulebook"),
        log_began_at=log.began_at,
        lines=lines,
        reading=read_round(view.body, lines, rules),
        phases=phases_of(judged, view.body["opened"], view.body["closed"]),
        alerts=alert_views(session, alerts),
        fallen=frozenset(alert.id for alert in alerts if has_fallen(session, alert)),
        corrections=corrections_of(session, row.id),
        previous=session.scalar(_beside(row, -1)),
        following=session.scalar(_beside(row, 1)),
    )


def corrections_of(session: Session, round_id: int) -> list[CorrectionView]:
    """All corrections of a round in order, including those that were taken back."""
    wanted = select(CorrectionRow).where(CorrectionRow.round_id == round_id).order_by(CorrectionRow.id)
    return [correction_view(row) for row in session.scalars(wanted)]


def correction_view(row: CorrectionRow) -> CorrectionView:
    """A row as a plain value."""
    return CorrectionView(
        id=row.id,
        table_id=row.table_id,
        round_id=row.round_id,
        at=row.at,
        who=row.who,
        why=row.why,
        body=json.loads(row.body),
        effects=json.loads(row.effects),
        taken_back_by=row.taken_back_by,
        taken_back_at=row.taken_back_at,
        taken_back_why=row.taken_back_why,
        picture_state=row.picture_state,
        picture_note=row.picture_note,
    )


def _alerts(row: RoundRow) -> Select[Any]:
    wanted = select(AlertRow).where(AlertRow.log_id == row.log_id, AlertRow.round == row.number)
    return wanted.order_by(AlertRow.at, AlertRow.id)


def _beside(row: RoundRow, step: int) -> Select[Any]:
    wanted = select(RoundRow.id).where(RoundRow.log_id == row.log_id)
    if step < 0:
        return wanted.where(RoundRow.number < row.number).order_by(RoundRow.number.desc()).limit(1)
    return wanted.where(RoundRow.number > row.number).order_by(RoundRow.number).limit(1)


def list_corrections(
    session: Session, person: Person, *, limit: int, cursor: str | None = None
) -> Page[CorrectionView]:
    """The newest corrections that the person may see.

    Raises:
        CursorError: The cursor is not from this list.
    """
    below = parse_cursor(CORRECTIONS, cursor)
    query = select(CorrectionRow).where(*may_see(person, CorrectionRow.table_id))
    query = query if below is None else query.where(CorrectionRow.id < below)
    rows = session.scalars(query.order_by(CorrectionRow.id.desc()).limit(limit + 1)).all()
    more = format_cursor(CORRECTIONS, rows[limit - 1].id) if len(rows) > limit else None
    return Page(items=[correction_view(row) for row in rows[:limit]], next=more)
