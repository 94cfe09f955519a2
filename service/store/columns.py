"""How values stand in the database, the same in SQLite and in PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Dialect, Integer
from sqlalchemy.types import TypeDecorator

BIG_ID = BigInteger().with_variant(Integer(), "sqlite")
"""A growing number: SQLite counts up by itself in plain integers only."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class UtcTime(TypeDecorator[datetime]):
    """A moment in UTC, kept as whole microseconds since 1970: SQLite knows no time zones."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Microseconds out of a moment with a time zone."""
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        """The moment, in UTC."""
        return None if value is None else _EPOCH + value * _MICROSECOND
