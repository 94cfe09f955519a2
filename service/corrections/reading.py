"""Read the corrections that hold, and the lines of a log or a round with them applied."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from service.corrections.lines import CorrectedLine, Correction, correct_lines
from service.store import chain
from service.store.log_chains import chain_of, chain_of_log
from service.store.round_schema import CorrectionRow
from service.store.schema import ChainLine, LogRow, RoundRow


def holding(session: Session, log_id: int) -> list[Correction]:
    """The corrections of a log that were not taken back, in order."""
    wanted = select(CorrectionRow).where(CorrectionRow.log_id == log_id, CorrectionRow.taken_back_at.is_(None))
    rows = session.scalars(wanted.order_by(CorrectionRow.id)).all()
    return [Correction(id=row.id, body=json.loads(row.body)) for row in rows]


def of_round(session: Session, round_id: int) -> list[Correction]:
    """Those of one round."""
    wanted = select(CorrectionRow).where(CorrectionRow.round_id == round_id, CorrectionRow.taken_back_at.is_(None))
    rows = session.scalars(wanted.order_by(CorrectionRow.id)).all()
    return [Correction(id=row.id, body=json.loads(row.body)) for row in rows]


def lines_of_round(session: Session, row: RoundRow) -> list[CorrectedLine]:
    """The lines of a round as they are judged."""
    lines = chain.read(session, chain_of(session, row), first=row.first_line, last=row.last_line)
    return correct_lines(_bodies(lines), of_round(session, row.id))


def lines_of_log(session: Session, log: LogRow, corrections: list[Correction]) -> list[CorrectedLine]:
    """The lines of a whole log, with those corrections."""
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
