"""Show the cloth as if seen from straight above, at a fixed number of pixels per millimetre.

The maps are computed once for the whole cloth; each look remaps only the requested piece. Where the camera shows the
cloth much larger than the view needs, its picture is averaged down first, to avoid aliasing of fine print.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.errors import ImageSizeError
from thirdcard.vision.frames import Image

PX_PER_MM = 0.5
"""The scale on which the detector was trained: a card is 31 x 44 px (models/cards/detector.md)."""
MARGIN_MM = 60.0
"""Margin beyond the cloth: a card whose centre lies on the cloth's edge is wholly visible, since half its diagonal
is 54 mm."""


class Rectifier:
    """The rectified view of one camera on one cloth.

    View pixel (i, j) has its centre at `origin_mm` + (i, j) / `px_per_mm`.
    """

    def __init__(
        self,
        calibration: Calibration,
        size_mm: tuple[float, float],
        *,
        px_per_mm: float = PX_PER_MM,
        margin_mm: float = MARGIN_MM,
    ) -> None:
        """Compute the maps.

        Args:
            calibration: The camera's.
            size_mm: Width and height of the cloth.
            px_per_mm: The view's scale.
            margin_mm: How far the view extends beyond the cloth's edges.
        """
        self.px_per_mm = px_per_mm
        self.origin_mm = (-margin_mm, -margin_mm)
        self.size_px = (
            round((size_mm[0] + 2 * margin_mm) * px_per_mm),
            round((size_mm[1] + 2 * margin_mm) * px_per_mm),
        )
        self.recalibrate(calibration)

    def recalibrate(self, calibration: Calibration) -> None:
        """Use another calibration: the camera moved, the view shows the same cloth."""
        self.calibration = calibration
        map_x, map_y = calibration.rectify_maps(self.origin_mm, self.size_px, px_per_mm=self.px_per_mm)
        self.shrink = _shrink_factor(map_x, map_y)
        """Side in pixels of the squares over which the camera's picture is averaged before it is remapped."""
        self._coarse, self._fine = cv2.convertMaps(
            ((map_x + 0.5) / self.shrink - 0.5).astype(np.float32),
            ((map_y + 0.5) / self.shrink - 0.5).astype(np.float32),
            cv2.CV_16SC2,
        )
        beyond = [side // self.shrink + 2 for side in calibration.image_size_wh_px]
        self._coarse = np.clip(self._coarse, -2, np.array(beyond)).astype(np.int16)  # clipped, so that no sum overflows

    def offset_px(self, point_mm: tuple[float, float]) -> tuple[int, int]:
        """Return the pixel of the view nearest to a point of the cloth; it may lie outside the view."""
        return (
            round((point_mm[0] - self.origin_mm[0]) * self.px_per_mm),
            round((point_mm[1] - self.origin_mm[1]) * self.px_per_mm),
        )

    def snapped_mm(self, point_mm: tuple[float, float]) -> tuple[float, float]:
        """Return the centre of that pixel in mm: the true origin of a tile requested at `point_mm`."""
        column, row = self.offset_px(point_mm)
        return (self.origin_mm[0] + column / self.px_per_mm, self.origin_mm[1] + row / self.px_per_mm)

    def view(self, image: Image) -> Image:
        """Return the whole view, (size_px[1], size_px[0], 3) uint8."""
        return self.tile(image, self.origin_mm, self.size_px)

    def tile(self, image: Image, origin_mm: tuple[float, float], size_px: tuple[int, int]) -> Image:
        """Return a piece of the view; what lies beyond the view or the camera's picture is black.

        Args:
            image: The camera's picture, (H, W, 3) or (H, W) uint8.
            origin_mm: The piece's first pixel; the nearest pixel of the view is taken (`snapped_mm`).
            size_px: Width and height of the piece.

        Raises:
            ImageSizeError: The picture does not have the calibration's size.
        """
        self._check_size(image)
        x, y = self.offset_px(origin_mm)
        left, top = max(x, 0), max(y, 0)
        right, bottom = min(x + size_px[0], self.size_px[0]), min(y + size_px[1], self.size_px[1])
        if right <= left or bottom <= top:
            return np.zeros((size_px[1], size_px[0], *image.shape[2:]), np.uint8)
        piece = self._remap(image, slice(top, bottom), slice(left, right))
        if piece.shape[:2] == (size_px[1], size_px[0]):
            return piece
        rims = (top - y, y + size_px[1] - bottom, left - x, x + size_px[0] - right)
        return np.asarray(cv2.copyMakeBorder(piece, *rims, cv2.BORDER_CONSTANT, value=0), np.uint8)

    def _remap(self, image: Image, rows: slice, columns: slice) -> Image:
        coarse, fine = np.asarray(self._coarse[rows, columns], np.int16), self._fine[rows, columns]
        if self.shrink > 1:
            image, coarse = self._shrunk(image, coarse)
        return np.asarray(cv2.remap(image, coarse, fine, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT), np.uint8)

    def _shrunk(self, image: Image, coarse: NDArray[np.int16]) -> tuple[Image, NDArray[np.int16]]:
        """Return the part of the picture that the map uses, averaged down, and the map into it."""
        width, height = image.shape[1] // self.shrink, image.shape[0] // self.shrink
        columns, rows = coarse[:, :, 0], coarse[:, :, 1]
        left = int(np.clip(columns.min() - 1, 0, width - 1))
        top = int(np.clip(rows.min() - 1, 0, height - 1))
        right = int(np.clip(columns.max() + 3, left + 1, width))
        bottom = int(np.clip(rows.max() + 3, top + 1, height))
        s = self.shrink
        part = image[top * s : bottom * s, left * s : right * s]
        small = cv2.resize(part, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
        return np.asarray(small, np.uint8), coarse - np.array([left, top], np.int16)

    def _check_size(self, image: Image) -> None:
        found = (image.shape[1], image.shape[0])
        allowed = (int(self.calibration.image_size_wh_px[0]), int(self.calibration.image_size_wh_px[1]))
        if found != allowed:
            raise ImageSizeError(found, allowed)


def _shrink_factor(map_x: NDArray[np.float32], map_y: NDArray[np.float32]) -> int:
    """Return how many camera pixels one view pixel covers in the middle of the view, rounded down, at least 1."""
    row, column = map_x.shape[0] // 2, map_x.shape[1] // 2
    along = np.hypot(map_x[row, column + 1] - map_x[row, column], map_y[row, column + 1] - map_y[row, column])
    across = np.hypot(map_x[row + 1, column] - map_x[row, column], map_y[row + 1, column] - map_y[row, column])
    return max(1, int(min(along, across) + 0.25))
