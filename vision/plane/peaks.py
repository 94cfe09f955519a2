"""The place of a peak between pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def peak_offset_px(row: NDArray[np.floating[Any]], at: int) -> float:
    """Return how far from a row's peak the parabola through it and its two neighbours has its top.

    Args:
        row: (N,), similarities at neighbouring pixels.
        at: Index of the largest.

    Returns:
        -0.5 to 0.5; 0 where the peak lies at an end of the row.
    """
    if not 0 < at < len(row) - 1:
        return 0.0
    low, top, high = (float(each) for each in row[at - 1 : at + 2])
    bend = low - 2 * top + high
    return 0.5 * (low - high) / bend if bend < 0 else 0.0
