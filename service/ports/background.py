"""What runs beside the room, as far as the room needs to know it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from prometheus_client.metrics_core import Metric


class Background(Protocol):
    """Notifications, devices, retention and tallies; the web application knows what they are."""

    def faults(self) -> list[str]:
        """What does not work, in words; empty where all does."""

    def figures(self) -> Iterator[Metric]:
        """Figures for Prometheus."""
