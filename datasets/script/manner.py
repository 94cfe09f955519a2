"""How a dealer and the players move their hands, beyond what the round needs: habits that the rules leave open.

Dice of their own: a script without manners plays as it did before there were any.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thirdcard.datasets.script.script import Manner

_DICE = 7
"""Sets these dice apart from the others of the same script."""


@dataclass(slots=True)
class Habits:
    """A script's manners, and the dice that decide on each occasion."""

    manner: Manner
    rng: np.random.Generator

    def does(self, share: float) -> bool:
        """Whether it is done this time; `share` of all times."""
        return share > 0.0 and float(self.rng.random()) < share

    def between(self, low: float, high: float) -> float:
        """Any number from a range."""
        return float(self.rng.uniform(low, high))

    def near(self, value: float, spread: float) -> float:
        """Any number about there."""
        return float(self.rng.normal(value, spread))


def habits_of(manner: Manner, seed: int) -> Habits:
    """The habits of a script with that seed."""
    return Habits(manner, np.random.default_rng((seed, _DICE)))
