"""Store a reviewed shift in one transaction, completely or not at all.

It is stored like a live table's log: sealed lines, rounds, and alerts with their evidence; and also which files showed
what. A shift that is stored already is not stored again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePath

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.rules.findings.alerts import Alert, format_alert
from thirdcard.rules.log.events import DealerChanged, Event, format_event
from thirdcard.rules.round.records import format_round
from thirdcard.service.config.table_facts import rules_of
from thirdcard.service.dealers.register import known_as
from thirdcard.service.dealers.roster import who_deals
from thirdcard.service.ports.moments import format_moment
from thirdcard.service.review.judging import JudgedRound, LogVerdict
from thirdcard.service.review.seen_film import SeenFile, SeenFilm, TimeSpan
from thirdcard.service.review.shift import Shift
from thirdcard.service.review.shift_notes import Note, NoteKind
from thirdcard.service.rounds.search.index import enter_round
from thirdcard.service.store import chain
from thirdcard.service.store.alert_writer import AlertEvidence, RaisedAlert, write_alert
from thirdcard.service.store.database import Database
from thirdcard.service.store.doubtful import LogPlace, write_doubtful
from thirdcard.service.store.log_chains import LIVE, REVIEW, review_chain
from thirdcard.service.store.order import take_turn
from thirdcard.service.store.schema import AlertRow, LogRow, RoundRow
from thirdcard.service.store.shift_schema import FootageRow, LogNoteRow

CUT_SHORT_S = 3.0
"""The largest distance in seconds between a complete round and a log's record of the same round, cut short by a
loss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A shift with all findings."""

    shift: Shift
    log: Sequence[Event]
    verdict: LogVerdict
    evidence: Sequence[AlertEvidence]
    """Of each alert."""
    lost: Sequence[Note] = ()
    """Stretches that could not be watched."""


def entered_log(database: Database, key: str) -> int | None:
    """The number of the log that holds a shift; None where it was not stored."""
    with database.reading() as session:
        return session.scalar(select(LogRow.id).where(LogRow.shift == key))


def seen_film(database: Database, table_id: str, names: Collection[str]) -> SeenFilm:
    """What reviews of a table saw, and what they could not see.

    Args:
        database: The store.
        table_id: The table.
        names: The names of the present files: rounds and alerts are those of logs of such files.
    """
    with database.reading() as session:
        of_table = select(LogRow.id).where(LogRow.table_id == table_id, LogRow.origin == REVIEW)
        footage = session.scalars(select(FootageRow).where(FootageRow.log_id.in_(of_table)).order_by(FootageRow.id))
        files = tuple(
            SeenFile(
                log_id=row.log_id,
                name=PurePath(row.path).name,
                fingerprint=row.fingerprint,
                span=TimeSpan(from_at=row.from_at, to_at=row.to_at),
                begins_s=row.begins_s,
            )
            for row in footage
        )
        broken = select(LogNoteRow).where(LogNoteRow.log_id.in_(of_table), LogNoteRow.kind == NoteKind.BROKEN)
        rows = session.scalars(broken.where(LogNoteRow.to_at > LogNoteRow.from_at).order_by(LogNoteRow.id)).all()
        logs = {row.log_id for row in rows} | {file.log_id for file in files if file.name in names}
        rounds = session.scalars(select(RoundRow).where(RoundRow.log_id.in_(logs), RoundRow.is_counted)).all()
        alerts = session.scalars(select(AlertRow).where(AlertRow.log_id.in_(logs))).all()
        return SeenFilm(
            files=files,
            lost=tuple((row.log_id, TimeSpan(from_at=row.from_at, to_at=row.to_at)) for row in rows),
            rounds=tuple(TimeSpan(from_at=row.opened_at, to_at=row.closed_at) for row in rounds),
            alerts=tuple((row.code, row.at) for row in alerts),
        )


def enter(database: Database, reviewed: Reviewed, now: datetime) -> int:
    """Store a shift that is not stored yet; returns its log's number."""
    with database.writing() as session:
        take_turn(session)
        shift = reviewed.shift
        there = session.scalar(select(LogRow.id).where(LogRow.shift == shift.key))
        if there is not None:
            return there
        log = _enter_log(session, shift)
        _enter_lines(session, reviewed, now)
        changes = [
            (_at(shift, event.t), None if event.dealer is None else known_as(session, event.dealer, now=now))
            for event in reviewed.log
            if isinstance(event, DealerChanged)
        ]
        for alert, evidence in zip(reviewed.verdict.alerts, reviewed.evidence, strict=True):
            dealer = who_deals(session, log.table_id, _at(shift, alert.t), changes)
            write_alert(session, _raised(log, shift, alert, evidence, dealer), now=now)
        for alert in reviewed.verdict.doubtful:
            dealer = who_deals(session, log.table_id, _at(shift, alert.t), changes)
            place = LogPlace(table_id=log.table_id, log_id=log.id, began_at=log.began_at, dealer=dealer)
            write_doubtful(session, place, [format_alert(alert)])
        rounds = [_round_row(log, judged) for judged in reviewed.verdict.rounds]
        for row in rounds:
            row.dealer = who_deals(session, log.table_id, row.closed_at, changes)
        if shift.completes:
            _count_once(session, shift, rounds)
        session.add_all(rounds)
        _enter_footage(session, log, reviewed)
        session.flush()
        for row in rounds:
            enter_round(session, row)
        return log.id


def _enter_log(session: Session, shift: Shift) -> LogRow:
    table_id, began_at = shift.table.id, shift.timeline.began_at
    log = LogRow(
        table_id=table_id,
        began_at=began_at,
        rules=chain.canonical(rules_of(shift.table)),
        first_line=1,
        origin=REVIEW,
        shift=shift.key,
        is_counted=not _was_watched_live(session, shift),
    )
    session.add(log)
    session.flush()
    return log


def _was_watched_live(session: Session, shift: Shift) -> bool:
    """Whether a live log of the table covers a round of that time: then figures must not count it twice."""
    from_at, to_at = shift.timeline.began_at, shift.timeline.parts[-1].to_at
    wanted = (
        select(RoundRow.id)
        .join(LogRow, LogRow.id == RoundRow.log_id)
        .where(RoundRow.table_id == shift.table.id, RoundRow.closed_at >= from_at, RoundRow.opened_at <= to_at)
        .where(LogRow.origin == LIVE)
    )
    return session.scalar(wanted.limit(1)) is not None


def _count_once(session: Session, shift: Shift, rounds: Sequence[RoundRow]) -> None:
    """Have each round counted once: in this log where it saw what others could not, else in the other."""
    from_at, to_at = shift.timeline.began_at, shift.timeline.parts[-1].to_at
    wanted = select(RoundRow).join(LogRow, LogRow.id == RoundRow.log_id)
    wanted = wanted.where(RoundRow.table_id == shift.table.id, LogRow.origin == REVIEW, RoundRow.is_counted)
    before = session.scalars(wanted.where(RoundRow.closed_at >= from_at, RoundRow.opened_at <= to_at)).all()
    for old in before:
        same = max(rounds, key=lambda row: _overlap_s(row, old), default=None)
        if same is not None and _overlap_s(same, old) > -CUT_SHORT_S:
            is_better = any(
                TimeSpan(from_at=same.opened_at, to_at=same.closed_at).touches(one) for one in shift.completes
            )
            old.is_counted, same.is_counted = not is_better, is_better


def _overlap_s(row: RoundRow, other: RoundRow) -> float:
    """The time that two rounds share, in seconds; below 0 where they are apart."""
    shared = min(row.closed_at, other.closed_at) - max(row.opened_at, other.opened_at)
    return shared.total_seconds()


def _enter_lines(session: Session, reviewed: Reviewed, now: datetime) -> None:
    shift = reviewed.shift
    bodies = [{**format_event(event), "at": format_moment(_at(shift, event.t))} for event in reviewed.log]
    chain.append(session, review_chain(shift.table.id, shift.key), bodies, at=now)


def _round_row(log: LogRow, judged: JudgedRound) -> RoundRow:
    record, began_at = judged.record, log.began_at
    closed_t = record.opened if record.closed is None else record.closed
    return RoundRow(
        table_id=log.table_id,
        log_id=log.id,
        number=record.round,
        opened_at=began_at + timedelta(seconds=record.opened),
        closed_at=began_at + timedelta(seconds=closed_t),
        first_line=log.first_line + judged.first_line - 1,
        last_line=log.first_line + judged.last_line - 1,
        body=chain.canonical(format_round(record)),
    )


def _raised(log: LogRow, shift: Shift, alert: Alert, evidence: AlertEvidence, dealer: str | None) -> RaisedAlert:
    return RaisedAlert(
        table_id=log.table_id,
        log_id=log.id,
        body=format_alert(alert),
        dealer=dealer,
        at=_at(shift, alert.t),
        noticed_at=_at(shift, alert.t if alert.noticed_at is None else alert.noticed_at),
        is_quiet=True,
        evidence=evidence,
    )


def _enter_footage(session: Session, log: LogRow, reviewed: Reviewed) -> None:
    shift = reviewed.shift
    for part in shift.timeline.parts:
        session.add(
            FootageRow(
                log_id=log.id,
                path=str(part.file.path.resolve()),
                fingerprint=part.file.fingerprint,
                size_bytes=part.file.size_bytes,
                from_at=part.from_at,
                to_at=part.to_at,
                begins_s=part.from_s,
            )
        )
    for note in (*shift.notes, *reviewed.lost):
        session.add(_note_row(log.id, note.kind, note.from_at, note.to_at, note.text))
    for before, span in _completed_logs(session, log, shift):
        text = f"{span.lasts_s:.1f} s that nobody saw here were seen later: log {log.id}"
        session.add(_note_row(before, NoteKind.COMPLETED, span.from_at, span.to_at, text))


def _note_row(log_id: int, kind: NoteKind, from_at: datetime, to_at: datetime, text: str) -> LogNoteRow:
    return LogNoteRow(log_id=log_id, kind=str(kind), from_at=from_at, to_at=to_at, text=text)


def _completed_logs(session: Session, log: LogRow, shift: Shift) -> list[tuple[int, TimeSpan]]:
    """Logs of earlier reviews that had lost a stretch of this one."""
    found = []
    for span in shift.completes:
        wanted = select(LogNoteRow.log_id).join(LogRow, LogRow.id == LogNoteRow.log_id).distinct()
        wanted = wanted.where(LogRow.table_id == log.table_id, LogRow.id != log.id, LogRow.origin == REVIEW)
        wanted = wanted.where(LogNoteRow.kind.in_((str(NoteKind.BROKEN), str(NoteKind.GAP))))
        wanted = wanted.where(LogNoteRow.from_at < span.to_at, LogNoteRow.to_at > span.from_at)
        found += [(number, span) for number in session.scalars(wanted)]
    return found


def _at(shift: Shift, t: float) -> datetime:
    return shift.timeline.began_at + timedelta(seconds=t)
