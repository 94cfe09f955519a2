"""Save stored camera video on request: a stretch of a live table, or a longer clip of an alert.

The files are promised here and cut by the table's own process. The first clip of an alert is never changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from thirdcard.rules.findings.alerts import Alert, format_alert
from thirdcard.rules.game.words import Remedy, Severity
from thirdcard.service.alerts.lifecycle import Step, take_step
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store import audit
from thirdcard.service.store.alert_states import SAVED_BY_HAND, AlertState
from thirdcard.service.store.alert_writer import (
    FAILED,
    KEPT,
    LONGER_KINDS,
    PROMISED,
    AlertEvidence,
    RaisedAlert,
    promise_file,
    write_alert,
)
from thirdcard.service.store.log_chains import LIVE
from thirdcard.service.store.order import take_turn
from thirdcard.service.store.people import Person
from thirdcard.service.store.schema import AlertRow, EvidenceRow, LogRow, RoundRow

SHOWN = ("clip", "still", "overlay")
LONGEST = timedelta(hours=1)
"""The longest file."""
LONGEST_TITLE = 160
"""The longest part of a note in an alert's message, in characters; the history has the whole note."""
DECIDED_BY_PEOPLE = Remedy("supervisor", None, "People decide.")


class SavingError(ServiceError):
    """The request cannot be saved; `field` names the cause."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(message)


class NotSavedError(ServiceError):
    """The state of the alert or table does not allow saving more."""

    field = "state"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedStretch:
    """A stretch of video that a person wants saved."""

    table_id: str
    length: timedelta
    """The length of the stretch, counted back from now."""
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengthening:
    """The request to lengthen a clip."""

    alert_id: int
    before: timedelta
    after: timedelta


def save_incident(
    session: Session, person: Person, wanted: SavedStretch, *, kept: timedelta, now: datetime
) -> AlertRow:
    """Create an alert that the person has taken, with the note, and promise its clip.

    Args:
        session: Open for writing.
        person: Who saves it.
        wanted: The stretch.
        kept: How much video of the camera is stored.
        now: The time.

    Raises:
        SavingError: It is longer than what is stored.
        NotSavedError: The table has never been watched.
    """
    longest = min(kept, LONGEST)
    if wanted.length > longest:
        raise SavingError("minutes", f"minutes: {_minutes(longest)} at most; no more of this table is kept")
    log = session.scalar(
        select(LogRow)
        .where(LogRow.table_id == wanted.table_id, LogRow.origin == LIVE)
        .order_by(LogRow.id.desc())
        .limit(1)
    )
    if log is None:
        raise NotSavedError("The table has not been watched yet; there is nothing to save.")
    take_turn(session)
    raised = RaisedAlert(
        table_id=wanted.table_id,
        log_id=log.id,
        body=format_alert(_as_alert(session, log, person, wanted, now)),
        dealer=None,
        at=now,
        noticed_at=now,
        evidence=AlertEvidence(from_at=now - wanted.length, to_at=now, promised=SHOWN),
    )
    row = write_alert(session, raised, now=now)
    minutes = _minutes(wanted.length)
    audit.note(session, person.name, "incident.saved", f"alert:{row.id}", at=now, table=row.table_id, minutes=minutes)
    take_step(session, person, row.id, Step(state=AlertState.ACKNOWLEDGED, note=wanted.note), now=now)
    return row


def lengthen_clip(
    session: Session, person: Person, wanted: Lengthening, *, kept_of: Callable[[str], timedelta], now: datetime
) -> tuple[str, str] | None:
    """Promise a clip that begins earlier and ends later than the first one; returns the table and the clip's kind.

    None where there is no such alert, or the person may not see it. A part in the future is left out.

    Args:
        session: Open for writing.
        person: Who wants it.
        wanted: The alert, and how much longer.
        kept_of: How much video of a table's camera is stored.
        now: The time.

    Raises:
        SavingError: It is too long, or no longer stored.
        NotSavedError: The alert has no clip, or was lengthened too often.
    """
    alert_id = wanted.alert_id
    row = session.scalar(select(AlertRow).where(AlertRow.id == alert_id).with_for_update())
    if row is None or not person.may_see(row.table_id):
        return None
    if session.get_one(LogRow, row.log_id).origin != LIVE:
        raise NotSavedError("The alert was found in a recording, which is where more of it can be seen.")
    kept = kept_of(row.table_id)
    pieces = session.scalars(select(EvidenceRow).where(EvidenceRow.alert_id == alert_id)).all()
    clip = next((piece for piece in pieces if piece.kind == "clip" and piece.state != "promised"), None)
    if clip is None:
        raise NotSavedError("The clip itself is still being made.")
    taken = {piece.kind for piece in pieces}
    free = [kind for kind in LONGER_KINDS if kind not in taken]
    if not free:
        raise NotSavedError(f"The clip was lengthened {len(LONGER_KINDS)} times; that is as often as it can be.")
    from_at, to_at = clip.from_at - wanted.before, min(clip.to_at + wanted.after, now)
    if to_at - from_at > LONGEST:
        raise SavingError("before_s", f"The clip would be longer than {_minutes(LONGEST)} minutes.")
    if clip.from_at < now - kept:
        raise SavingError("before_s", f"Of this table {_minutes(kept)} minutes are kept; the alert is older.")
    promise_file(session, alert_id, free[0], max(from_at, now - kept), to_at)
    seconds = {"before_s": wanted.before.total_seconds(), "after_s": wanted.after.total_seconds()}
    audit.note(session, person.name, "evidence.lengthened", f"alert:{alert_id}", at=now, kind=free[0], **seconds)
    return row.table_id, free[0]


def order_copy(session: Session, person: Person, alert_id: int, original: str, *, now: datetime) -> str | None:
    """Promise a copy of a clip that browsers can play; returns its kind. Repeated requests give the same copy, or retry
    it.

    None where there is no such alert, or the person may not see it.

    Raises:
        NotSavedError: The clip itself is not kept.
    """
    row = session.scalar(select(AlertRow).where(AlertRow.id == alert_id).with_for_update())
    if row is None or not person.may_see(row.table_id):
        return None
    pieces = {
        piece.kind: piece for piece in session.scalars(select(EvidenceRow).where(EvidenceRow.alert_id == alert_id))
    }
    source, kind = pieces.get(original), f"{original}-copy"
    if source is None or source.state != KEPT:
        raise NotSavedError("The clip itself is not kept.")
    known = pieces.get(kind)
    if known is None:
        promise_file(session, alert_id, kind, source.from_at, source.to_at)
    elif known.state == FAILED:
        known.state, known.fault = PROMISED, None
    else:
        return kind
    audit.note(session, person.name, "evidence.copied", f"alert:{alert_id}", at=now, kind=kind)
    return kind


def _as_alert(session: Session, log: LogRow, person: Person, wanted: SavedStretch, now: datetime) -> Alert:
    number = session.scalar(select(func.max(RoundRow.number)).where(RoundRow.log_id == log.id)) or 0
    first = " ".join(wanted.note.split())
    title = first if len(first) <= LONGEST_TITLE else f"{first[:LONGEST_TITLE].rstrip()}…"
    return Alert(
        t=round((now - log.began_at).total_seconds(), 3),
        round=number,
        code=SAVED_BY_HAND,
        severity=Severity.MEDIUM,
        rulebook=str(json.loads(log.rules).get("rulebook", "")),
        rule=None,
        message=f"{person.name} saved the last {_minutes(wanted.length)} min: {title}",
        remedy=DECIDED_BY_PEOPLE,
    )


def _minutes(length: timedelta) -> str:
    return f"{length.total_seconds() / 60:g}"
