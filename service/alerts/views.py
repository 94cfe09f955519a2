"""Alerts, rounds, log lines and changes as plain values, read from the store.

They can be used after the database session has ended.
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
    """One page of a list, and the cursor of the next."""

    items: Sequence[Item]
    next: str | None


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """An evidence file of an alert; the fields are the columns of its row, in order."""

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
    """An alert as it was raised, and its state."""

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
    """The contract's fields."""
    evidence: Mapping[str, EvidenceView]
    """By kind of file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeView:
    """One change of an alert's state."""

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
    """The round record in the contract's format."""


def alert_views(session: Session, rows: Sequence[AlertRow]) -> list[AlertView]:
    """Alerts with their evidence, in the same order as the rows."""
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
"""Plain columns: a list of alerts has hundreds of these rows, and mapped objects would be slower than the database."""


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
