"""Say where to look under hands now and then: a card that is half under one is easily missed. Layout millimetres."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.plane.change_gate import GridFrame, Mask

EVERY_S = 0.3


class UnderHands:
    """The card regions that hands lie over."""

    def __init__(self, regions: Iterable[NDArray[np.float64]], grid: GridFrame) -> None:
        """Takes the regions' polygons, (N, 2) mm each."""
        self._regions = [(polygon, grid.mask_of(polygon)) for polygon in regions]
        self._asked_t = 0.0

    def asked_mm(self, hands: Mask, t: float) -> list[NDArray[np.float64]]:
        """Points, (2,) each, all over the regions under the `hands`; none where that was asked for a moment ago."""
        if t - self._asked_t < EVERY_S:
            return []
        self._asked_t = t
        regions = [polygon for polygon, cells in self._regions if (hands & cells).any()]
        return [point for polygon in regions for point in (polygon + polygon.mean(axis=0)) / 2]
