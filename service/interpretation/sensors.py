"""How sure a line is that a camera writes: how often lines of its kind were right on recordings whose truth is known.

Counted by `thirdcard.service.evaluate.fit_sensors` into `sensors.yaml`. Of a kind that was right `r` times of `n` the
next one is right with (r + 1) / (n + 2) (Laplace's rule of succession): one that was never met is as likely as not.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path

import yaml

SENSORS = Path(__file__).with_name("sensors.yaml")


class LineKind(StrEnum):
    """What a line says, and from what."""

    LAMP = "lamp"
    """The call: a lamp was lit, within the time in which something lay over it."""
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
    """How often a line of that kind is right, to four places, as it is logged."""
    counted = _counted()[kind]
    return round((counted["right"] + 1) / (counted["of"] + 2), 4)
