"""The states of an alert in the database."""

from __future__ import annotations

from enum import StrEnum


class AlertState(StrEnum):
    """The state of an alert."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    ESCALATED = "escalated"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"
    WITHDRAWN = "withdrawn"
    """Later evidence contradicted it before anybody decided."""


CLOSED = frozenset({AlertState.CONFIRMED, AlertState.DISMISSED})


SAVED_BY_HAND = "incident.saved"
"""The code of an incident saved by a person: not a fault that the system found, so no figure counts it."""

UNCLOSED = (AlertState.OPEN, AlertState.ACKNOWLEDGED, AlertState.ESCALATED)
