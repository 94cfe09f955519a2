"""The disk use of evidence by the reason for keeping it, and what is deleted next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, case, distinct, exists, func, or_, select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.cases import OPEN as OPEN_CASE
from thirdcard.service.retention.rules import KEPT, EvidenceKeeping, KeepingClass, KeepingRules, standings
from thirdcard.service.store.alert_states import AlertState
from thirdcard.service.store.schema import AlertRow, CaseAlert, CaseRow, EvidenceRow, HoldRow


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassUse:
    """The disk use of one class of evidence."""

    kind: KeepingClass
    days: float | None
    """None: for ever."""
    alerts: int
    size_bytes: int


def use_by_class(session: Session, rules: KeepingRules) -> list[ClassUse]:
    """For each class the number of alerts with files, and the bytes.

    An alert counts for its strongest reason: an active hold, then a case that it is in, then itself.
    """
    kind = case(
        (_is_held(), str(KeepingClass.HOLD)),
        (exists().where(CaseAlert.alert_id == AlertRow.id), str(KeepingClass.CASE)),
        (_is_routine(rules), str(KeepingClass.ROUTINE)),
        else_=str(KeepingClass.ALERT),
    )
    query = (
        select(kind, func.count(distinct(AlertRow.id)), func.coalesce(func.sum(EvidenceRow.size_bytes), 0))
        .join(EvidenceRow, EvidenceRow.alert_id == AlertRow.id)
        .where(EvidenceRow.state == KEPT)
        .group_by(kind)
    )
    found = {name: (alerts, size) for name, alerts, size in session.execute(query)}
    return [
        ClassUse(kind=known, days=rules.days[known], alerts=alerts, size_bytes=int(size))
        for known in KeepingClass
        for alerts, size in [found.get(str(known), (0, 0))]
    ]


def next_to_go(session: Session, rules: KeepingRules, *, now: datetime, most: int) -> Sequence[EvidenceKeeping]:
    """The evidence whose time ends first under the present rules, the soonest first."""
    has_files = exists().where(EvidenceRow.alert_id == AlertRow.id, EvidenceRow.state == KEPT)
    numbers: list[int] = []
    for is_routine in (_is_routine(rules), ~_is_routine(rules)):
        query = select(AlertRow.id).where(has_files, is_routine, ~_is_held(), ~_is_in_open_case())
        numbers += session.scalars(query.order_by(AlertRow.at, AlertRow.id).limit(most)).all()
    found = standings(session, rules, numbers, now=now)
    return sorted(found, key=lambda standing: standing.until)[:most]


def _is_routine(rules: KeepingRules) -> ColumnElement[bool]:
    return or_(
        AlertRow.state.in_((AlertState.DISMISSED, AlertState.WITHDRAWN)),
        AlertRow.severity.in_(rules.routine_severities),
    )


def _is_held() -> ColumnElement[bool]:
    in_case = (CaseAlert.alert_id == AlertRow.id, HoldRow.case_id == CaseAlert.case_id)
    in_force = HoldRow.lifted_at.is_(None)
    return or_(exists().where(HoldRow.alert_id == AlertRow.id, in_force), exists().where(*in_case, in_force))


def _is_in_open_case() -> ColumnElement[bool]:
    return exists().where(
        CaseAlert.alert_id == AlertRow.id, CaseRow.id == CaseAlert.case_id, CaseRow.state == OPEN_CASE
    )
