"""Find values that no version of the service writes: text in a column of times, a flag that is neither 0 nor 1.

SQLite keeps a value of any type in any column, and in both databases a number may be too large for a time. Whoever
writes such a value by hand could break what reads the row, or hide it: a round whose flag is 2 is in no sum over flags
that are 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Float,
    Integer,
    LargeBinary,
    String,
    Table,
    and_,
    false,
    func,
    or_,
    select,
    type_coerce,
)
from sqlalchemy.orm import Session
from sqlalchemy.types import NullType, TypeEngine

from thirdcard.service.store.columns import UtcTime, stored_time
from thirdcard.service.store.schema import Base

MOST = 20
"""The number of values that are named of each table."""
LONGEST = 40
"""The longest value that is shown, in characters."""
SQLITE_TYPES: Sequence[tuple[type[TypeEngine[Any]], Sequence[str]]] = (
    (UtcTime, ("integer",)),
    (Boolean, ("integer",)),
    (Float, ("real", "integer")),
    (Integer, ("integer",)),
    (String, ("text",)),
    (LargeBinary, ("blob",)),
)
"""How SQLite stores the values of each column type."""
_FIRST, _LAST = (stored_time(at.replace(tzinfo=UTC)) for at in (datetime.min, datetime.max))


def foreign_values(session: Session) -> list[str]:
    """The values that no version of the service writes, one sentence each; empty where there are none."""
    return [fault for table in Base.metadata.sorted_tables for fault in _of_table(session, table)]


def read_any_text(session: Session) -> None:
    """Let a transaction read text that is not UTF-8, so that it is compared like any other value.

    SQLite stores such text; PostgreSQL refuses it. It holds for the connection until it is closed.
    """
    if session.get_bind().dialect.name == "sqlite":
        raw: Any = session.connection().connection.dbapi_connection
        raw.text_factory = _text


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")


def _of_table(session: Session, table: Table) -> Iterator[str]:
    is_sqlite = session.get_bind().dialect.name == "sqlite"
    tests = [(column, test) for column in table.columns if (test := _is_foreign(column, is_sqlite)) is not None]
    if not tests:
        return
    keys = list(table.primary_key.columns)
    shown = [type_coerce(column, NullType()) for column in (*keys, *(column for column, _ in tests))]
    flags = [func.coalesce(test, false()) for _, test in tests]
    for row in session.execute(select(*shown, *flags).where(or_(*(test for _, test in tests))).limit(MOST)):
        key = " and ".join(_short(value) for value in row[: len(keys)])
        values, found = row[len(keys) : len(shown)], row[len(shown) :]
        for (column, _), value, is_found in zip(tests, values, found, strict=True):
            if is_found:
                yield f"{table.name}, row {key}: {column.name} = {_short(value)}; no version of the service writes that"


def _is_foreign(column: Column[Any], is_sqlite: bool) -> ColumnElement[bool] | None:
    """What is true of a value that does not fit its column; None where the database refuses such values."""
    bare = type_coerce(column, NullType())
    tests: list[ColumnElement[bool]] = []
    if isinstance(column.type, UtcTime):
        stored = type_coerce(column, BigInteger)
        tests.append(or_(stored < _FIRST, stored > _LAST))
    if is_sqlite:
        types = next(types for kind, types in SQLITE_TYPES if isinstance(column.type, kind))
        tests.append(func.typeof(bare).not_in(types))
        if isinstance(column.type, Boolean):
            tests.append(type_coerce(column, Integer).not_in((0, 1)))
    return and_(column.is_not(None), or_(*tests)) if tests else None


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"
