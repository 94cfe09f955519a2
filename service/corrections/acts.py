"""Enter or take back a correction: the log is judged with and without it, and the store is updated by the difference.

The chain `corrections/TABLE` records each correction with its effects; nothing written before is edited. An alert that
the correction refutes is closed, never deleted; if it holds again, it gets its former state back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from thirdcard.rules.errors import EventError
from thirdcard.rules.log.events import RoundClosed, ShoeOpened, parse_event
from thirdcard.service.corrections import effects
from thirdcard.service.corrections.effects import Effects
from thirdcard.service.corrections.judging import UnjudgeableError, Verdicts, judge_lines
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.rounds.corrections import (
    ADD,
    CARD,
    REMOVE,
    VERDICT,
    Correction,
    holding,
    judged_bodies,
    lines_of_log,
)
from thirdcard.service.store import audit, chain
from thirdcard.service.store.database import Database
from thirdcard.service.store.log_chains import chain_of
from thirdcard.service.store.order import take_turn
from thirdcard.service.store.people import Person
from thirdcard.service.store.round_schema import CorrectionRow
from thirdcard.service.store.schema import AlertRow, LogRow, RoundRow

NEW = 0
"""The number of a correction that is not stored yet."""


class CorrectionError(ServiceError):
    """The change is not valid for that round; `field` names the wrong field."""

    def __init__(self, message: str, *, field: str) -> None:
        self.field = field
        super().__init__(message)


class CorrectionConflictError(ServiceError):
    """The correction conflicts with the present state of the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedCorrection:
    """A change that somebody wants to make, and why."""

    round_id: int
    change: Mapping[str, Any]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """The verdicts on a log as it is, and as it would be."""

    held: tuple[int, ...]
    """The active corrections when it was judged."""
    before: Verdicts
    after: Verdicts


def correct(database: Database, person: Person, wanted: WantedCorrection, *, now: datetime) -> int | None:
    """Enter a correction; returns its number.

    None where there is no such round, or the person may not see it.

    Raises:
        CorrectionError: The change is not valid for that round.
        CorrectionConflictError: It would change the division into rounds, or somebody else corrected the log meanwhile.
        UnjudgeableError: The log cannot be judged with it.
    """
    with database.reading() as session:
        row = session.get(RoundRow, wanted.round_id)
        if row is None or not person.may_see(row.table_id):
            return None
        check_change(session, row, wanted.change)
        log, number = session.get_one(LogRow, row.log_id), row.number
        held = holding(session, log.id)
        judged = _judge(session, log, held, [*held, Correction(id=NEW, body=wanted.change)], number)
    with database.writing() as session:
        take_turn(session)
        _check_still_holds(session, log.id, judged)
        round_row = session.get_one(RoundRow, wanted.round_id)
        entered = CorrectionRow(
            table_id=log.table_id, log_id=log.id, round_id=wanted.round_id, at=now, who=person.name, why=wanted.why,
            body=chain.canonical(wanted.change), effects="{}", picture_state="none",
        )  # fmt: skip
        session.add(entered)
        session.flush()
        cause = effects.Cause(correction_id=entered.id, who=person.name, why=wanted.why, at=now)
        found = effects.follow(session, log.id, judged.before, judged.after, cause)
        if wanted.change["kind"] == VERDICT:
            found = effects.rule(session, found, wanted.change, cause)
        entered.effects = chain.canonical(found.as_mapping())
        effects.enter_rounds(session, round_row, found)
        _seal(session, entered, {"change": dict(wanted.change), "round": number}, found, cause)
        return entered.id


def take_back(database: Database, person: Person, correction_id: int, *, why: str, now: datetime) -> bool:
    """Take a correction back; returns False where there is none, or the person may not see it.

    Raises:
        CorrectionConflictError: It was taken back already, or other corrections depend on it.
        UnjudgeableError: The log cannot be judged without it.
    """
    with database.reading() as session:
        row = session.get(CorrectionRow, correction_id)
        if row is None or not person.may_see(row.table_id):
            return False
        if row.taken_back_at is not None:
            raise CorrectionConflictError(f"the correction was taken back already, by {row.taken_back_by}")
        log, held = session.get_one(LogRow, row.log_id), holding(session, row.log_id)
        number = session.get_one(RoundRow, row.round_id).number
        judged = _judge(session, log, held, [one for one in held if one.id != correction_id], number)
        change = json.loads(row.body)
    with database.writing() as session:
        take_turn(session)
        _check_still_holds(session, log.id, judged)
        row = session.get_one(CorrectionRow, correction_id)
        row.taken_back_by, row.taken_back_at, row.taken_back_why = person.name, now, why
        session.flush()
        cause = effects.Cause(correction_id=correction_id, who=person.name, why=why, at=now, is_taken_back=True)
        found = effects.follow(session, log.id, judged.before, judged.after, cause)
        if change["kind"] == VERDICT:
            found = effects.rule(session, found, change, cause)
        effects.enter_rounds(session, session.get_one(RoundRow, row.round_id), found)
        _seal(session, row, {"taken_back": True}, found, cause)
        return True


def check_change(session: Session, row: RoundRow, change: Mapping[str, Any]) -> None:
    """Check that a change concerns that round and is possible in a log.

    Raises:
        CorrectionError: It is not; `field` names the wrong field.
    """
    kind = change["kind"]
    if kind in (CARD, REMOVE):
        _check_line(session, row, change)
    elif kind == ADD:
        _check_event(session, row, change["event"])
    else:
        alert = session.get(AlertRow, change["alert"])
        if alert is None or (alert.log_id, alert.round) != (row.log_id, row.number):
            raise CorrectionError("alert: is none of that round's", field="alert")


def _check_line(session: Session, row: RoundRow, change: Mapping[str, Any]) -> None:
    line = change["line"]
    if not row.first_line <= line <= row.last_line:
        raise CorrectionError(f"line = {line}; allowed: the round's, {row.first_line} to {row.last_line}", field="line")
    written = next(iter(chain.read(session, chain_of(session, row), first=line, last=line)))
    body = json.loads(written.body)
    if change["kind"] == CARD and "card" not in body:
        raise CorrectionError(f"line = {line}; it shows no card", field="line")
    if change["kind"] == CARD:
        _parse({**body, "card": change["card"]}, field="card")


def _check_event(session: Session, row: RoundRow, event: Mapping[str, Any]) -> None:
    parsed = _parse(event, field="event")
    record = json.loads(row.body)
    began, ended = record["opened"], record["closed"]
    if not began <= parsed.t <= ended:
        raise CorrectionError(f"event.t = {parsed.t}; allowed: within the round, {began} to {ended}", field="event.t")
    if isinstance(parsed, RoundClosed | ShoeOpened):
        raise CorrectionError(f"event.type = {parsed.type}; a round cannot be divided", field="event.type")


def _parse(body: Mapping[str, Any], *, field: str) -> Any:
    try:
        return parse_event(body)
    except EventError as error:
        raise CorrectionError(str(error), field=field) from error


def _judge(session: Session, log: LogRow, held: list[Correction], wanted: list[Correction], number: int) -> _Judged:
    rules = json.loads(log.rules)
    before = judge_lines(rules, judged_bodies(lines_of_log(session, log, held)))
    after = judge_lines(rules, judged_bodies(lines_of_log(session, log, wanted)))
    if number not in before.rounds:
        raise UnjudgeableError("the log cannot be judged again: its lines do not give the rounds that were entered")
    if before.divisions != after.divisions:
        raise CorrectionConflictError("with this, rounds would begin and end at other lines; that cannot be corrected")
    return _Judged(held=tuple(one.id for one in held), before=before, after=after)


def _check_still_holds(session: Session, log_id: int, judged: _Judged) -> None:
    if judged.held != tuple(one.id for one in holding(session, log_id)):
        raise CorrectionConflictError("somebody else has corrected this log just now; look at it again")


def _seal(session: Session, row: CorrectionRow, said: Mapping[str, Any], found: Effects, cause: effects.Cause) -> None:
    """Record the correction in its chain and in the audit."""
    body = {
        "correction": row.id, "log": row.log_id, "round_id": row.round_id, "source": "person", "who": cause.who,
        "why": cause.why, "effects": found.as_mapping(), **said,
    }  # fmt: skip
    chain.append(session, correction_chain(row.table_id), [body], at=cause.at)
    action = "round.correction_taken_back" if cause.is_taken_back else "round.corrected"
    audit.note(
        session,
        cause.who,
        action,
        f"round:{row.round_id}",
        at=cause.at,
        correction=row.id,
        kind=json.loads(row.body)["kind"],
    )


def correction_chain(table_id: str) -> str:
    """The name of the chain of a table's corrections."""
    return f"corrections/{table_id}"
