"""Column types that work the same in SQLite and in PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Dialect, Integer
from sqlalchemy.types import TypeDecorator

BIG_ID = BigInteger().with_variant(Integer(), "sqlite")
"""An auto-incremented id: SQLite increments only plain integers."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def stored_time(at: datetime) -> int:
    """A time with a time zone as it is stored: whole microseconds since 1970."""
    return (at - _EPOCH) // _MICROSECOND


def time_of(stored: int) -> datetime:
    """The time in UTC of stored microseconds."""
    return _EPOCH + stored * _MICROSECOND


class UtcTime(TypeDecorator[datetime]):
    """A time in UTC, stored as whole microseconds since 1970: SQLite has no time zones."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Microseconds since 1970, for a time with a time zone."""
        return None if value is None else stored_time(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        """The time in UTC."""
        return None if value is None else time_of(value)
