"""How much brighter one view is than another of the same place: the factor that light, not what lies there, makes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Levels = NDArray[np.float32] | NDArray[np.uint8]

DARKEST = 4.0
"""Added to both, so that noise in the dark makes no large factor."""


def light_gain(now: Levels, before: Levels) -> float:
    """The median factor over all levels of two views of one shape; a few times as fast as `np.median` for so few."""
    factors = ((now + DARKEST) / (before + DARKEST)).ravel()
    middle = factors.size // 2
    if factors.size % 2:
        return float(np.partition(factors, middle)[middle])
    low, high = np.partition(factors, (middle - 1, middle))[middle - 1 : middle + 1]
    return float((low + high) / 2.0)
