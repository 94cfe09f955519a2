"""Notice hands that come over a region and go again, whatever they do there.

Cells are the gate's, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.observations import RegionVisited
from thirdcard.vision.plane.change_gate import GridFrame, Mask

LEAST_SHARE = 0.1
"""A hand is over a region when it covers so much of it."""
AWAY_S = 0.5
"""One that comes back sooner was never gone, nor was one that no look missed, however long nobody looked."""


class Visits:
    """The hands over some regions."""

    def __init__(self, regions: Mapping[str, NDArray[np.float64]], grid: GridFrame) -> None:
        self._cells = {region: grid.mask_of(polygon) for region, polygon in regions.items()}
        self._last_t = dict.fromkeys(regions, -np.inf)
        self._was_missed = dict.fromkeys(regions, True)

    def update(self, hands: Mask, t: float) -> list[RegionVisited]:
        """Take one look in; tells of hands that are new over a region."""
        told = []
        for region, cells in self._cells.items():
            if np.count_nonzero(hands & cells) < LEAST_SHARE * np.count_nonzero(cells):
                self._was_missed[region] = True
                continue
            if self._was_missed[region] and t - self._last_t[region] > AWAY_S:
                told.append(RegionVisited(region=region, t=t))
            self._last_t[region], self._was_missed[region] = t, False
        return told
