"""What is read of the store together: alerts, rounds, log lines and changes as plain values.

Whoever holds one may show it after the database session has ended.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.store.schema import AlertChange, AlertRow, ChainLine, EvidenceRow, LogRow, RoundRow

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[Item]):
    """A part of a list, and where it goes on."""

    items: Sequence[Item]
    next: str | None


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """A file that shows an alert; the columns of its row in their order."""

    kind: str
    state: str
    from_at: datetime
    to_at: datetime
    path: str | None
    size_bytes: int | None
    sha256: str | None
    fault: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertView:
    """An alert as it was raised and how it stands."""

    id: int
    table_id: str
    log_id: int
    round: int
    state: str
    owner: str | None
    dealer: str | None
    repeats: int
    at: datetime
    raised_at: datetime
    log_began_at: datetime
    body: Mapping[str, Any]
    """As CONTRACT has it."""
    evidence: Mapping[str, EvidenceView]
    """By kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeView:
    """One step in an alert's life."""

    id: int
    alert_id: int
    at: datetime
    who: str
    before: str
    after: str
    reason: str | None
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LineView:
    """One line of a table's log."""

    line: int
    at: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundView:
    """A closed round."""

    id: int
    table_id: str
    log_id: int
    dealer: str | None
    opened_at: datetime
    closed_at: datetime
    first_line: int
    last_line: int
    body: Mapping[str, Any]
    """The round record as CONTRACT has it."""


def alert_views(session: Session, rows: Sequence[AlertRow]) -> list[AlertView]:
    """Alerts with what is known of their evidence, in the same order."""
    numbers = [row.id for row in rows]
    found: dict[int, dict[str, EvidenceView]] = {number: {} for number in numbers}
    pieces = select(EvidenceRow.alert_id, *_EVIDENCE).where(EvidenceRow.alert_id.in_(numbers)).order_by(EvidenceRow.id)
    for number, *values in session.execute(pieces):
        piece = EvidenceView(*values)
        found[number][piece.kind] = piece
    wanted = select(LogRow.id, LogRow.began_at).where(LogRow.id.in_({row.log_id for row in rows}))
    began = dict(session.execute(wanted).all())
    return [_alert_view(row, found[row.id], began[row.log_id]) for row in rows]


def change_view(row: AlertChange) -> ChangeView:
    """A row as a plain value."""
    return ChangeView(
        id=row.id,
        alert_id=row.alert_id,
        at=row.at,
        who=row.who,
        before=row.before,
        after=row.after,
        reason=row.reason,
        note=row.note,
    )


def round_view(row: RoundRow) -> RoundView:
    """A row as a plain value."""
    return RoundView(
        id=row.id,
        table_id=row.table_id,
        log_id=row.log_id,
        dealer=row.dealer,
        opened_at=row.opened_at,
        closed_at=row.closed_at,
        first_line=row.first_line,
        last_line=row.last_line,
        body=json.loads(row.body),
    )


def line_views(lines: Iterable[ChainLine]) -> list[LineView]:
    """Log lines as plain values."""
    views = []
    for line in lines:
        body = json.loads(line.body)
        views.append(LineView(line=line.seq, at=str(body.pop("at", "")), body=body))
    return views


_EVIDENCE = tuple(getattr(EvidenceRow, name) for name in EvidenceView.__dataclass_fields__)
"""Plain columns: a list of alerts has hundreds of these rows, and the mapper would take longer than the database."""


def _alert_view(row: AlertRow, evidence: Mapping[str, EvidenceView], began_at: datetime) -> AlertView:
    return AlertView(
        id=row.id,
        table_id=row.table_id,
        log_id=row.log_id,
        round=row.round,
        state=row.state,
        owner=row.owner,
        dealer=row.dealer,
        repeats=row.repeats,
        at=row.at,
        raised_at=row.noticed_at,
        log_began_at=began_at,
        body=json.loads(row.body),
        evidence=evidence,
    )
