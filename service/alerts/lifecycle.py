"""An alert's states: which change is allowed, who made it and why.

open -> acknowledged -> escalated -> confirmed or dismissed; steps may be skipped. A closed alert stays closed. An alert
that nobody has taken may be withdrawn by the watch when later evidence refutes it; people may still decide it. Whoever
escalated an alert may not close it, and operators do not decide an alert that a supervisor has taken. Each change is
recorded with person and time, in the alert's history and in the audit chain together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.reasons import reason_and_note
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store import audit
from thirdcard.service.store.alert_states import CLOSED, AlertState
from thirdcard.service.store.order import take_turn
from thirdcard.service.store.people import Person, Role, role_of
from thirdcard.service.store.schema import AlertChange, AlertRow

NEXT: Mapping[AlertState, frozenset[AlertState]] = {
    AlertState.OPEN: frozenset(set(AlertState) - {AlertState.OPEN, AlertState.WITHDRAWN}),
    AlertState.ACKNOWLEDGED: frozenset({AlertState.ESCALATED, *CLOSED}),
    AlertState.ESCALATED: CLOSED,
    AlertState.CONFIRMED: frozenset(),
    AlertState.DISMISSED: frozenset(),
    AlertState.WITHDRAWN: frozenset({AlertState.ESCALATED, *CLOSED}),
}


class IllegalMoveError(ServiceError):
    """The alert's present state does not allow that change."""

    field = "state"


class ReasonMissingError(ServiceError):
    """An alert cannot be dismissed without a reason."""

    field = "reason"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A person's decision on an alert."""

    state: AlertState
    reason: str | None = None
    """For a dismissal: a reason from the list, or free words."""
    note: str | None = None
    among: int | None = None
    """The number of alerts selected in the same act; None for a single alert."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepped:
    """The result of changing several alerts."""

    done: Sequence[int]
    left: Mapping[int, str]
    """By alert: why it was not changed."""


def take_step(session: Session, person: Person, alert_id: int, step: Step, *, now: datetime) -> AlertRow | None:
    """Carry out a decision; None where there is no such alert, or the person may not see it.

    Raises:
        IllegalMoveError: It was closed meanwhile, or somebody else has taken it.
        ReasonMissingError: A dismissal has no reason.
    """
    if step.state is AlertState.DISMISSED and step.reason is None:
        raise ReasonMissingError("reason is missing; an alert is dismissed for one of the listed reasons")
    take_turn(session)
    row = session.scalar(select(AlertRow).where(AlertRow.id == alert_id).with_for_update())
    if row is None or not person.may_see(row.table_id):
        return None
    rank = _rank_of(session, row.owner, person)
    verify_step(AlertState(row.state), row.owner, person, step.state, owner_role=rank)
    _note(session, row, person, step, now)
    return row


def take_steps(session: Session, person: Person, alert_ids: Iterable[int], step: Step, *, now: datetime) -> Stepped:
    """Carry out the same decision on several alerts; each is recorded in its own history and in the audit.

    Alerts that cannot change so, do not exist or are at a table that the person may not see are skipped.

    Raises:
        ReasonMissingError: A dismissal has no reason.
    """
    done: list[int] = []
    left: dict[int, str] = {}
    chosen = list(dict.fromkeys(alert_ids))
    for number in chosen:
        try:
            row = take_step(session, person, number, replace(step, among=len(chosen)), now=now)
        except IllegalMoveError as error:
            left[number] = str(error)
            continue
        if row is None:
            left[number] = "there is no such alert at your tables"
        else:
            done.append(number)
    return Stepped(done=done, left=left)


def steps_of(session: Session, person: Person, state: AlertState, owner: str | None) -> frozenset[AlertState]:
    """The states to which the person may move an alert in this state."""
    if not person.role.includes(Role.OPERATOR):
        return frozenset()
    rank = _rank_of(session, owner, person)
    return frozenset(after for after in AlertState if _may_step(state, owner, person, after, rank))


def _may_step(before: AlertState, owner: str | None, person: Person, after: AlertState, rank: Role | None) -> bool:
    try:
        verify_step(before, owner, person, after, owner_role=rank)
    except IllegalMoveError:
        return False
    return True


def _rank_of(session: Session, owner: str | None, person: Person) -> Role | None:
    return None if owner is None or owner == person.name else role_of(session, owner)


def verify_step(
    before: AlertState, owner: str | None, person: Person, after: AlertState, *, owner_role: Role | None = None
) -> None:
    """Raise IllegalMoveError where the person may not move an alert from one state to another.

    Args:
        before: Its present state.
        owner: Who moved it there.
        person: Who decides.
        after: The new state.
        owner_role: The owner's role; None where unknown, or where the owner is the person.
    """
    if before is AlertState.ESCALATED and after in CLOSED and owner == person.name:
        raise IllegalMoveError("you escalated the alert; somebody else closes it")
    is_senior = owner_role is not None and owner_role.includes(Role.SUPERVISOR)
    if before is AlertState.ACKNOWLEDGED and is_senior and not person.role.includes(Role.SUPERVISOR):
        raise IllegalMoveError(f"{owner} has taken the alert; a supervisor's alert is decided by supervisors")
    if after in NEXT[before] or _takes_over(before, owner, person, after):
        return
    if before in CLOSED:
        raise IllegalMoveError(f"the alert is {before} already" + (f", by {owner}" if owner else ""))
    if before is after:
        raise IllegalMoveError(f"the alert is {before} already, by {owner}")
    raise IllegalMoveError(f"the alert is {before}; from there it cannot become {after}")


def _takes_over(before: AlertState, owner: str | None, person: Person, after: AlertState) -> bool:
    """Whether a supervisor takes over an alert that somebody else has taken."""
    is_taking = before is after is AlertState.ACKNOWLEDGED
    return is_taking and owner != person.name and person.role.includes(Role.SUPERVISOR)


def _note(session: Session, row: AlertRow, person: Person, step: Step, now: datetime) -> None:
    reason, note = reason_and_note(step.reason, step.note)
    change = AlertChange(
        alert_id=row.id, at=now, who=person.name, before=row.state, after=str(step.state), reason=reason, note=note
    )
    row.state, row.owner = str(step.state), person.name
    session.add(change)
    details = {"before": change.before, "reason": reason, "note": note, "among": step.among}
    said = {name: value for name, value in details.items() if value is not None}
    audit.note(session, person.name, f"alert.{step.state}", f"alert:{row.id}", at=now, **said)
    session.flush()
