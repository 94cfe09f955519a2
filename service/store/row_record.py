"""Record the new values of each changed database row in a chain, in the same transaction as the change.

Every writing session does so by itself for rows that are added, changed or deleted as objects; a test in tests/house
forbids statements that change many recorded rows at once. An entry names the acts of the audit chain in its
transaction, which say who made the change and why. A transaction adds one entry to each chain that it concerns:

    {"acts": [17], "rows": [
        {"table": "evidence", "columns": ["id", "alert_id", ...], "added": [[5, 3, ...], [6, 3, ...]]},
        {"table": "alerts", "key": [3], "is": {"state": "confirmed", ...}, "was": {"state": "open"}}]}

`added` holds the values of rows that were added, in the order of `columns`. Of any other row, `is` holds every column,
and `was` those that were changed. A deleted row has `gone` instead of `is`. Entries with `taken_over` were made once,
when a database older than these chains was opened. Version 0.1.0 recorded an added row by `key` and `is`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, event, inspect, select
from sqlalchemy.orm import Session

from thirdcard.service.store import chain
from thirdcard.service.store.columns import stored_time
from thirdcard.service.store.driver import execute
from thirdcard.service.store.recorded_rows import (
    RECORDED,
    Key,
    chain_of_row,
    chain_of_subject,
    column_names,
    columns_of,
    key_names,
    parent_column,
    recorded_value,
    recorded_values,
    table_of,
    values_of,
)
from thirdcard.service.store.schema import AlertRow, Base, LogRow

AT_ONCE = 200
"""The number of rows in one entry when an older database is recorded: about 100 KB of JSON."""
_NOW = {
    "sqlite": "SELECT strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')",
    "postgresql": "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US+00:00')",
}
"""Statements that return the current UTC time as ISO 8601."""
_CHANGES = "changes of rows"
_ACTS = "acts of the audit"
Identity = tuple[type[Base], Key]
"""A row's class and primary key."""


@dataclass(slots=True)
class _Changed:
    """A row that existed before this transaction, and was changed or deleted in it."""

    row: Base
    was: dict[str, Any] = field(default_factory=dict)
    """The previous values of its changed columns."""
    chain_when_gone: str | None = None
    """The chain of a deleted row, found while the row still existed; None for a row that is still there."""


@dataclass(slots=True)
class _Changes:
    """The rows that this transaction added, changed and deleted."""

    added: dict[Base, None] = field(default_factory=dict)
    """The rows that were added as objects, in order."""
    inserted: list[tuple[type[Base], Sequence[Any]]] = field(default_factory=list)
    """The rows that were added by statements: their classes, and their recorded columns as the database holds them."""
    changed: dict[Identity, _Changed] = field(default_factory=dict)


def follow_rows(sessions: type[Session]) -> None:
    """Record all changes of sessions of this class."""
    event.listen(sessions, "after_flush", _collect)
    event.listen(sessions, "before_commit", _record)


def note_act(session: Session, seq: int) -> None:
    """Add a line of the audit chain that says who changes rows in this transaction, and why."""
    session.info.setdefault(_ACTS, []).append(seq)


def insert_rows(session: Session, kind: type[Base], rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows with one statement, and record what the database returns; a tenth of the cost of objects.

    Args:
        session: The transaction.
        kind: The class of all rows.
        rows: The value of each column except an id that the database counts; the same columns for all rows.
    """
    if not rows:
        return
    session.flush()
    given = [stored_time(value) if isinstance(value, datetime) else value for row in rows for value in row.values()]
    stored = execute(session.connection(), _insertion(kind, tuple(rows[0]), len(rows)), given).fetchall()
    _changes(session).inserted += ((kind, row) for row in stored)


@cache
def _insertion(kind: type[Base], columns: Sequence[str], count: int) -> str:
    values = ", ".join([f"({', '.join('?' * len(columns))})"] * count)
    returned = ", ".join(column_names(kind))
    return f"INSERT INTO {table_of(kind).name} ({', '.join(columns)}) VALUES {values} RETURNING {returned}"


def database_time(session: Session) -> datetime:
    """The current time by the database's own clock."""
    connection = session.connection()
    (text,) = execute(connection, _NOW[connection.dialect.name]).fetchone()
    return datetime.fromisoformat(text)


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
    """Collect the rows that a flush adds, changes and deletes, with their previous values."""
    changes = _changes(session)
    for row in session.new:
        if type(row) in RECORDED:
            again = changes.changed.get(_key_of(row)) if changes.changed else None
            if again is None:
                changes.added[row] = None
            else:
                again.row, again.chain_when_gone = row, None
    for row in session.dirty:
        if type(row) in RECORDED and row not in changes.added and session.is_modified(row):
            one = changes.changed.setdefault(_key_of(row), _Changed(row))
            one.was = dict(_old_values(row)) | one.was
    for row in session.deleted:
        if row in changes.added:
            del changes.added[row]
        elif type(row) in RECORDED:
            one = changes.changed.setdefault(_key_of(row), _Changed(row))
            one.was = recorded_values(type(row), values_of(row)) | dict(_old_values(row)) | one.was
            one.chain_when_gone = _chain_of(session, type(row), one.was, {})


def _record(session: Session) -> None:
    """Append the entries of this transaction, in order of the chains' names, so that transactions cannot deadlock."""
    session.flush()
    changes = _changes(session)
    acts: list[int] = session.info.pop(_ACTS, [])
    del session.info[_CHANGES]
    chains: dict[tuple[type[Base], object], str] = {}
    added: dict[tuple[str, type[Base]], list[list[Any]]] = defaultdict(list)
    rows = [(type(row), recorded_values(type(row), values_of(row))) for row in changes.added]
    rows += [(kind, recorded_values(kind, row, are_stored=True)) for kind, row in changes.inserted]
    for kind, values in rows:
        added[_chain_of(session, kind, values, chains), kind].append([*values.values()])
    entries: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for (name, kind), lists in added.items():
        entries[name].append({"table": table_of(kind).name, "columns": column_names(kind), "added": lists})
    for (kind, key), one in changes.changed.items():
        values = recorded_values(kind, values_of(one.row)) if one.chain_when_gone is None else {}
        name = one.chain_when_gone or _chain_of(session, kind, values, chains)
        told: dict[str, Any] = {"is": values} if values else {"gone": True}
        told |= {"was": one.was} if one.was else {}
        entries[name].append({"table": table_of(kind).name, "key": key, **told})
    if not entries:
        return
    at = database_time(session)
    for name, rows_told in sorted(entries.items()):
        chain.append(session, name, [({"acts": acts} if acts else {}) | {"rows": rows_told}], at=at)


def _changes(session: Session) -> _Changes:
    changes: _Changes = session.info.setdefault(_CHANGES, _Changes())
    return changes


def _chain_of(
    session: Session, kind: type[Base], values: Mapping[str, Any], chains: dict[tuple[type[Base], Any], str]
) -> str:
    """The chain that records a row with these values; `chains` keeps it for rows with the same parent."""
    column = parent_column(kind)
    parent = kind, None if column is None else values[column]
    if parent not in chains:
        chains[parent] = chain_of_row(session, *parent)
    return chains[parent]


def _key_of(row: Base) -> Identity:
    kind = type(row)
    return kind, tuple([getattr(row, name) for name in key_names(kind)])


def _old_values(row: Base) -> Iterator[tuple[str, Any]]:
    """The previous values of changed columns, as far as they were loaded."""
    kind, state = type(row), inspect(row)
    for column in columns_of(kind):
        old = state.attrs[column.name].history.deleted
        if old:
            yield column.name, recorded_value(kind, column, old[0])
