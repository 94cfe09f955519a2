"""Cut a card out of a full-resolution picture, upright and in the size that the reader takes.

A crop shows the card and a rim of 8 % on each side, its longer side vertical; either end may be on top. Where the
picture shows the card larger than the crop, pixels are averaged, not skipped.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.frames import Image

WIDTH_PX, HEIGHT_PX = 80, 112
"""The reader's input size (models/registry.yaml), in the shape of a card of 63 x 88 mm."""
RIM = 0.08
"""Part of the card's width and height that is added on each side."""
_MOST_SAMPLES = 6
"""Samples along a side of a crop's pixel: enough for a card that is 500 px wide, as in large photographs. Time and
memory grow with the square."""


def card_crop(
    image: Image, calibration: Calibration, corners_mm: NDArray[np.float64], *, height_mm: float = 0.0
) -> Image | None:
    """Return the crop of a card on the cloth.

    Args:
        image: The camera's whole picture, (H, W, 3) uint8.
        calibration: The camera's.
        corners_mm: (4, 2), clockwise, beginning with a shorter side, as in `Detections`.
        height_mm: How far above the cloth the card lies; if not 0, the calibration needs a pose.

    Returns:
        (112, 80, 3) uint8, or None where the card's place is outside the picture.
    """
    rimmed = with_rim(corners_mm)
    points = np.column_stack([rimmed, np.full(4, -height_mm)]) if height_mm else rimmed
    corners_px = calibration.image_from_layout(points)
    return _warp(image, corners_px) if _is_inside(image, corners_px) else None


def photo_crop(image: Image, corners_px: NDArray[np.float64]) -> Image:
    """Return the crop of a card in a photograph without calibration, (112, 80, 3) uint8.

    Args:
        image: (H, W, 3) uint8.
        corners_px: (4, 2), clockwise; the first side becomes the crop's top.
    """
    return _warp(image, with_rim(corners_px))


def with_rim(corners: NDArray[np.float64], rim: float = RIM) -> NDArray[np.float64]:
    """Return a quadrilateral, (4, 2), enlarged about its centre by a share of its width and height on each side."""
    middle = corners.mean(axis=0)
    return np.asarray(middle + (corners - middle) * (1 + 2 * rim), np.float64)


def _warp(image: Image, corners_px: NDArray[np.float64]) -> Image:
    samples = _samples_per_px(corners_px)
    width, height = WIDTH_PX * samples, HEIGHT_PX * samples
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    part, offset = _surroundings(image, corners_px)
    matrix = cv2.getPerspectiveTransform((corners_px - offset).astype(np.float32), target)
    crop = cv2.warpPerspective(part, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    if samples > 1:
        crop = cv2.resize(crop, (WIDTH_PX, HEIGHT_PX), interpolation=cv2.INTER_AREA)
    return np.asarray(crop, np.uint8)


def _samples_per_px(corners_px: NDArray[np.float64]) -> int:
    """Return how many samples a crop's pixel averages along each axis, so that no pixel of the picture is skipped."""
    sides = np.linalg.norm(corners_px - np.roll(corners_px, 1, axis=0), axis=1)
    ratio = max(sides[[1, 3]].max() / WIDTH_PX, sides[[0, 2]].max() / HEIGHT_PX)
    return int(np.clip(np.ceil(ratio - 0.25), 1, _MOST_SAMPLES))


def _surroundings(image: Image, corners_px: NDArray[np.float64]) -> tuple[Image, NDArray[np.float64]]:
    """Return the part of a picture round a quadrilateral, and where that part begins."""
    height, width = image.shape[:2]
    low = np.clip(np.floor(corners_px.min(axis=0)).astype(int) - 2, 0, (width - 1, height - 1))
    high = np.clip(np.ceil(corners_px.max(axis=0)).astype(int) + 3, low + 1, (width, height))
    return image[low[1] : high[1], low[0] : high[0]], low.astype(np.float64)


def _is_inside(image: Image, corners_px: NDArray[np.float64]) -> bool:
    """Whether the centre of a quadrilateral is in the picture."""
    middle = corners_px.mean(axis=0)
    if not np.isfinite(corners_px).all():
        return False
    return bool(0 <= middle[0] < image.shape[1] and 0 <= middle[1] < image.shape[0])
