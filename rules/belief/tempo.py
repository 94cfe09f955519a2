"""How fast dealers work: the shortest and the longest time between two acts of a round, in seconds.

Measured by `thirdcard.datasets.script.fit_tempo` into `tempo.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

import yaml

TEMPO = Path(__file__).with_name("tempo.yaml")


class ActInterval(StrEnum):
    """The time between two acts at a table."""

    CALL_TO_CARD = "call_to_card"
    """From "No more bets" to the round's first card leaving the shoe."""
    CARD_TO_CARD = "card_to_card"
    """From one of the first four cards leaving the shoe to the next."""
    CARD_TO_TURN = "card_to_turn"
    """From the last of the first four cards leaving the shoe to the first turn."""
    RESULT_TO_SETTLING = "result_to_settling"
    """From the announced result to the first settled wager."""
    REMOVAL_TO_REMOVAL = "removal_to_removal"
    """From one card being taken away to the next, while a round's cards are collected."""
    END_TO_CARD = "end_to_card"
    """From the end of a round to the next round's first card."""


@dataclass(frozen=True, slots=True)
class Duration:
    """How long an interval lasts, in seconds."""

    least_s: float
    """One in a thousand is shorter."""
    middle_s: float
    """The median."""
    most_s: float
    """One in a thousand is longer."""


@cache
def shipped_tempo() -> Mapping[ActInterval, Duration]:
    """The durations of `tempo.yaml`."""
    rows = yaml.safe_load(TEMPO.read_text(encoding="utf-8"))["intervals"]
    return {ActInterval(name): Duration(row["least"], row["middle"], row["most"]) for name, row in rows.items()}


def duration(interval: ActInterval) -> Duration:
    """How long that interval lasts."""
    return shipped_tempo()[interval]
