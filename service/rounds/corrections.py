"""Read corrections and apply them to the lines of a log or a round; the log itself is never changed.

A correction is one of:

- `{"kind": "card", "line": 12, "card": "7H"}`: that line shows this card; null: it cannot be read.
- `{"kind": "remove", "line": 12}`: what that line reports did not happen.
- `{"kind": "add", "event": {…}}`: this happened too; a line of the table log.
- `{"kind": "verdict", "alert": 17, "stands": false}`: a person's verdict on an alert; no line changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from thirdcard.service.store import chain
from thirdcard.service.store.log_chains import chain_of, chain_of_log
from thirdcard.service.store.round_schema import CorrectionRow
from thirdcard.service.store.schema import ChainLine, LogRow, RoundRow

CARD, REMOVE, ADD, VERDICT = "card", "remove", "add", "verdict"
PERSON = "person"
Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """An active correction."""

    id: int
    body: Body


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedLine:
    """A line of a log after corrections."""

    line: int | None
    """Its number in the table's chain; None where a person added it."""
    body: Body
    corrected_by: int | None = None
    """The number of the correction that changed it."""
    before: Body | None = None
    """The original, where a correction changed it."""
    is_removed: bool = False
    """Whether it is no longer judged."""


def correct_lines(lines: Sequence[tuple[int, Body]], corrections: Sequence[Correction]) -> list[CorrectedLine]:
    """The lines with all corrections applied, in order of time; removed lines stay, marked as such."""
    found = [CorrectedLine(line=number, body=body) for number, body in lines]
    places = {line.line: i for i, line in enumerate(found)}
    for correction in corrections:
        kind, place = correction.body["kind"], places.get(correction.body.get("line"))
        if place is not None and kind in (CARD, REMOVE):
            found[place] = _changed(found[place], correction)
    for correction in corrections:
        if correction.body["kind"] == ADD:
            _insert(found, correction)
    return found


def judged_bodies(lines: Sequence[CorrectedLine]) -> list[Body]:
    """The lines that the referee reads."""
    return [line.body for line in lines if not line.is_removed]


def _changed(line: CorrectedLine, correction: Correction) -> CorrectedLine:
    body, is_removed = dict(line.body), line.is_removed
    if correction.body["kind"] == REMOVE:
        is_removed = True
    else:
        body |= {"card": correction.body["card"], "source": PERSON}
        for name in ("confidence", "value_confidence"):
            body.pop(name, None)
    before = line.body if line.before is None else line.before
    return CorrectedLine(line=line.line, body=body, corrected_by=correction.id, before=before, is_removed=is_removed)


def _insert(lines: list[CorrectedLine], correction: Correction) -> None:
    """Insert an added line after all lines up to its time."""
    body = {**correction.body["event"], "source": PERSON}
    place = next((i for i, line in enumerate(lines) if line.body["t"] > body["t"]), len(lines))
    lines.insert(place, CorrectedLine(line=None, body=body, corrected_by=correction.id))


def holding(session: Session, log_id: int) -> list[Correction]:
    """The active corrections of a log, in order."""
    wanted = select(CorrectionRow).where(CorrectionRow.log_id == log_id, CorrectionRow.taken_back_at.is_(None))
    rows = session.scalars(wanted.order_by(CorrectionRow.id)).all()
    return [Correction(id=row.id, body=json.loads(row.body)) for row in rows]


def of_round(session: Session, round_id: int) -> list[Correction]:
    """The active corrections of one round, in order."""
    wanted = select(CorrectionRow).where(CorrectionRow.round_id == round_id, CorrectionRow.taken_back_at.is_(None))
    rows = session.scalars(wanted.order_by(CorrectionRow.id)).all()
    return [Correction(id=row.id, body=json.loads(row.body)) for row in rows]


def lines_of_round(session: Session, row: RoundRow) -> list[CorrectedLine]:
    """The lines of a round after corrections."""
    lines = chain.read(session, chain_of(session, row), first=row.first_line, last=row.last_line)
    return correct_lines(_bodies(lines), of_round(session, row.id))


def lines_of_log(session: Session, log: LogRow, corrections: list[Correction]) -> list[CorrectedLine]:
    """The lines of a whole log, with these corrections."""
    following = select(func.min(LogRow.first_line)).where(
        LogRow.table_id == log.table_id,
        LogRow.shift.is_not_distinct_from(log.shift),
        LogRow.first_line > log.first_line,
    )
    end = session.scalar(following)
    lines = chain.read(session, chain_of_log(log), first=log.first_line, last=None if end is None else end - 1)
    return correct_lines(_bodies(lines), corrections)


def _bodies(lines: Iterable[ChainLine]) -> list[tuple[int, Any]]:
    return [(line.seq, json.loads(line.body)) for line in lines]
