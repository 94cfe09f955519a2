"""Record the new values of each changed database row in a chain, in the same transaction as the change.

Every writing session does so by itself for rows that are added, changed or deleted as objects; a test in tests/house
forbids statements that change many recorded rows at once. An entry names the acts of the audit chain in its
transaction, which say who made the change and why. A transaction adds one entry to each chain that it concerns:

    {"acts": [17], "rows": [
        {"table": "alerts", "key": [3], "is": {"state": "confirmed", ...}, "was": {"state": "open"}}]}

`is` holds every column, `was` those that were changed. A deleted row has `gone` instead of `is`. Entries with
`taken_over` were made once, when a database older than these chains was opened.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, event, func, inspect, select
from sqlalchemy.orm import Session

from thirdcard.service.store import chain
from thirdcard.service.store.recorded_rows import (
    RECORDED,
    Key,
    chain_of_row,
    chain_of_subject,
    columns_of,
    key_names,
    parent_of,
    recorded_value,
    recorded_values,
    table_of,
)
from thirdcard.service.store.schema import AlertRow, Base, LogRow

AT_ONCE = 200
"""The number of rows in one entry when an older database is recorded: about 100 KB of JSON."""
_SQLITE_NOW = "SELECT strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')"
_CHANGED = "changed rows"
_ACTS = "acts of the audit"


@dataclass(slots=True)
class _Changed:
    """A row changed in this transaction."""

    row: Base
    was: dict[str, Any] = field(default_factory=dict)
    """The previous values of its changed columns."""
    is_new: bool = False
    """Whether it was added in this transaction, so that there are no previous values."""
    is_gone: bool = False
    chain: str | None = None
    """The chain of a deleted row, found while it still existed."""


def follow_rows(sessions: type[Session]) -> None:
    """Record all changes of sessions of this class."""
    event.listen(sessions, "after_flush", _collect)
    event.listen(sessions, "before_commit", _record)


def note_act(session: Session, seq: int) -> None:
    """Add a line of the audit chain that says who changes rows in this transaction, and why."""
    session.info.setdefault(_ACTS, []).append(seq)


def database_time(session: Session) -> datetime:
    """The current time by the database's own clock."""
    if session.get_bind().dialect.name == "sqlite":
        text: str = session.connection().exec_driver_sql(_SQLITE_NOW).scalar_one()
        return datetime.fromisoformat(text)
    now: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
    return now


def take_over(connection: Connection) -> None:
    """Record every row with its present values; earlier values are unknown."""
    present = {table: {one["name"] for one in inspect(connection).get_columns(table)} for table in _tables(connection)}
    with Session(connection) as session:
        tables = _gaming_tables(session)
        for kind in RECORDED:
            name = table_of(kind).name
            if name in present:
                _take_over_kind(session, kind, present[name], tables)
        session.flush()


def _take_over_kind(session: Session, kind: type[Base], present: set[str], tables: dict[str, dict[int, str]]) -> None:
    table, subject = table_of(kind), RECORDED[kind].subject
    columns = [column for column in columns_of(kind) if column.name in present]
    waiting: dict[str, list[dict[str, Any]]] = defaultdict(list)
    rows = session.execute(select(*columns).order_by(*table.primary_key.columns)).yield_per(AT_ONCE)
    for row in rows.mappings():
        values = {column.name: recorded_value(kind, column, row[column]) for column in columns}
        name = chain_of_subject(subject, _gaming_table(values, tables))
        key = [row[column] for column in table.primary_key.columns]
        waiting[name].append({"table": table.name, "key": key, "is": values})
        if len(waiting[name]) == AT_ONCE:
            _append_taken_over(session, name, waiting.pop(name))
    for name, entries in sorted(waiting.items()):
        _append_taken_over(session, name, entries)


def _append_taken_over(session: Session, name: str, entries: list[dict[str, Any]]) -> None:
    chain.append(session, name, [{"taken_over": True, "rows": entries}], at=database_time(session))
    session.expunge_all()


def _tables(connection: Connection) -> list[str]:
    return inspect(connection).get_table_names()


def _gaming_tables(session: Session) -> dict[str, dict[int, str]]:
    """The gaming table of each alert and log, by the column that refers to them."""
    return {
        "alert_id": dict(session.execute(select(AlertRow.id, AlertRow.table_id)).all()),
        "log_id": dict(session.execute(select(LogRow.id, LogRow.table_id)).all()),
    }


def _gaming_table(values: dict[str, Any], tables: dict[str, dict[int, str]]) -> str | None:
    if "table_id" in values:
        return str(values["table_id"])
    for column, found in tables.items():
        if column in values:
            return found.get(values[column])
    return None


def _collect(session: Session, _context: object) -> None:
    """Collect the rows that a flush changes, with their previous values."""
    changed: dict[tuple[type[Base], Key], _Changed] = session.info.setdefault(_CHANGED, {})
    for row in session.new:
        if type(row) in RECORDED:
            one = changed.setdefault(_key_of(row), _Changed(row, is_new=True))
            one.row, one.is_gone = row, False
    for row in session.dirty:
        if type(row) in RECORDED and session.is_modified(row):
            one = changed.setdefault(_key_of(row), _Changed(row))
            one.was = dict(_old_values(row)) | one.was
    for row in session.deleted:
        if type(row) in RECORDED:
            one = changed.setdefault(_key_of(row), _Changed(row))
            one.was = recorded_values(row) | dict(_old_values(row)) | one.was
            one.is_gone, one.chain = True, chain_of_row(session, row)


def _record(session: Session) -> None:
    """Append the entries of this transaction, in order of the chains' names, so that transactions cannot deadlock."""
    session.flush()
    changed: dict[tuple[type[Base], Key], _Changed] = session.info.pop(_CHANGED, {})
    acts: list[int] = session.info.pop(_ACTS, [])
    entries: dict[str, list[dict[str, Any]]] = defaultdict(list)
    names: dict[tuple[object, ...], str] = {}
    for (kind, key), one in changed.items():
        if not (one.is_new and one.is_gone):
            name = one.chain if one.is_gone and one.chain else _chain_of(session, one.row, names)
            entries[name].append({"table": table_of(kind).name, "key": list(key), **_told(one)})
    if not entries:
        return
    at = database_time(session)
    for name, rows in sorted(entries.items()):
        chain.append(session, name, [({"acts": acts} if acts else {}) | {"rows": rows}], at=at)


def _chain_of(session: Session, row: Base, names: dict[tuple[object, ...], str]) -> str:
    """The chain that records a row; `names` keeps it for rows with the same parent."""
    parent = parent_of(row)
    if parent not in names:
        names[parent] = chain_of_row(session, row)
    return names[parent]


def _told(one: _Changed) -> dict[str, Any]:
    told: dict[str, Any] = {"gone": True} if one.is_gone else {"is": recorded_values(one.row)}
    return told if one.is_new or not one.was else told | {"was": one.was}


def _key_of(row: Base) -> tuple[type[Base], Key]:
    kind = type(row)
    return kind, tuple(getattr(row, name) for name in key_names(kind))


def _old_values(row: Base) -> Iterator[tuple[str, Any]]:
    """The previous values of changed columns, as far as they were loaded."""
    kind, state = type(row), inspect(row)
    for column in columns_of(kind):
        old = state.attrs[column.name].history.deleted
        if old:
            yield column.name, recorded_value(kind, column, old[0])
