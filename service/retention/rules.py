"""How long the evidence of an alert is kept, and its deletion, which is recorded in the chains.

The strongest reason counts: a hold, a case, else the alert itself, which is routine if it was dismissed or is of low
severity. Rows are marked as deleted first; then the file is deleted, and only then its path is removed from the row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import groupby

from sqlalchemy import ColumnElement, and_, exists, func, not_, or_, select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.cases import OPEN as OPEN_CASE
from thirdcard.service.store import audit, chain
from thirdcard.service.store.alert_states import CLOSED, AlertState
from thirdcard.service.store.log_chains import alert_chain
from thirdcard.service.store.schema import AlertRow, CaseAlert, CaseRow, EvidenceRow, HoldRow

FOREVER = datetime.max.replace(tzinfo=UTC)
KEPT, DELETED = "kept", "deleted"
SYSTEM = "system"
PAGE = 500


class KeepingClass(StrEnum):
    """The reason for keeping evidence."""

    ROUTINE = "routine"
    ALERT = "alert"
    CASE = "case"
    HOLD = "hold"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepingRules:
    """The number of days that each class is kept; None for ever."""

    days: Mapping[KeepingClass, float | None]
    """Counted from the fault; for a case from its end, for a hold from its lifting."""
    routine_severities: frozenset[str] = frozenset()
    """Severities that are routine whatever was decided."""

    def end(self, kind: KeepingClass, since: datetime | None) -> datetime:
        """When the time of a class ends that began at `since`; None: it has not begun."""
        days = self.days[kind]
        return FOREVER if days is None or since is None else since + timedelta(days=days)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceKeeping:
    """Why an alert's evidence is kept, and until when."""

    alert_id: int
    kind: KeepingClass
    until: datetime
    """`FOREVER` where no end is known."""
    is_decided: bool
    """Whether somebody confirmed or dismissed the alert, or the watch withdrew it."""


@dataclass(frozen=True, slots=True)
class LeftFile:
    """A file whose row is marked as deleted."""

    evidence_id: int
    path: str
    """Below the evidence folder."""


def standings(
    session: Session, rules: KeepingRules, alert_ids: Sequence[int], *, now: datetime
) -> list[EvidenceKeeping]:
    """Why and until when the evidence of these alerts is kept, in order of time."""
    ends = _case_ends(session, rules, alert_ids), _hold_ends(session, rules, alert_ids)
    columns = (AlertRow.id, AlertRow.at, AlertRow.state, AlertRow.severity)
    query = select(*columns).where(AlertRow.id.in_(alert_ids)).order_by(AlertRow.at, AlertRow.id)
    found = []
    for number, at, state, severity in session.execute(query):
        is_routine = state in (AlertState.DISMISSED, AlertState.WITHDRAWN) or severity in rules.routine_severities
        own = KeepingClass.ROUTINE if is_routine else KeepingClass.ALERT
        until = {own: rules.end(own, at)}
        until |= {kind: of[number] for kind, of in zip(_STRONG, ends, strict=True) if number in of}
        kind = next((kind for kind in (KeepingClass.HOLD, KeepingClass.CASE) if until.get(kind, now) > now), own)
        found.append(
            EvidenceKeeping(
                alert_id=number,
                kind=kind,
                until=max(until.values()),
                is_decided=AlertState(state) in (*CLOSED, AlertState.WITHDRAWN),
            )
        )
    return found


def old_alerts(session: Session, before: datetime) -> Iterator[list[int]]:
    """Alerts with files from before that time that no hold and no open case protects: pages, oldest first."""
    at, number = datetime.min.replace(tzinfo=UTC), 0
    while True:
        later = or_(AlertRow.at > at, and_(AlertRow.at == at, AlertRow.id > number))
        query = select(AlertRow.at, AlertRow.id).where(AlertRow.at <= before, later, _has_files(), *_is_free())
        rows = session.execute(query.order_by(AlertRow.at, AlertRow.id).limit(PAGE)).all()
        if not rows:
            return
        yield [row.id for row in rows]
        at, number = rows[-1].at, rows[-1].id


def mark_deleted(
    session: Session, rules: KeepingRules, wanted: Sequence[EvidenceKeeping], why: str, *, now: datetime
) -> list[LeftFile]:
    """Mark the files of alerts as deleted, in their chains and in the audit; returns the files to delete.

    An alert that is kept for another reason by now, or for longer, is left alone.
    """
    numbers = [standing.alert_id for standing in wanted]
    cases = select(CaseAlert.case_id).where(CaseAlert.alert_id.in_(numbers))
    session.execute(select(CaseRow.id).where(CaseRow.id.in_(cases)).order_by(CaseRow.id).with_for_update())
    session.execute(select(AlertRow.id).where(AlertRow.id.in_(numbers)).order_by(AlertRow.id).with_for_update())
    still = {standing.alert_id: standing for standing in standings(session, rules, numbers, now=now)}
    going = [standing for standing in wanted if still.get(standing.alert_id) == standing]
    rows = _files_of(session, [standing.alert_id for standing in going])
    for table, of_table in groupby(rows, lambda pair: pair[0]):
        bodies = [{"alert": row.alert_id, "deleted": row.kind, "sha256": row.sha256, "why": why} for _, row in of_table]
        chain.append(session, alert_chain(table), bodies, at=now)
    for standing in going:
        mine = [row for _, row in rows if row.alert_id == standing.alert_id]
        details = {"kinds": [row.kind for row in mine], "bytes": sum(row.size_bytes or 0 for row in mine)}
        note = {**details, "class": str(standing.kind), "why": why}
        audit.note(session, SYSTEM, "evidence.deleted", f"alert:{standing.alert_id}", at=now, **note)
    for _, row in rows:
        row.state = DELETED
    return [LeftFile(row.id, row.path) for _, row in rows if row.path is not None]


def left_files(session: Session) -> list[LeftFile]:
    """Files that are marked and not deleted yet, after a crash or a disk error."""
    query = select(EvidenceRow.id, EvidenceRow.path).where(EvidenceRow.state == DELETED, EvidenceRow.path.is_not(None))
    return [LeftFile(number, path) for number, path in session.execute(query.limit(PAGE)) if path is not None]


def forget_path(session: Session, file: LeftFile) -> None:
    """Remove the path of a deleted file from its row."""
    session.get_one(EvidenceRow, file.evidence_id).path = None


def used_bytes(session: Session, alert_ids: Sequence[int] | None = None) -> int:
    """The bytes of the files of all alerts, or of some; those that wait to be deleted included."""
    query = select(func.coalesce(func.sum(EvidenceRow.size_bytes), 0)).where(EvidenceRow.path.is_not(None))
    return int(session.scalar(query if alert_ids is None else query.where(EvidenceRow.alert_id.in_(alert_ids))) or 0)


_STRONG = (KeepingClass.CASE, KeepingClass.HOLD)


def _case_ends(session: Session, rules: KeepingRules, alert_ids: Sequence[int]) -> dict[int, datetime]:
    query = select(CaseAlert.alert_id, CaseRow.state, CaseRow.closed_at).join(CaseRow, CaseRow.id == CaseAlert.case_id)
    return _latest(
        (number, rules.end(KeepingClass.CASE, None if state == OPEN_CASE else closed_at))
        for number, state, closed_at in session.execute(query.where(CaseAlert.alert_id.in_(alert_ids)))
    )


def _hold_ends(session: Session, rules: KeepingRules, alert_ids: Sequence[int]) -> dict[int, datetime]:
    own = select(HoldRow.alert_id, HoldRow.lifted_at).where(HoldRow.alert_id.in_(alert_ids))
    by_case = select(CaseAlert.alert_id, HoldRow.lifted_at).join(HoldRow, HoldRow.case_id == CaseAlert.case_id)
    found = [*session.execute(own), *session.execute(by_case.where(CaseAlert.alert_id.in_(alert_ids)))]
    return _latest((number, rules.end(KeepingClass.HOLD, lifted_at)) for number, lifted_at in found)


def _latest(ends: Iterator[tuple[int, datetime]]) -> dict[int, datetime]:
    found: dict[int, datetime] = {}
    for number, end in ends:
        found[number] = max(end, found.get(number, end))
    return found


def _has_files() -> ColumnElement[bool]:
    return exists().where(EvidenceRow.alert_id == AlertRow.id, EvidenceRow.state == KEPT)


def _is_free() -> tuple[ColumnElement[bool], ...]:
    """The SQL condition for no active hold and no open case, so that protected evidence is not examined each time."""
    in_case = CaseAlert.alert_id == AlertRow.id
    in_force = HoldRow.lifted_at.is_(None)
    return (
        not_(exists().where(HoldRow.alert_id == AlertRow.id, in_force)),
        not_(exists().where(in_case, HoldRow.case_id == CaseAlert.case_id, in_force)),
        not_(exists().where(in_case, CaseRow.id == CaseAlert.case_id, CaseRow.state == OPEN_CASE)),
    )


def _files_of(session: Session, alert_ids: Sequence[int]) -> list[tuple[str, EvidenceRow]]:
    query = (
        select(AlertRow.table_id, EvidenceRow)
        .join(EvidenceRow, EvidenceRow.alert_id == AlertRow.id)
        .where(AlertRow.id.in_(alert_ids), EvidenceRow.state == KEPT)
        .order_by(AlertRow.table_id, EvidenceRow.id)
    )
    return [(table, row) for table, row in session.execute(query)]
