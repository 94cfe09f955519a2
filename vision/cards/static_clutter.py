"""Remember what looked like a card before any card was laid: slots printed on the cloth, and other furniture.

A place is remembered with its small picture. While it still looks the same, what the detector finds there is print;
once a card lies there the picture differs. Knows nothing of what a card shows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.plane.change_gate import Change, GridFrame, Mask, difference

SAME_PLACE_MM = 22.0
"""A box within this distance of known print is that print: twice as far as 95 % of boxes are off (11 mm,
models/cards/detector.md), and less than two cards lie apart (26 mm). Chosen by hand."""
SAME_LEVELS = 15.0
"""Mean difference in grey levels below which a place looks unchanged."""
LEAST_SEEN = 0.4
"""Share of a place that must be visible for it to be compared. Below that, known print stays print. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class _Place:
    at_mm: NDArray[np.float64]
    cells: Mask


@dataclass(slots=True)
class StaticClutter:
    """Places that looked like cards on the bare table."""

    grid: GridFrame
    _bare: Change | None = None
    _places: list[_Place] = field(default_factory=list)
    _compared: tuple[Change, NDArray[np.float32]] | None = None
    """The last look that was compared, and its difference from the bare table in grey levels."""

    @property
    def is_made(self) -> bool:
        """Whether the bare table was recorded."""
        return self._bare is not None

    def remember(self, polygons_mm: list[NDArray[np.float64]], change: Change) -> None:
        """Record polygons, (4, 2) mm each, as print, with the table's present look."""
        self._bare = change
        self._compared = None
        self._places = [_Place(polygon.mean(axis=0), self.grid.mask_of(polygon)) for polygon in polygons_mm]

    def is_print(self, polygon_mm: NDArray[np.float64], change: Change, covered: Mask) -> bool:
        """Whether a polygon lies on known print whose visible part still looks as recorded.

        Args:
            polygon_mm: (4, 2).
            change: The present small picture.
            covered: (H, W) cells under something; a place that is mostly covered still counts as print.
        """
        if self._bare is None:
            return False
        at_mm = polygon_mm.mean(axis=0)
        for place in self._places:
            if np.linalg.norm(place.at_mm - at_mm) < SAME_PLACE_MM:
                seen = place.cells & ~covered
                changed = self._difference(change, self._bare)[seen]
                is_hidden = np.count_nonzero(seen) < LEAST_SEEN * np.count_nonzero(place.cells)
                if is_hidden or float(changed.mean()) < SAME_LEVELS:
                    return True
        return False

    def looks_as_before(self, change: Change, regions: Iterable[tuple[slice, slice]]) -> bool:
        """Whether all known print in these cells looks as recorded; nothing may lie over it."""
        inside = np.zeros(self.grid.shape_hw, bool)
        for cells in regions:
            inside[cells] = True
        if self._bare is None:
            return False
        changed = self._difference(change, self._bare)
        places = [place.cells & inside for place in self._places]
        return all(float(changed[cells].mean()) < SAME_LEVELS for cells in places if cells.any())

    def is_bare(self, polygon_mm: NDArray[np.float64], change: Change, covered: Mask) -> bool:
        """Whether enough of a polygon is visible and it looks as it did when the bare table was recorded."""
        if self._bare is None:
            return False
        cells = self.grid.mask_of(polygon_mm)
        seen = cells & ~covered
        changed = self._difference(change, self._bare)[seen]
        is_seen = np.count_nonzero(seen) >= LEAST_SEEN * np.count_nonzero(cells)
        return bool(is_seen and float(changed.mean()) < SAME_LEVELS)

    def _difference(self, change: Change, bare: Change) -> NDArray[np.float32]:
        if self._compared is None or self._compared[0] is not change:
            self._compared = change, difference(change.picture, bare.picture)
        return self._compared[1]
