"""What can go wrong with a review."""

from __future__ import annotations

from thirdcard.service.ports.errors import ServiceError


class ShiftError(ServiceError):
    """What was given is no recorded shift, or nothing of it can be watched."""
