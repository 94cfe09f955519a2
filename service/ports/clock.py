"""Read the time of day. No other module of the packages does; all others are passed a clock."""

from __future__ import annotations

from datetime import UTC, datetime


def now_utc() -> datetime:
    """Return the present time in UTC."""
    return datetime.now(UTC)
