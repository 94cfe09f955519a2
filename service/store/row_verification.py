"""Compare the rows of the database with their record, and name those that were edited, deleted, added or restored.

The chains themselves are checked elsewhere (`verification`, and `thirdcard.service.sealing` for the signatures).
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, ColumnElement, func, select, tuple_, type_coerce
from sqlalchemy.orm import Session

from thirdcard.service.store import chain
from thirdcard.service.store.columns import UtcTime
from thirdcard.service.store.recorded_rows import (
    CHAINS,
    RECORDED,
    Key,
    columns_of,
    key_names,
    recorded_values,
    table_of,
)
from thirdcard.service.store.schema import Base

AT_ONCE = 500
"""The number of rows read with one statement; SQLite allows 32,766 values in one."""
LARGEST = 2**63
"""No integer of a database reaches it."""
MOST = 20
"""The number of faults that are named; the others are only counted."""
_SCRATCH = """
CREATE TABLE last (
    chain TEXT, kind TEXT, key TEXT, seq INTEGER, content TEXT, PRIMARY KEY (chain, kind, key)
) WITHOUT ROWID
"""
"""The last entry about each row, in a temporary file, so that millions of rows need no more memory than hundreds."""
_KINDS: Mapping[str, type[Base]] = {table_of(kind).name: kind for kind in RECORDED}


@dataclass(frozen=True, slots=True)
class _Entry:
    """The last recorded entry about a row."""

    kind: type[Base]
    key: Key
    chain: str
    seq: int
    values: Mapping[str, Any] | None
    """None where the row is recorded as deleted."""

    @property
    def name(self) -> str:
        return f"{RECORDED[self.kind].word} {' and '.join(map(str, self.key))}"

    @property
    def place(self) -> str:
        return f"line {self.seq} of {self.chain}"


def verify_rows(session: Session) -> list[str]:
    """The rows that do not match their record, one sentence each; empty where all match.

    At most 20 are named, and the others are counted.
    """
    faults: list[str] = []
    count = 0
    for fault in _faults(session):
        count += 1
        if count <= MOST:
            faults.append(fault)
    return faults if count <= MOST else [*faults, f"and {count - MOST} more rows that do not agree with their record"]


def taken_over_at(session: Session) -> datetime | None:
    """When the rows of an older version were recorded; None where all were recorded as they were written."""
    for name in _chains(session):
        for line in chain.read(session, name, last=1):
            if chain.parsed(line).get("taken_over"):
                return line.at
    return None


def _faults(session: Session) -> Iterator[str]:
    known: Counter[type[Base]] = Counter()
    with closing(sqlite3.connect("")) as scratch:
        scratch.execute(_SCRATCH)
        for name in _chains(session):
            scratch.executemany("INSERT OR REPLACE INTO last VALUES (?, ?, ?, ?, ?)", _told(session, name))
            waiting: dict[type[Base], list[_Entry]] = defaultdict(list)
            for entry in _last_entries(scratch, name):
                waiting[entry.kind].append(entry)
                if len(waiting[entry.kind]) == AT_ONCE:
                    yield from _compare(session, waiting.pop(entry.kind), known)
            for entries in waiting.values():
                yield from _compare(session, entries, known)
        for kind in RECORDED:
            there = session.scalar(select(func.count()).select_from(table_of(kind))) or 0
            if there != known[kind]:
                yield from _unrecorded(session, scratch, kind)


def _chains(session: Session) -> list[str]:
    return [name for name in chain.chains(session) if name.startswith(CHAINS)]


def _told(session: Session, name: str) -> Iterator[tuple[str, str, str, int, str | None]]:
    """Every entry of a chain, in order, as rows of the scratch table."""
    for seq, content in chain.contents(session, name):
        told = content.get("rows")
        for one in told if isinstance(told, list) else ():
            for table, key, values in _rows_of(one):
                yield name, table, json.dumps(key), seq, None if values is None else json.dumps(values)


def _rows_of(told: Any) -> Iterator[tuple[str, list[Any], Mapping[str, Any] | None]]:
    """Table, key and values of each row that a part of an entry is about; the values of a deleted row are None.

    What does not have the form in which entries are written was changed, which its seal shows.
    """
    kind = _KINDS.get(str(told.get("table"))) if isinstance(told, dict) else None
    if kind is None:
        return
    one: tuple[Any, Any] = told.get("key"), told.get("is")
    for key, values in _added(kind, told) if "added" in told else [one]:
        if _is_key(kind, key) and (told.get("gone") or isinstance(values, dict)):
            yield told["table"], key, None if told.get("gone") else values


def _added(kind: type[Base], told: Mapping[str, Any]) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    columns, added = told.get("columns"), told["added"]
    for row in added if isinstance(columns, list) and isinstance(added, list) else ():
        values = dict(zip(map(str, columns or ()), row if isinstance(row, list) else (), strict=False))
        yield [values.get(name) for name in key_names(kind)], values


def _is_key(kind: type[Base], key: Any) -> bool:
    """Whether a database can look for this key."""
    columns = table_of(kind).primary_key.columns
    if not isinstance(key, list) or len(key) != len(columns):
        return False
    fit = all(isinstance(value, column.type.python_type) for value, column in zip(key, columns, strict=True))
    return fit and all(isinstance(value, str) or abs(value) < LARGEST for value in key)


def _last_entries(scratch: sqlite3.Connection, name: str) -> Iterator[_Entry]:
    """The last entry about each row of a chain, in order."""
    wanted = "SELECT kind, key, seq, content FROM last WHERE chain = ? ORDER BY seq"
    for kind, key, seq, content in scratch.execute(wanted, (name,)):
        yield _Entry(_KINDS[kind], tuple(json.loads(key)), name, seq, None if content is None else json.loads(content))


def _compare(session: Session, entries: Sequence[_Entry], known: Counter[type[Base]]) -> Iterator[str]:
    """The mismatches between rows of one kind and their entries; also counts the rows found."""
    kind = entries[0].kind
    rows = dict(_rows(session, kind, [entry.key for entry in entries]))
    known[kind] += len(rows)
    for entry in entries:
        row = rows.get(entry.key)
        if row is None and entry.values is not None:
            yield f"{entry.name}: is gone, and no line says so; {entry.place} recorded it last"
        elif row is not None and entry.values is None:
            yield f"{entry.name}: is there again; {entry.place} says that it went"
        elif row is not None and entry.values is not None:
            yield from _differences(entry, row, entry.values)


def _differences(entry: _Entry, row: Mapping[str, Any], recorded: Mapping[str, Any]) -> Iterator[str]:
    """Describe the columns that differ from the recorded values; columns added in a later version are ignored."""
    changed = [column for column, value in row.items() if column in recorded and recorded[column] != value]
    if changed:
        said = "; ".join(_difference(column, row[column], recorded[column]) for column in changed)
        yield f"{entry.name}: was changed: {said}; see {entry.place}"


def _difference(column: str, found: Any, recorded: Any) -> str:
    if isinstance(found, list) or isinstance(recorded, list):
        return f"{column} is not what it was"
    return f"{column} = {found}, recorded as {recorded}"


def _rows(session: Session, kind: type[Base], keys: Sequence[Key]) -> Iterator[tuple[Key, Mapping[str, Any]]]:
    primary = list(table_of(kind).primary_key.columns)
    wanted = primary[0].in_([key[0] for key in keys]) if len(primary) == 1 else tuple_(*primary).in_(keys)
    at = {column.name: i for i, column in enumerate(columns_of(kind))}
    for row in session.execute(select(*map(_as_stored, columns_of(kind))).where(wanted)):
        yield tuple(row[at[name]] for name in key_names(kind)), recorded_values(kind, row, are_stored=True)


def _as_stored(column: Column[Any]) -> ColumnElement[Any]:
    """A column with times and flags as the database holds them: one that is none is a changed value like any other."""
    return type_coerce(column, BigInteger) if isinstance(column.type, UtcTime | Boolean) else column


def _unrecorded(session: Session, scratch: sqlite3.Connection, kind: type[Base]) -> Iterator[str]:
    """Rows without an entry."""
    scratch.execute("CREATE INDEX IF NOT EXISTS by_key ON last (kind, key)")
    wanted, name = "SELECT 1 FROM last WHERE kind = ? AND key = ?", table_of(kind).name
    for key in _keys(session, kind):
        if scratch.execute(wanted, (name, json.dumps(list(key), default=repr))).fetchone() is None:
            yield f"{RECORDED[kind].word} {' and '.join(map(str, key))}: was added, and no line says so"


def _keys(session: Session, kind: type[Base]) -> Iterable[Key]:
    primary = list(table_of(kind).primary_key.columns)
    for row in session.execute(select(*primary).order_by(*primary)).yield_per(AT_ONCE):
        yield tuple(row)
