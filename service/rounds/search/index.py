"""Index the search terms of rounds in the same transaction that writes the rounds.

Each round keeps the list of its indexed terms, so that they can be removed when something about it changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import delete, insert, select, tuple_
from sqlalchemy.orm import Session

from thirdcard.service.alerts.reasons import CORRECTED
from thirdcard.service.rounds.corrections import judged_bodies, lines_of_round
from thirdcard.service.rounds.search.terms import SearchableRound, terms_of
from thirdcard.service.store.database import Database
from thirdcard.service.store.round_schema import CorrectionRow, RoundTerm
from thirdcard.service.store.schema import AlertChange, AlertRow, LogRow, RoundRow

BATCH = 500
TAKEN_BACK = "correction_taken_back"
UNRAISED = "raising_taken_back"
"""The correction that raised the alert was taken back."""
"""Why an alert gets back the state that it had before a correction."""
DISMISSED = "dismissed"


def enter_round(session: Session, row: RoundRow) -> None:
    """Index a new or changed round with the corrections in force; the row must already have its id."""
    log = session.get_one(LogRow, row.log_id)
    wanted = select(CorrectionRow.id).where(CorrectionRow.round_id == row.id, CorrectionRow.taken_back_at.is_(None))
    facts = SearchableRound(
        table_id=row.table_id,
        dealer=row.dealer,
        rulebook=json.loads(log.rules).get("rulebook"),
        origin=log.origin,
        record=json.loads(row.body),
        lines=judged_bodies(lines_of_round(session, row)),
        alerts=_alerts_of(session, row),
        is_corrected=session.scalar(wanted.limit(1)) is not None,
    )
    _replace(session, row, terms_of(facts))


def enter_round_of_alert(session: Session, alert: AlertRow) -> None:
    """Index the round of an alert again after the alert was raised or closed; nothing happens for an open round."""
    wanted = select(RoundRow).where(RoundRow.log_id == alert.log_id, RoundRow.number == alert.round)
    row = session.scalar(wanted)
    if row is not None:
        enter_round(session, row)


def enter_missing(database: Database) -> int:
    """Index the rounds written by an older version of the service; returns their number."""
    entered = 0
    while True:
        with database.writing() as session:
            wanted = select(RoundRow).where(RoundRow.terms.is_(None)).order_by(RoundRow.id).limit(BATCH)
            rows = session.scalars(wanted).all()
            for row in rows:
                enter_round(session, row)
        if not rows:
            return entered
        entered += len(rows)


def _replace(session: Session, row: RoundRow, terms: Sequence[str]) -> None:
    text = "\n".join(terms)
    if text == row.terms:
        return
    session.flush()
    old, new = set((row.terms or "").split("\n")) - {""}, set(terms)
    key = tuple_(RoundTerm.term, RoundTerm.at, RoundTerm.round_id)
    gone = [(term, row.closed_at, row.id) for term in sorted(old - new)]
    if gone:
        session.execute(delete(RoundTerm).where(key.in_(gone)))
    _insert(session, row, sorted(new - old))
    row.terms = text


def _insert(session: Session, row: RoundRow, terms: Iterable[str]) -> None:
    rows = [{"term": term, "at": row.closed_at, "round_id": row.id} for term in terms]
    if rows:
        session.execute(insert(RoundTerm), rows)


def _alerts_of(session: Session, row: RoundRow) -> list[Mapping[str, Any]]:
    """The round's alerts without those that a correction withdrew."""
    rows = session.scalars(select(AlertRow).where(AlertRow.log_id == row.log_id, AlertRow.round == row.number)).all()
    return [json.loads(alert.body) for alert in rows if not has_fallen(session, alert)]


def has_fallen(session: Session, alert: AlertRow) -> bool:
    """Whether the last change of an alert is that a correction withdrew it."""
    if alert.state != DISMISSED:
        return False
    wanted = select(AlertChange.reason).where(AlertChange.alert_id == alert.id).order_by(AlertChange.id.desc()).limit(1)
    return session.scalar(wanted) in (CORRECTED, UNRAISED)
