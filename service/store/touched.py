"""Mark the hours whose tallies a change affects, in the same transaction as the change.

Every writing session does so by itself for rounds, alerts and logs that are added, changed or deleted as objects.
Statements that change many rows at once bypass the session: their callers must also call `touch_log`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from sqlalchemy import event, inspect, select
from sqlalchemy.orm import Session

from thirdcard.service.store.schema import AlertRow, LogRow, RoundRow
from thirdcard.service.store.tally_schema import TouchedHour

HOUR = timedelta(hours=1)
Place = tuple[str, datetime]
"""A table and the start of an hour."""


def hour_of(at: datetime) -> datetime:
    """The start of the UTC hour that contains a time in UTC."""
    return at.replace(minute=0, second=0, microsecond=0)


def follow_changes(sessions: type[Session]) -> None:
    """Mark the hours of all changes of sessions of this class."""
    event.listen(sessions, "before_flush", _note_changes)


def touch(session: Session, places: Iterable[Place]) -> None:
    """Mark these hours, so that their tallies are recomputed."""
    session.add_all(TouchedHour(table_id=table, hour=hour) for table, hour in sorted(set(places)))


def touch_log(session: Session, log_id: int) -> None:
    """Mark all hours of a log: call before its rows are deleted, or after they were added."""
    with session.no_autoflush:
        touch(session, _places_of_log(session, log_id))


def _note_changes(session: Session, _context: object, _instances: object) -> None:
    changed = [*session.new, *(row for row in session.dirty if session.is_modified(row)), *session.deleted]
    places = {place for row in changed for place in _places_of(session, row)}
    touch(session, places)


def _places_of(session: Session, row: object) -> Iterator[Place]:
    if isinstance(row, RoundRow):
        for column in ("opened_at", "closed_at"):
            yield from ((row.table_id, hour_of(at)) for at in _values(row, column))
        yield from _places_of_round(session, row.table_id, row.log_id, row.number)
    elif isinstance(row, AlertRow):
        yield from ((row.table_id, hour_of(at)) for at in _values(row, "at"))
        yield from _places_of_round(session, row.table_id, row.log_id, row.round)
    elif isinstance(row, LogRow) and row.id is not None:
        with session.no_autoflush:
            yield from _places_of_log(session, row.id)


def _places_of_round(session: Session, table: str, log_id: int, number: int) -> Iterator[Place]:
    """The hours of a round and its alerts: a further alert or another state changes the tallies there."""
    closed = select(RoundRow.closed_at).where(RoundRow.log_id == log_id, RoundRow.number == number)
    alerts = select(AlertRow.at).where(AlertRow.log_id == log_id, AlertRow.round == number)
    with session.no_autoflush:
        moments = [*session.scalars(closed), *session.scalars(alerts)]
    yield from ((table, hour_of(at)) for at in moments)


def _values(row: object, column: str) -> Iterator[datetime]:
    """A column's current and previous values."""
    history = inspect(row).attrs[column].history
    yield from (at for at in (*history.sum(), getattr(row, column)) if at is not None)


def _places_of_log(session: Session, log_id: int) -> Iterator[Place]:
    rounds = select(RoundRow.table_id, RoundRow.opened_at, RoundRow.closed_at).where(RoundRow.log_id == log_id)
    for table, *moments in session.execute(rounds):
        yield from ((table, hour_of(at)) for at in moments)
    for table, at in session.execute(select(AlertRow.table_id, AlertRow.at).where(AlertRow.log_id == log_id)):
        yield table, hour_of(at)
