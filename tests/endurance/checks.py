"""Compare what a service acknowledged with what its store has now."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import pairwise

import av
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.endurance.diary import CHANGING, Diary, Told
from thirdcard.rules.log.events import CameraBack, CameraLost, CameraMoved, DealerChanged
from thirdcard.service.alerts.alert_schemas import AlertOut
from thirdcard.service.alerts.feed import parse_place
from thirdcard.service.alerts.views import alert_views
from thirdcard.service.config.data_folder import Home
from thirdcard.service.store import chain
from thirdcard.service.store.blob_store import EvidenceStore
from thirdcard.service.store.log_chains import log_chain
from thirdcard.service.store.row_verification import verify_rows
from thirdcard.service.store.schema import AlertChange, AlertRow, CaseNote, EvidenceRow, LogRow, SignalRow
from thirdcard.service.store.verification import verify_chains, verify_evidence

REPORTED = frozenset({DealerChanged.type, CameraMoved.type})


def faults_of(session: Session, home: Home, diary: Diary) -> list[str]:
    """Return what was acknowledged before the session began and is missing or changed; may be called at any time."""
    found = [
        fault for fault in (verify_chains(session), verify_evidence(session, EvidenceStore(home.evidence))) if fault
    ]
    found += verify_rows(session)
    found += diary.surprises
    found += _lost_decisions(session, diary.decisions)
    found += _lost_notes(session, diary.notes)
    found += _lost_signals(session, diary.signals)
    found += _changed_alerts(session, diary.alerts)
    found += _told_wrong(diary.told)
    for table, seen in diary.lines.items():
        found += _lost_lines(session, table, seen)
    return found


def faults_at_the_end(session: Session, home: Home, diary: Diary, until: datetime) -> list[str]:
    """Return what else is wrong at rest: duplicates, unsent alerts, reports missing in the log, clips that do not play.

    Args:
        session: A database session.
        home: The service's folder.
        diary: What was acknowledged.
        until: Alerts that were noticed later are not checked, since the service was being stopped.
    """
    found = _told_not_at_all(session, diary.told, until)
    found += _unlogged_signals(session)
    found += _twice(session)
    for table in session.scalars(select(LogRow.table_id).distinct()):
        found += _out_of_order(session, table)
    for row in _clips(session, until):
        fault = _fault_of_clip(home, row)
        if fault is not None and not (row.state == "failed" and _saw_nothing(session, row)):
            found.append(fault)
    return found


def _lost_decisions(session: Session, decisions: dict[str, tuple[int, str]]) -> Iterator[str]:
    stored = {row.note: row for row in session.scalars(select(AlertChange))}
    for note, (alert, state) in decisions.items():
        row = stored.get(note)
        if row is None or (row.alert_id, row.after) != (alert, state):
            yield f"decision {note!r} about alert {alert} is lost or changed"
    last = {row.alert_id: row.after for row in session.scalars(select(AlertChange).order_by(AlertChange.id))}
    for number, state in session.execute(select(AlertRow.id, AlertRow.state)):
        if state != last.get(number, "open"):
            yield f"alert {number} is {state}; the last decision was {last.get(number, 'none')}"


def _lost_notes(session: Session, notes: dict[str, int]) -> Iterator[str]:
    stored = Counter((note.text, note.case_id) for note in session.scalars(select(CaseNote)))
    for text, case in notes.items():
        if stored[text, case] != 1:
            yield f"note {text!r} is there {stored[text, case]} times"


def _lost_signals(session: Session, signals: dict[str, int]) -> Iterator[str]:
    stored = {row.id: row.body for row in session.execute(select(SignalRow.id, SignalRow.body))}
    for name, number in signals.items():
        if number not in stored or _named_in(json.loads(stored[number])) != name:
            yield f"report {number} of {name} is lost or changed"


def _changed_alerts(session: Session, alerts: dict[int, dict[str, object]]) -> Iterator[str]:
    rows = session.scalars(select(AlertRow)).all()
    now = {view.id: AlertOut.of(view).model_dump(mode="json", by_alias=True) for view in alert_views(session, rows)}
    for number, seen in alerts.items():
        if number not in now or {name: now[number].get(name) for name in seen} != seen:
            yield f"alert {number} is lost, or differs from what was shown"


def _told_wrong(told: Iterable[Told]) -> Iterator[str]:
    placed = [each for each in told if each.place]
    for before, after in pairwise(placed):
        one, other = parse_place(before.place), parse_place(after.place)
        if not (one.alert <= other.alert and one.change <= other.change and one != other):
            yield f"the stream sent {after.place} after {before.place}"
    for (kind, number), count in Counter((each.kind, each.data["id"]) for each in placed).items():
        if count > 1:
            yield f"the stream sent {kind} {number} {count} times"


def _lost_lines(session: Session, table: str, seen: set[str]) -> Iterator[str]:
    stored = {line.body for line in chain.read(session, log_chain(table))}
    for body in sorted(seen - stored):
        yield f"{table}: a log line that was shown is lost or changed: {body}"


def _told_not_at_all(session: Session, told: list[Told], until: datetime) -> list[str]:
    heard = {(each.kind, each.data["id"]) for each in told if each.place}
    stored = [("alert", number) for number in session.scalars(select(AlertRow.id).where(AlertRow.noticed_at <= until))]
    stored += [("change", number) for number in session.scalars(select(AlertChange.id))]
    found = [f"the stream never sent {kind} {number}" for kind, number in stored if (kind, number) not in heard]
    shown = {each.data["id"]: each.data for each in told if each.kind == "alert"}
    alerts = {number: {k: v for k, v in data.items() if k not in CHANGING} for number, data in shown.items()}
    return found + list(_changed_alerts(session, alerts))


def _unlogged_signals(session: Session) -> Iterator[str]:
    logged: Counter[str] = Counter()
    for table in session.scalars(select(LogRow.table_id).distinct()):
        bodies = [json.loads(line.body) for line in chain.read(session, log_chain(table))]
        logged.update(_named_in(body) for body in bodies if body["type"] in REPORTED and body["source"] == "signal")
    for row in session.scalars(select(SignalRow)):
        name = _named_in(json.loads(row.body))
        if logged[name] != 1 or not row.is_taken:
            yield f"report {row.id} of {name} is in the log {logged[name]} times, taken: {row.is_taken}"


def _named_in(report: dict[str, str]) -> str:
    """Return the name in a report that no other report has."""
    return report.get("dealer") or report["camera"]


def _twice(session: Session) -> Iterator[str]:
    seen: dict[tuple[int, str], int] = {}
    for row in session.scalars(select(AlertRow).order_by(AlertRow.id)):
        body = {name: value for name, value in json.loads(row.body).items() if name != "noticed_at"}
        first = seen.setdefault((row.log_id, chain.canonical(body)), row.id)
        if first != row.id:
            yield f"alert {row.id} is the same as alert {first}"


def _out_of_order(session: Session, table: str) -> Iterator[str]:
    lines = list(chain.read(session, log_chain(table)))
    firsts = set(session.scalars(select(LogRow.first_line).where(LogRow.table_id == table)))
    for before, after in pairwise(lines):
        if after.seq not in firsts and json.loads(after.body)["t"] < json.loads(before.body)["t"]:
            yield f"{table}: line {after.seq} is earlier in time than line {before.seq}"


def _clips(session: Session, until: datetime) -> list[EvidenceRow]:
    query = select(EvidenceRow).join(AlertRow, AlertRow.id == EvidenceRow.alert_id)
    wanted = query.where(EvidenceRow.kind == "clip", AlertRow.noticed_at <= until).order_by(EvidenceRow.id)
    return list(session.scalars(wanted))


def _saw_nothing(session: Session, row: EvidenceRow) -> bool:
    """Return whether the table had no camera in the whole span of a clip, by its log: then there is no film of it."""
    table = session.get_one(AlertRow, row.alert_id).table_id
    bodies = [json.loads(line.body) for line in chain.read(session, log_chain(table))]
    changes = [
        (datetime.fromisoformat(body["at"]), body["type"] == CameraLost.type)
        for body in bodies
        if body["type"] in (CameraLost.type, CameraBack.type)
    ]
    before = [is_lost for at, is_lost in changes if at <= row.from_at]
    return before[-1:] == [True] and all(is_lost for at, is_lost in changes if row.from_at < at < row.to_at)


def _fault_of_clip(home: Home, row: EvidenceRow) -> str | None:
    if row.state != "kept" or row.path is None:
        return f"alert {row.alert_id}: its clip is {row.state}: {row.fault}"
    try:
        with av.open(str(home.evidence / row.path)) as clip:
            clip.streams.video[0].codec_context.skip_frame = "NONKEY"  # all packets are read, key frames are decoded
            frames = sum(1 for _ in clip.decode(video=0))
    except (av.FFmpegError, OSError) as error:
        return f"alert {row.alert_id}: its clip does not play: {error}"
    return None if frames else f"alert {row.alert_id}: its clip has no picture"
