"""Put and lift holds, for a person who may see what they protect."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from thirdcard.service.alerts.cases import may_see_case
from thirdcard.service.store.holds import HoldView, hold_alert, hold_case, lift_hold, list_holds
from thirdcard.service.store.people import Person
from thirdcard.service.store.schema import AlertRow, HoldRow


def put_hold(
    session: Session, person: Person, reason: str, *, alert: int | None, case: int | None, now: datetime
) -> int | None:
    """Hold the evidence of an alert or a case; returns the hold's number.

    None where there is no such alert or case, or the person may not see it.
    """
    if alert is not None:
        return hold_alert(session, person.name, alert, reason, now=now) if _may_see(session, person, alert) else None
    if case is None or not may_see_case(session, person, case):
        return None
    return hold_case(session, person.name, case, reason, now=now)


def end_hold(session: Session, person: Person, hold_id: int, *, now: datetime) -> bool:
    """Lift a hold; returns False where there is no active one that the person may see."""
    row = session.get(HoldRow, hold_id)
    if row is None or not _may_see_held(session, person, row.alert_id, row.case_id):
        return False
    return lift_hold(session, person.name, hold_id, now=now)


def seen_holds(session: Session, person: Person, *, are_lifted_shown: bool = False) -> Sequence[HoldView]:
    """The holds that the person may see, newest first."""
    found = list_holds(session, are_lifted_shown=are_lifted_shown)
    return [hold for hold in found if _may_see_held(session, person, hold.alert_id, hold.case_id)]


def holds_of(session: Session, *, alert: int | None = None, case: int | None = None) -> Sequence[HoldView]:
    """The active holds on exactly that alert or case."""
    return [hold for hold in list_holds(session) if (hold.alert_id, hold.case_id) == (alert, case)]


def _may_see_held(session: Session, person: Person, alert_id: int | None, case_id: int | None) -> bool:
    if alert_id is not None:
        return _may_see(session, person, alert_id)
    return case_id is not None and may_see_case(session, person, case_id)


def _may_see(session: Session, person: Person, alert_id: int) -> bool:
    row = session.get(AlertRow, alert_id)
    return row is not None and person.may_see(row.table_id)
