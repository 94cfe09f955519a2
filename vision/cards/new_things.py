"""Find things of a card's size that came to lie on the cloth and that the detector has not clearly named.

One look may miss what the next one finds, since the tiles lie elsewhere. Where nothing moves there is no next look
unless somebody asks. Knows sizes, not what a thing means. Layout millimetres.
"""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.cards.loose_cards import ONE_THING_MM
from thirdcard.vision.detections import order_corners
from thirdcard.vision.plane.change_gate import CELLS_PER_MM, MARGIN_MM, GridFrame, Mask, Polygon, Polygons
from thirdcard.vision.plane.occlusion import Cover

SIZES = (0.6, 1.6)
"""Allowed range of a thing's sides and area, relative to a card's: the outline is a cell too large or too small on
every side, and a third of a card's longer side is three cells."""


class NewThings:
    """What has come to lie where no card belongs."""

    def __init__(
        self, grid: GridFrame, elsewhere: Iterable[tuple[Polygons, float]], card_mm: tuple[float, float]
    ) -> None:
        """Take the cells, and where not to look.

        Args:
            grid: The cells of the small picture.
            elsewhere: Polygons in mm, and by how many mm they are grown.
            card_mm: A card's width and height.
        """
        self._grid, self._card_mm = grid, card_mm
        rim = round(MARGIN_MM * CELLS_PER_MM)
        self._open: Mask = np.zeros(grid.shape_hw, bool)
        self._open[rim:-rim, rim:-rim] = True  # the cloth: what moves beyond its edges are people
        for polygons, grow_mm in elsewhere:
            for polygon in polygons.values():
                self._open &= ~grid.mask_of(polygon, grow_mm)
        self.lying_mm: list[Polygon] = []
        """(4, 2) each: rectangles about the things, clockwise, beginning with a shorter side."""

    def update(self, cover: Cover, named_mm: NDArray[np.float64]) -> None:
        """Take one look, with the centres, (N, 2) mm, of what was clearly detected at it or before."""
        lying = (cover.change.strange & ~cover.mask & self._open).astype(np.uint8)
        self.lying_mm = []
        if not lying.any():
            return
        count, labels, stats, _ = cv2.connectedComponentsWithStats(lying, connectivity=4)
        least, most = (share * self._card_mm[0] * self._card_mm[1] * CELLS_PER_MM**2 for share in SIZES)
        for label in range(1, count):
            if not least <= stats[label, cv2.CC_STAT_AREA] <= most:
                continue
            corners = self._card_like(labels == label)
            if corners is not None and (np.linalg.norm(named_mm - corners.mean(axis=0), axis=1) >= ONE_THING_MM).all():
                self.lying_mm.append(corners)

    def asked_mm(self) -> list[NDArray[np.float64]]:
        """Return the points, (2,) mm each, where another look may name a thing."""
        return [corners.mean(axis=0) for corners in self.lying_mm]

    def _card_like(self, thing: Mask) -> Polygon | None:
        """Return the rectangle, (4, 2) mm, about a thing with a card's sides; None if its sides are others."""
        rows, columns = np.nonzero(thing)
        rectangle = cv2.minAreaRect(np.column_stack([columns, rows]).astype(np.float32))
        shares = (np.sort(rectangle[1]) + 1.0) / (np.sort(self._card_mm) * CELLS_PER_MM)
        if shares.min() < SIZES[0] or shares.max() > SIZES[1]:
            return None
        corners = order_corners(np.asarray(cv2.boxPoints(rectangle), np.float64)[None])[0]
        return np.asarray((corners + 0.5) / CELLS_PER_MM + np.asarray(self._grid.origin_mm), np.float64)
