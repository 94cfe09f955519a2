"""A row of every recorded kind, filled by the column types, and another value for each column."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Boolean, Column, Float, String
from sqlalchemy.orm import Session

from thirdcard.service.store.columns import UtcTime
from thirdcard.service.store.recorded_rows import RECORDED, columns_of, table_of
from thirdcard.service.store.schema import AlertRow, Base, CaseRow, LogRow, RoundRow, UserRow

FIRST: tuple[type[Base], ...] = (LogRow, RoundRow, AlertRow, CaseRow, UserRow)
"""Kinds that other kinds refer to."""
ORDER = (*FIRST, *(kind for kind in RECORDED if kind not in FIRST))
BEGAN = datetime(2026, 11, 26, 20, 0, 0, 123456, tzinfo=UTC)


def furnish(session: Session) -> None:
    """Add one row of every kind, each with the key 1 or `x`."""
    for kind in ORDER:
        session.add(kind(**{column.name: value_of(column) for column in table_of(kind).columns}))
        session.flush()


def value_of(column: Column[Any], *, other: bool = False) -> Any:
    """A value that fits a column; with `other` a different one."""
    if isinstance(column.type, UtcTime):
        return BEGAN + timedelta(days=other)
    if isinstance(column.type, Boolean):
        return not other
    if isinstance(column.type, Float):
        return 0 if not other else 0.1 + 0.2
    if isinstance(column.type, String):
        long = column.type.length is None or column.type.length >= 1000
        return ("Ø" * (column.type.length or 3000) if long else "x") if not other else "y"
    return 1 + other


def changeable_columns(kind: type[Base]) -> list[Column[Any]]:
    """The recorded columns that are neither a key nor refer to another row."""
    return [column for column in columns_of(kind) if not column.primary_key and not column.foreign_keys]


def only_row(session: Session, kind: type[Base]) -> Base:
    """The only row of a kind."""
    return session.query(kind).one()
