"""Write findings whose confidence stayed too low for an alert, and withdraw alerts that lost their confidence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.store import audit, chain
from thirdcard.service.store.alert_states import AlertState
from thirdcard.service.store.log_chains import alert_chain
from thirdcard.service.store.order import take_turn
from thirdcard.service.store.schema import AlertChange, AlertRow, DoubtfulRow

WATCH = "watch"
"""The name under which the table's watch withdraws alerts."""
_ASIDE = ("confidence", "noticed_at", "evidence")
"""The keys of an alert that do not describe the event itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPlace:
    """The log that findings belong to."""

    table_id: str
    log_id: int
    began_at: datetime
    """The wall-clock time of t = 0."""
    dealer: str | None = None


def write_doubtful(session: Session, place: LogPlace, bodies: Iterable[Mapping[str, Any]]) -> None:
    """Insert findings in the form of `format_alert`, and seal them in the table's chain of alerts."""
    rows = [
        DoubtfulRow(
            table_id=place.table_id,
            log_id=place.log_id,
            round=body["round"],
            code=body["code"],
            severity=body["severity"],
            dealer=place.dealer,
            at=place.began_at + timedelta(seconds=body["t"]),
            confidence=body["confidence"],
            body=chain.canonical(body),
        )
        for body in bodies
    ]
    session.add_all(rows)


def withdraw(session: Session, place: LogPlace, bodies: Iterable[Mapping[str, Any]], *, now: datetime) -> list[int]:
    """Withdraw alerts that nobody has acknowledged or decided yet; for others, add only a line to the audit chain.

    Returns:
        The ids of the alerts withdrawn now.
    """
    withdrawn = []
    for body in bodies:
        take_turn(session)
        row = _row_saying(session, place.log_id, body)
        if row is None:
            continue
        details = {"confidence": body["confidence"], "before": row.state}
        audit.note(session, WATCH, f"alert.{AlertState.WITHDRAWN}", f"alert:{row.id}", at=now, **details)
        if row.state == AlertState.OPEN:
            session.add(
                AlertChange(alert_id=row.id, at=now, who=WATCH, before=row.state, after=str(AlertState.WITHDRAWN))
            )
            row.state = str(AlertState.WITHDRAWN)
            chain.append(session, alert_chain(place.table_id), [{"alert": row.id, "withdrawn": True}], at=now)
            withdrawn.append(row.id)
    session.flush()
    return withdrawn


def _row_saying(session: Session, log_id: int, body: Mapping[str, Any]) -> AlertRow | None:
    """The alert with the same content."""
    wanted = select(AlertRow).where(
        AlertRow.log_id == log_id, AlertRow.round == body["round"], AlertRow.code == body["code"]
    )
    said = _said(body)
    rows = session.scalars(wanted.order_by(AlertRow.id.desc()))
    return next((row for row in rows if _said(json.loads(row.body)) == said), None)


def _said(body: Mapping[str, Any]) -> str:
    return chain.canonical({name: value for name, value in body.items() if name not in _ASIDE})
