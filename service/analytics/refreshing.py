"""Recompute the tallies of changed hours from rounds, alerts and logs.

The list of changed hours is in the database, written together with each change, so nothing is lost in a crash, and
recomputing an hour twice gives the same result. An hour is read first and written afterwards, so that tables never wait
for the reading; a change in between marks the hour again.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import delete, select, tuple_
from sqlalchemy.orm import Session

from thirdcard.service.analytics.hour_reading import HourReading
from thirdcard.service.analytics.hour_sums import NOBODY, tally_alerts, tally_erring, tally_rounds
from thirdcard.service.store.database import Database
from thirdcard.service.store.order import TALLIES_TURN, take_turn
from thirdcard.service.store.tally_schema import CodeTallyRow, ErringTallyRow, TallyRow, TouchedHour
from thirdcard.service.store.touched import Place, touch

HOURS_AT_ONCE = 40
MARKS_AT_ONCE = 5000
Tally = TallyRow | CodeTallyRow | ErringTallyRow
_KINDS = (TallyRow, CodeTallyRow, ErringTallyRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """Hours that were recomputed and are not written yet."""

    marks: Sequence[int]
    """The marks that named them."""
    places: set[Place]
    rows: list[Tally] = field(default_factory=list)
    earlier: set[Place] = field(default_factory=set)
    """Earlier hours whose unseen time became known with these."""


def refresh(database: Database, *, names_from: datetime | None = None, leave: Container[Place] = ()) -> set[Place]:
    """Recompute some changed hours and return them; an empty set where none was left.

    Args:
        database: The store.
        names_from: Tallies of earlier hours store no dealer; None: all do.
        leave: Hours to skip for now.
    """
    with database.reading() as session:
        work = _work_out(session, names_from, leave)
        outlived = set() if work.places else _outlived(session, names_from)
    if not work.places and not outlived:
        return set()
    with database.writing(is_shown=False) as session:
        take_turn(session, TALLIES_TURN)
        if _take_marks(session, work.marks):
            _write(session, work)
            touch(session, work.earlier | outlived)
    return work.places | outlived


def refresh_all(database: Database, *, names_from: datetime | None = None) -> int:
    """Recompute all changed hours; returns their number."""
    done = 0
    while some := refresh(database, names_from=names_from):
        done += len(some)
    return done


def _work_out(session: Session, names_from: datetime | None, leave: Container[Place] = ()) -> _Work:
    marked = session.scalars(select(TouchedHour).order_by(TouchedHour.id).limit(MARKS_AT_ONCE)).all()
    wanted = [place for mark in marked if (place := (mark.table_id, mark.hour)) not in leave]
    chosen = set(list(dict.fromkeys(wanted))[:HOURS_AT_ONCE])
    marks = [mark.id for mark in marked if (mark.table_id, mark.hour) in chosen]
    work = _Work(marks=marks, places=chosen)
    for table, hour in sorted(chosen):
        reading = HourReading(session, table, hour, names_from is None or hour >= names_from)
        work.rows.extend(tally_rounds(table, hour, reading.rounds()))
        work.rows.extend(tally_alerts(table, hour, reading.alerts()))
        work.rows.extend(tally_erring(table, hour, reading.erring()))
        work.earlier.update((table, earlier) for earlier in reading.earlier)
    return work


def _outlived(session: Session, names_from: datetime | None) -> set[Place]:
    """Hours whose tallies still hold names that are too old."""
    if names_from is None:
        return set()
    found: set[Place] = set()
    for row in _KINDS:
        wanted = select(row.table_id, row.hour).where(row.hour < names_from, row.dealer != NOBODY).distinct()
        found |= {(table, hour) for table, hour in session.execute(wanted.limit(HOURS_AT_ONCE))}
    return found


def _take_marks(session: Session, marks: Sequence[int]) -> bool:
    """Delete the marks; returns False where another process recomputed one of the hours meanwhile."""
    there = session.scalars(select(TouchedHour.id).where(TouchedHour.id.in_(marks))).all()
    if len(there) < len(marks):
        return False
    session.execute(delete(TouchedHour).where(TouchedHour.id.in_(marks)))
    return True


def _write(session: Session, work: _Work) -> None:
    for row in _KINDS:
        session.execute(delete(row).where(tuple_(row.table_id, row.hour).in_(sorted(work.places))))
    session.add_all(work.rows)
