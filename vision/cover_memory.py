"""Remember how long each part of the cloth was covered, until just now.

What is first seen when a long cover lifts may have happened at any time under it. Cells are the gate's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.gate import GridFrame, Mask

GAP_S = 0.35
"""A cover that lifts for less than this goes on; so does one that no look saw lifted, however long nobody looked."""
JUST_NOW_S = 0.7
NEVER_T = -1e6


class CoverMemory:
    """When each cell's last cover began and ended."""

    def __init__(self, grid: GridFrame) -> None:
        self._grid = grid
        self._began_t: NDArray[np.float64] = np.full(grid.shape_hw, NEVER_T)
        self._ended_t: NDArray[np.float64] = np.full(grid.shape_hw, NEVER_T)
        self._last: Mask = np.zeros(grid.shape_hw, bool)
        """What was covered at the last look."""

    def update(self, covered: Mask, t: float) -> None:
        """Take in what is covered at `t`."""
        anew = covered & ~self._last & (t - self._ended_t > GAP_S)
        self._began_t[anew] = t
        self._ended_t[covered] = t
        self._last = covered.copy()

    def hidden_s(self, polygon_mm: NDArray[np.float64], t: float) -> float:
        """Seconds for which the middle cell of a polygon was covered until just now; 0 where it was in sight."""
        cells = self._grid.mask_of(polygon_mm)
        ended = self._ended_t[cells]
        lengths = np.where(t - ended <= JUST_NOW_S, ended - self._began_t[cells], 0.0)
        return float(np.median(lengths)) if len(lengths) else 0.0
