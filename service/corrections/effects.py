"""Update rounds, alerts and the search index from one judgement of a log to another."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.reasons import CORRECTED
from thirdcard.service.corrections.judging import Verdicts, alert_bodies, fault_key, record_body
from thirdcard.service.rounds.corrections import VERDICT, holding
from thirdcard.service.rounds.search.index import DISMISSED, TAKEN_BACK, UNRAISED, enter_round, has_fallen
from thirdcard.service.rounds.who_dealt import follow_log
from thirdcard.service.store import chain
from thirdcard.service.store.alert_states import AlertState
from thirdcard.service.store.alert_writer import RaisedAlert, write_alert
from thirdcard.service.store.schema import AlertChange, AlertRow, LogRow, RoundRow

CONFIRMED = "confirmed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why something changes."""

    correction_id: int
    who: str
    why: str
    at: datetime
    is_taken_back: bool = False

    @property
    def note(self) -> str:
        """The text in an alert's history."""
        return f"Correction {self.correction_id}{' was taken back' if self.is_taken_back else ''}: {self.why}"


@dataclass(slots=True, kw_only=True)
class Effects:
    """The effects of a correction."""

    rounds: list[Mapping[str, Any]] = field(default_factory=list)
    """Each with its number in the store, and its record before and after."""
    fell: list[int] = field(default_factory=list)
    """Alerts that no longer hold."""
    raised: list[int] = field(default_factory=list)
    stands_again: list[int] = field(default_factory=list)
    touched: set[int] = field(default_factory=set)
    """Numbers, within their log, of the rounds that are affected."""

    def as_mapping(self) -> dict[str, Any]:
        """The effects as stored."""
        return {"rounds": self.rounds, "fell": self.fell, "raised": self.raised, "stands_again": self.stands_again}


def follow(session: Session, log_id: int, before: Verdicts, after: Verdicts, cause: Cause) -> Effects:
    """Change the store from the first judgement to the second, where they differ."""
    found, dealt = Effects(), list[int]()
    log = session.get_one(LogRow, log_id)
    for number, record in after.rounds.items():
        was, now = record_body(before.rounds[number]), record_body(record)
        dealers = before.dealers[number], after.dealers[number]
        if was != now or dealers[0] != dealers[1]:
            _change_round(session, log_id, number, now, found)
        if dealers[0] != dealers[1]:
            dealt.append(number)
    follow_log(session, log, dealt, now=cause.at)
    old, new = alert_bodies(before), alert_bodies(after)
    for key in sorted(old.keys() - new.keys()):
        for row in _alerts_saying(session, log_id, old[key]):
            if not has_fallen(session, row):
                _step(session, row, DISMISSED, cause, reason=_reason_to_fall(row, cause))
                found.fell.append(row.id)
        found.touched.add(old[key]["round"])
    for key in sorted(new.keys() - old.keys(), key=lambda key: (new[key]["t"], key)):
        _stand(session, log, new[key], cause, found)
        found.touched.add(new[key]["round"])
    return found


def rule(session: Session, found: Effects, change: Mapping[str, Any], cause: Cause) -> Effects:
    """Apply a person's verdict on an alert, or its withdrawal, which restores the alert's former state."""
    row = session.get_one(AlertRow, change["alert"])
    found.touched.add(row.round)
    if cause.is_taken_back:
        _restore(session, row, cause)
        found.stands_again.append(row.id)
    else:
        _step(session, row, CONFIRMED if change["stands"] else DISMISSED, cause)
        (found.stands_again if change["stands"] else found.fell).append(row.id)
    return found


def enter_rounds(session: Session, corrected: RoundRow, found: Effects) -> None:
    """Update the search index of the affected rounds."""
    session.flush()
    numbers = {*found.touched, corrected.number}
    wanted = select(RoundRow).where(RoundRow.log_id == corrected.log_id, RoundRow.number.in_(numbers))
    for row in session.scalars(wanted):
        enter_round(session, row)


def _change_round(session: Session, log_id: int, number: int, body: dict[str, Any], found: Effects) -> None:
    row = session.scalar(select(RoundRow).where(RoundRow.log_id == log_id, RoundRow.number == number))
    if row is None:
        return
    was = json.loads(row.body)
    log = session.get_one(LogRow, log_id)
    row.body = chain.canonical(body)
    row.opened_at = log.began_at + timedelta(seconds=body["opened"])
    found.rounds.append({"round": row.id, "number": number, "before": was, "after": body})
    found.touched.add(number)


def _alerts_saying(session: Session, log_id: int, body: Mapping[str, Any]) -> list[AlertRow]:
    wanted = select(AlertRow).where(
        AlertRow.log_id == log_id, AlertRow.round == body["round"], AlertRow.code == body["code"]
    )
    key = fault_key(body)
    return [row for row in session.scalars(wanted.order_by(AlertRow.id)) if fault_key(json.loads(row.body)) == key]


def _stand(session: Session, log: LogRow, body: dict[str, Any], cause: Cause, found: Effects) -> None:
    """Make an alert active: reopen one that was closed earlier, else raise a new one."""
    known = _alerts_saying(session, log.id, body)
    ruled_out = {one.body["alert"] for one in holding(session, log.id) if one.body["kind"] == VERDICT}
    fallen = [row for row in known if has_fallen(session, row) and row.id not in ruled_out]
    for row in fallen[:1]:
        _restore(session, row, cause)
        found.stands_again.append(row.id)
    if not known:
        found.raised.append(_raise(session, log, body, cause))


def _raise(session: Session, log: LogRow, body: dict[str, Any], cause: Cause) -> int:
    """Raise an alert after the fact; nobody is notified."""
    dealer = select(RoundRow.dealer).where(RoundRow.log_id == log.id, RoundRow.number == body["round"])
    raised = RaisedAlert(
        table_id=log.table_id,
        log_id=log.id,
        body=body,
        dealer=session.scalar(dealer),
        at=log.began_at + timedelta(seconds=body["t"]),
        noticed_at=cause.at,
        is_quiet=True,
    )
    return write_alert(session, raised, now=cause.at).id


def _reason_to_fall(row: AlertRow, cause: Cause) -> str:
    """The reason for closing: an alert that a correction raised, and its withdrawal closes, was never the system's."""
    return UNRAISED if cause.is_taken_back and row.is_quiet else CORRECTED


def _restore(session: Session, row: AlertRow, cause: Cause) -> None:
    """Restore the state before the last change that a correction made."""
    wanted = select(AlertChange).where(AlertChange.alert_id == row.id, AlertChange.reason == CORRECTED)
    last = session.scalar(wanted.order_by(AlertChange.id.desc()).limit(1))
    _step(session, row, AlertState.OPEN if last is None else last.before, cause, reason=TAKEN_BACK)


def _step(session: Session, row: AlertRow, state: str, cause: Cause, *, reason: str = CORRECTED) -> None:
    change = AlertChange(alert_id=row.id, at=cause.at, who=cause.who, before=row.state, after=state)
    change.reason, change.note = reason, cause.note
    session.add(change)
    row.state = state
    session.flush()
