"""Times as text: RFC 3339, UTC, milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import PlainSerializer, WithJsonSchema


def format_moment(at: datetime) -> str:
    """A time as text: RFC 3339, UTC, milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Moment = Annotated[datetime, PlainSerializer(format_moment), WithJsonSchema({"type": "string", "format": "date-time"})]
