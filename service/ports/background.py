"""The background work beside the pages, as far as the pages need to know it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from prometheus_client.metrics_core import Metric


class Background(Protocol):
    """Notifications, devices, retention and tallies."""

    def faults(self) -> list[str]:
        """What does not work, in words; empty where everything does."""

    def figures(self) -> Iterator[Metric]:
        """Metrics for Prometheus."""
