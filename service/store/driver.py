"""Statements that go to the database's driver as they are.

Each alert needs several: composed statements cost twenty times as much, SQLAlchemy's plain ones five times.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

_MARKS = {"qmark": "?", "pyformat": "%s"}
"""How the drivers of SQLite and PostgreSQL mark a value."""


class DriverCursor(Protocol):
    """What the drivers of SQLite and PostgreSQL return for a statement."""

    @property
    def rowcount(self) -> int:
        """The number of changed rows."""

    def fetchone(self) -> Any:
        """Return the next row; None where there is no other."""

    def fetchall(self) -> Sequence[Any]:
        """Return all rows that remain."""


def execute(connection: Connection, statement: str, *values: Sequence[Any]) -> DriverCursor:
    """Execute a statement within the connection's transaction, once with each of these values.

    Args:
        connection: A connection that has begun its transaction.
        statement: The statement, with `?` for each value.
        values: The values of one execution each, as they are stored; none for a statement without values.

    Raises:
        DBAPIError: The driver refuses the statement, or the database does not answer.
    """
    dialect = connection.dialect
    marked = _marked(statement, _MARKS[dialect.paramstyle])
    cursor = connection.connection.cursor()
    try:
        if len(values) > 1:
            cursor.executemany(marked, values)
        else:
            cursor.execute(marked, *values)
    except dialect.loaded_dbapi.Error as error:
        raise DBAPIError.instance(marked, values, error, dialect.loaded_dbapi.Error, dialect=dialect) from error
    return cursor


@cache
def _marked(statement: str, mark: str) -> str:
    return statement.replace("?", mark)
