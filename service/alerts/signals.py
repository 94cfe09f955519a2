"""Take reports from devices at a table; each is checked before it is stored."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from thirdcard.rules.errors import RulesError
from thirdcard.rules.log.events import EVENT_TYPES, DealerChanged, format_event, parse_event
from thirdcard.service.dealers.register import known_as
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store import chain
from thirdcard.service.store.schema import SignalRow

LONGEST_TEXT = 200
LARGEST_NUMBER = 10**12
EARLIEST = timedelta(minutes=10)
LATEST = timedelta(seconds=5)
"""The limits for a device's clock: 10 min behind, 5 s ahead."""
SOURCES = ("signal", "person")
"""A device's report is a signal; an operator's report is what a person saw."""


class SignalError(ServiceError):
    """The report is refused; `field` names the wrong field."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(message)


def check_signal(
    body: Mapping[str, Any], *, now: datetime, areas: Collection[str] = (), sources: Collection[str] = SOURCES
) -> tuple[datetime, dict[str, Any]]:
    """The time of a report, and the report as a line of the table log.

    Its time is `at`, or now; `t`, which a device cannot know, may be missing.

    Args:
        body: The report as sent.
        now: The time.
        areas: The ids of the table's areas; empty where unknown.
        sources: The allowed values of `source`.

    Raises:
        SignalError: A field is missing, unknown or has a value that is not allowed.
    """
    _check_values(body)
    at = _moment(body.get("at"), now)
    try:
        event = parse_event({"t": 0.0, "source": "signal", **body})
    except RulesError as error:
        raise SignalError(getattr(error, "field", None) or "body", str(error)) from error
    unknown = [name for name in body if name not in _fields_of(event.type)]
    if unknown:
        raise SignalError(unknown[0], f"{event.type} has no field {unknown[0]}")
    if event.source not in sources:
        raise SignalError("source", f"source = {event.source}; allowed: {', '.join(sources)}")
    line = format_event(event)
    if areas and "area" in line and line["area"] not in areas:
        raise SignalError("area", f"area = {line['area']}; allowed: {', '.join(areas)}")
    return at, line


def keep_signal(session: Session, table_id: str, at: datetime, body: Mapping[str, Any]) -> int:
    """Store a checked report for its table's process; returns its number.

    A dealer may be reported by badge, number or name; the register's name is stored.
    """
    if body["type"] == DealerChanged.type and body["dealer"] is not None:
        body = {**body, "dealer": known_as(session, body["dealer"], now=at)}
    row = SignalRow(table_id=table_id, at=at, body=chain.canonical(body))
    session.add(row)
    session.flush()
    return row.id


def _fields_of(kind: str) -> frozenset[str]:
    return frozenset({"type", "at", *(field.name for field in fields(EVENT_TYPES[kind]))})


def _moment(text: object, now: datetime) -> datetime:
    if text is None:
        return now
    try:
        at = datetime.fromisoformat(text) if isinstance(text, str) else None
        if at is None or at.tzinfo is None:
            raise ValueError("no time zone")
        at = at.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise SignalError("at", "at: an RFC 3339 moment with its time zone, such as 2026-01-31T20:15:00Z") from error
    if not now - EARLIEST <= at <= now + LATEST:
        raise SignalError("at", f"at = {text}; more than {EARLIEST} ago or {LATEST} ahead of this clock")
    return at


def _check_values(body: Mapping[str, Any]) -> None:
    """Refuse values that are nested, too long or not printable; their meaning is checked later."""
    for name, value in body.items():
        if name == "bets" and isinstance(value, dict):
            _check_limits(value)
            continue
        shown = json.dumps(name)[1:-1][:40]
        if isinstance(value, str) and (len(value) > LONGEST_TEXT or not value.isprintable()):
            raise SignalError(shown, f"{shown}: a text of at most {LONGEST_TEXT} printable characters")
        if isinstance(value, int | float) and not abs(value) <= LARGEST_NUMBER:
            raise SignalError(shown, f"{shown}: a number up to {LARGEST_NUMBER}")
        if isinstance(value, list | dict):
            raise SignalError(shown, f"{shown}: a single value")
        if name != shown:
            raise SignalError(shown, f"{shown} is not known here")


def _check_limits(bets: Mapping[str, Any]) -> None:
    """Check the limits of single bets, which are a mapping of mappings."""
    for limits in bets.values():
        if not isinstance(limits, dict) or any(isinstance(value, list | dict) for value in limits.values()):
            raise SignalError("bets", "bets: a mapping of bets to {minimum, maximum}")
        for value in limits.values():
            if isinstance(value, int | float) and not abs(value) <= LARGEST_NUMBER:
                raise SignalError("bets", f"bets: a number up to {LARGEST_NUMBER}")
