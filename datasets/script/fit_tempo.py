"""Measure how fast dealers work, on drawn scripts that are played without rendering.

    python -m thirdcard.datasets.script.fit_tempo --seed 8105 --files 60 --write

Draws that many scripts each of clean play, of incidents and of other manners. Their seed is used up for blind draws.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import yaml

from thirdcard.datasets.script.director import Performance
from thirdcard.datasets.script.draw_scripts import draw_clean, draw_incidents, draw_manners
from thirdcard.datasets.script.render import prepare
from thirdcard.datasets.script.script import parse_script
from thirdcard.rules.belief.tempo import TEMPO, ActInterval
from thirdcard.rules.log.events import (
    CardDealt,
    CardRemoved,
    CardTurned,
    Event,
    NoMoreBets,
    ResultAnnounced,
    RoundClosed,
    WagerSettled,
)
from thirdcard.rules.round.round import INITIAL_CARDS

HEADING = """# How fast dealers work, in seconds: one in a thousand is shorter than `least`, one longer than `most`;
# `middle` is the median. Written by python -m thirdcard.datasets.script.fit_tempo, from drawn scripts.
# Hash: of all scripts.
"""
TAIL = 0.001
"""The share of durations below `least`, and above `most`."""


@dataclass(slots=True)
class TempoCounter:
    """Collects the durations of one recording's rounds, from its true log."""

    durations: dict[ActInterval, list[float]] = field(default_factory=lambda: defaultdict(list))
    _since: dict[ActInterval, float] = field(default_factory=dict)
    """When the interval that runs now began."""
    _dealt: int = 0

    def observe(self, event: Event) -> None:
        """Take the next event of the truth."""
        match event:
            case NoMoreBets():
                self._since[ActInterval.CALL_TO_CARD] = event.t
            case CardDealt() if event.hand is not None:
                self._deal(event.t)
            case CardTurned():
                self._end(ActInterval.CARD_TO_TURN, event.t)
            case ResultAnnounced():
                self._since[ActInterval.RESULT_TO_SETTLING] = event.t
            case WagerSettled():
                self._end(ActInterval.RESULT_TO_SETTLING, event.t)
            case CardRemoved():
                self._end(ActInterval.REMOVAL_TO_REMOVAL, event.t)
                self._since[ActInterval.REMOVAL_TO_REMOVAL] = event.t
            case RoundClosed():
                self._since = {ActInterval.END_TO_CARD: event.t}
                self._dealt = 0

    def _deal(self, t: float) -> None:
        for interval in (ActInterval.CALL_TO_CARD, ActInterval.END_TO_CARD, ActInterval.CARD_TO_CARD):
            self._end(interval, t)
        self._dealt += 1
        if self._dealt < INITIAL_CARDS:
            self._since[ActInterval.CARD_TO_CARD] = t
        elif self._dealt == INITIAL_CARDS:
            self._since[ActInterval.CARD_TO_TURN] = t

    def _end(self, interval: ActInterval, t: float) -> None:
        began_t = self._since.pop(interval, None)
        if began_t is not None:
            self.durations[interval].append(t - began_t)


def measure(performances: Iterable[Performance]) -> Mapping[ActInterval, Sequence[float]]:
    """The durations of each interval, in seconds."""
    durations: dict[ActInterval, list[float]] = {interval: [] for interval in ActInterval}
    for performance in performances:
        counter = TempoCounter()
        for event in sorted(performance.chronicle.events, key=lambda event: event.t):
            counter.observe(event)
        for interval, found in counter.durations.items():
            durations[interval] += found
    return durations


def written(durations: Mapping[ActInterval, Sequence[float]], scripts: Sequence[str], *, seed: int) -> str:
    """The text of `tempo.yaml`."""
    digest = hashlib.sha256("".join(scripts).encode()).hexdigest()
    fitted = {"scripts": len(scripts), "seed": seed, "sha256": digest}
    rows = []
    for interval in ActInterval:
        least, middle, most = (float(round(value, 2)) for value in np.quantile(durations[interval], _QUANTILES))
        rows.append(
            f"  {interval}: {{of: {len(durations[interval])}, least: {least}, middle: {middle}, most: {most}}}\n"
        )
    return f"{HEADING}{yaml.safe_dump({'fitted': fitted}, sort_keys=False)}intervals:\n{''.join(rows)}"


_QUANTILES = (TAIL, 0.5, 1.0 - TAIL)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True, help="a seed that no blind draw uses")
    parser.add_argument("--files", type=int, default=60, help="scripts of each of the three kinds (60)")
    parser.add_argument("--write", action="store_true", help=f"write {TEMPO.name} anew")
    given = parser.parse_args()
    mappings = [
        mapping for draw in (draw_clean, draw_incidents, draw_manners) for _, mapping in draw(given.seed, given.files)
    ]
    performances = (prepare(parse_script(mapping, "draw"), Path())[1] for mapping in mappings)
    durations = measure(performances)
    scripts = [json.dumps(mapping, sort_keys=True) for mapping in mappings]
    text = written(durations, scripts, seed=given.seed)
    print(text, end="")
    if given.write:
        TEMPO.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
