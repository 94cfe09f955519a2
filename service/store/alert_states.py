"""The states of an alert as they are stored."""

from __future__ import annotations

from enum import StrEnum


class AlertState(StrEnum):
    """Where an alert stands."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    ESCALATED = "escalated"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"
    WITHDRAWN = "withdrawn"
    """Later evidence took it back before anybody decided."""


CLOSED = frozenset({AlertState.CONFIRMED, AlertState.DISMISSED})


SAVED_BY_HAND = "incident.saved"
"""The code of what a person saved: no fault that the system found, so no figure counts it."""

UNCLOSED = (AlertState.OPEN, AlertState.ACKNOWLEDGED, AlertState.ESCALATED)
