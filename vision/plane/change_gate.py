"""Detect which parts of a table changed, from a small rectified picture.

The picture has one cell per 10 mm of cloth. It is compared with the previous picture (motion) and with the settled
table (foreground), after a common factor for the light is removed. Knows nothing of cards or hands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration

CELLS_PER_MM = 0.1
"""A cell of 10 mm: a chip covers a dozen, a fingertip two or three, and a table of 2.1 x 1.1 m has 30 000 with its
margin."""
MARGIN_MM = 120.0
"""How far the small picture reaches beyond the cloth: arms come from there."""
SMALL_WH_PX = (480, 270)
CHANGE_LEVELS = 11.0
"""Grey levels by which a cell must differ to count as changed."""
MOTION_LEVELS = 9.0
"""Grey levels by which a moving cell differs from the last look. With a lower value noise moves; with a higher one a
sleeve in the cloth's colour does not. Chosen by hand."""
SETTLE_S = 1.0
"""Seconds of stillness after which a cell becomes part of the settled table. With a shorter time a hand that pauses
becomes table. Chosen by hand."""
SETTLING = 0.2
"""Weight of the present picture in the settled one where nothing moves."""
DARKEST = 4.0
"""Levels added to both, so that noise in the dark does not give a large factor."""

Mask = NDArray[np.bool_]
"""(H, W) cells, or pixels of a view."""
Polygon = NDArray[np.float64]
"""(N, 2) corners in order, layout millimetres."""
Polygons = Mapping[str, Polygon]
"""Polygons by region name."""
Picture = NDArray[np.float32]
_Levels = NDArray[np.float32] | NDArray[np.uint8]
Level = TypeVar("Level", np.uint8, np.float32)


@dataclass(frozen=True, slots=True)
class GridFrame:
    """The position of the cells on the cloth."""

    origin_mm: tuple[float, float]
    shape_hw: tuple[int, int]

    def mask_of(self, polygon_mm: NDArray[np.float64], grow_mm: float = 0.0) -> Mask:
        """Return the cells under a polygon, grown by `grow_mm` on every side."""
        cells = np.zeros(self.shape_hw, np.uint8)
        points = (polygon_mm - np.asarray(self.origin_mm)) * CELLS_PER_MM - 0.5
        cv2.fillPoly(cells, [np.round(points).astype(np.int32)], 1)
        reach = round(grow_mm * CELLS_PER_MM)
        if reach > 0:
            kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
            cells = np.asarray(cv2.dilate(cells, kernel), np.uint8)
        return cells.astype(bool)

    def cells_of_box(self, x0: float, y0: float, x1: float, y1: float) -> tuple[slice, slice]:
        """Return the rows and columns of the cells inside a box in mm."""
        height, width = self.shape_hw
        left, top = (np.array([x0, y0]) - self.origin_mm) * CELLS_PER_MM
        right, bottom = (np.array([x1, y1]) - self.origin_mm) * CELLS_PER_MM
        rows = slice(int(np.clip(top, 0, height)), int(np.clip(np.ceil(bottom), 0, height)))
        return rows, slice(int(np.clip(left, 0, width)), int(np.clip(np.ceil(right), 0, width)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The changes that the small picture shows at one moment."""

    t: float
    picture: Picture
    """(H, W, 3) small rectified picture."""
    moving: Mask
    """(H, W) cells that differ from the last picture."""
    foreground: Mask
    """(H, W) cells that differ from the settled table, or moved less than 0.3 s ago."""
    strange: Mask
    """(H, W) cells that differ from the settled table, moving or not."""
    still_s: NDArray[np.float64]
    """(H, W) seconds since each cell last moved."""


class ChangeGate:
    """Compares each small picture with the previous one and with the settled table."""

    def __init__(self, calibration: Calibration, size_mm: tuple[float, float]) -> None:
        width = int(np.ceil((size_mm[0] + 2 * MARGIN_MM) * CELLS_PER_MM))
        height = int(np.ceil((size_mm[1] + 2 * MARGIN_MM) * CELLS_PER_MM))
        self.grid = GridFrame((-MARGIN_MM, -MARGIN_MM), (height, width))
        self.recalibrate(calibration)
        self._last: Picture | None = None
        self._settled: Picture | None = None
        self._moved_t: NDArray[np.float64] = np.full((height, width), -np.inf)

    def recalibrate(self, calibration: Calibration) -> None:
        """Use another calibration: the camera moved, the cells did not."""
        height, width = self.grid.shape_hw
        maps = calibration.rectify_maps(self.grid.origin_mm, (width, height), px_per_mm=CELLS_PER_MM)
        self._maps = _small_maps(*maps, calibration.image_size_wh_px)

    def update(self, small_hw3: NDArray[np.uint8], t: float) -> Change:
        """Take the next picture and return what changed.

        Args:
            small_hw3: (270, 480, 3) uint8, the whole frame scaled down.
            t: Stream time in seconds.
        """
        picture = self.rectified(small_hw3)
        if self._last is None or self._settled is None:
            self._last, self._settled = picture, picture.copy()
            self._moved_t[:] = t - SETTLE_S
        moving = difference(picture, self._last) > MOTION_LEVELS
        self._moved_t[moving] = t
        still_s = t - self._moved_t
        strange = difference(picture, self._settled) > CHANGE_LEVELS
        settled = still_s >= SETTLE_S
        cv2.accumulateWeighted(picture, self._settled, SETTLING, mask=settled.astype(np.uint8))
        self._last = picture
        foreground = strange | (still_s < 0.3)
        return Change(t=t, picture=picture, moving=moving, foreground=foreground, strange=strange, still_s=still_s)

    def rectified(self, small_hw3: NDArray[np.uint8]) -> Picture:
        """Return the cells' colours in a picture, (270, 480, 3) uint8, without remembering it."""
        blurred = cv2.blur(small_hw3, (3, 3))
        cells = cv2.remap(blurred, *self._maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cells, np.float32)


def difference(picture: Picture, reference: Picture) -> NDArray[np.float32]:
    """Return the largest difference over the channels, (H, W), after the median factor of the light is removed."""
    gain = np.float32(light_gain(picture[::3, ::3, 1], reference[::3, ::3, 1]))
    return largest(np.asarray(cv2.absdiff(picture, reference * gain), np.float32))


def light_gain(now: _Levels, before: _Levels) -> float:
    """Return how much brighter one view is than another of the same place, as a factor for the light.

    The median ratio over all levels of two views of one shape; several times as fast as `np.median` for so few.
    """
    factors = ((now + DARKEST) / (before + DARKEST)).ravel()
    middle = factors.size // 2
    if factors.size % 2:
        return float(np.partition(factors, middle)[middle])
    low, high = np.partition(factors, (middle - 1, middle))[middle - 1 : middle + 1]
    return float((low + high) / 2.0)


def largest(levels: NDArray[Level]) -> NDArray[Level]:
    """Return the largest of the three channels, (H, W), of (H, W, 3); ten times as fast as `max` over the last axis."""
    return np.asarray(np.maximum(np.maximum(levels[:, :, 0], levels[:, :, 1]), levels[:, :, 2]))


def _small_maps(
    map_x: NDArray[np.float32], map_y: NDArray[np.float32], size_wh_px: tuple[int, int]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    scale_x, scale_y = SMALL_WH_PX[0] / size_wh_px[0], SMALL_WH_PX[1] / size_wh_px[1]
    small_x = (map_x + 0.5) * scale_x - 0.5
    small_y = (map_y + 0.5) * scale_y - 0.5
    return small_x.astype(np.float32), small_y.astype(np.float32)
