"""Cut a picture into overlapping square tiles of one size, for networks that take nothing else.

Points are pixels; a tile that reaches beyond the picture is padded with black.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.frames import Image


@dataclass(frozen=True, slots=True, eq=False)
class PhotoTile:
    """One tile of a picture."""

    image: Image
    """(side, side, 3) uint8."""
    origin_px: tuple[int, int]
    """x, y of its first pixel in the picture."""
    own_px: tuple[float, float, float, float]
    """x0, y0, x1, y1 in the tile: the part that is nearer to its centre than to the next tile's."""

    def owns(self, points_px: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return a mask, (N,), of the points, (N, 2), that lie in the tile's own part."""
        low, high = np.array(self.own_px[:2]), np.array(self.own_px[2:])
        return np.asarray(((points_px >= low) & (points_px < high)).all(axis=1), np.bool_)


def tiles_of(image: Image, side_px: int, overlap_px: int) -> Iterator[PhotoTile]:
    """Yield all tiles of a picture, (H, W, 3), row by row."""
    rows, columns = starts(image.shape[0], side_px, overlap_px), starts(image.shape[1], side_px, overlap_px)
    for i, y in enumerate(rows):
        for j, x in enumerate(columns):
            part = image[y : y + side_px, x : x + side_px]
            rims = (0, side_px - part.shape[0], 0, side_px - part.shape[1])
            tile = np.asarray(cv2.copyMakeBorder(part, *rims, cv2.BORDER_CONSTANT, value=(0, 0, 0)), np.uint8)
            (x0, x1), (y0, y1) = _own(columns, j, side_px), _own(rows, i, side_px)
            yield PhotoTile(tile, (x, y), (x0, y0, x1, y1))


def starts(length: int, side: int, overlap: int) -> list[int]:
    """Return where tiles must begin to cover a length with at least this overlap."""
    if length <= side:
        return [0]
    count = int(np.ceil((length - side) / (side - overlap))) + 1
    return [round(i * (length - side) / (count - 1)) for i in range(count)]


def _own(begins: list[int], i: int, side: int) -> tuple[float, float]:
    """Return a tile's own part along one axis; unlimited at the picture's rims."""
    low = -np.inf if i == 0 else (begins[i - 1] + side - begins[i]) / 2
    high = np.inf if i == len(begins) - 1 else (begins[i + 1] + side - begins[i]) / 2
    return low, high
