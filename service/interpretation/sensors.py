"""The confidence of each kind of camera line: how often such lines were right on recordings with known truth.

Counted by `thirdcard.service.evaluate.fit_sensors` into `sensors.yaml`. If a kind was right `r` times of `n`, the next
one is right with (r + 1) / (n + 2) (Laplace's rule of succession); an unseen kind gets one half.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path

import yaml

SENSORS = Path(__file__).with_name("sensors.yaml")


class LineKind(StrEnum):
    """What a line reports, and from which evidence."""

    LAMP = "lamp"
    """The call: a lamp was lit, within the time in which it was covered."""
    GESTURE = "gesture"
    """The call: the dealer swept an arm over the wagering areas."""
    CHANGED = "changed"
    """Chips came, went, grew or shrank."""
    WAY = "way"
    """Whether the dealer's arm took chips to the tray or to their player."""
    PASSED = "passed"
    """A card lies before a seat, or in its box again."""


@cache
def _counted() -> Mapping[str, Mapping[str, int]]:
    counted: Mapping[str, Mapping[str, int]] = yaml.safe_load(SENSORS.read_text(encoding="utf-8"))["lines"]
    return counted


@cache
def reliability(kind: LineKind) -> float:
    """The share of right lines of that kind, to four decimals, as it is logged."""
    counted = _counted()[kind]
    return round((counted["right"] + 1) / (counted["of"] + 2), 4)
