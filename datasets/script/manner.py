"""The habits of dealer and patrons beyond what a round needs: how they move their hands.

They have their own random generator: a script without habits plays as before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thirdcard.datasets.script.script import Manner

_DICE = 7
"""Separates this random generator from the others of the same script."""


@dataclass(slots=True)
class Habits:
    """A script's habits, and the random generator that decides on each occasion."""

    manner: Manner
    rng: np.random.Generator

    def does(self, share: float) -> bool:
        """Return whether it is done this time; `share` is the probability."""
        return share > 0.0 and float(self.rng.random()) < share

    def between(self, low: float, high: float) -> float:
        """Draw a number from a range."""
        return float(self.rng.uniform(low, high))

    def near(self, value: float, spread: float) -> float:
        """Draw a number about `value` with the standard deviation `spread`."""
        return float(self.rng.normal(value, spread))


def habits_of(manner: Manner, seed: int) -> Habits:
    """Return the habits of a script with that seed."""
    return Habits(manner, np.random.default_rng((seed, _DICE)))
