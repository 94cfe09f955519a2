"""The position of flat things in space, drawing of curled ones, and areas of polygons and masks."""

from __future__ import annotations

import cv2
import numpy as np

from thirdcard.datasets.scene.model import CardObject
from thirdcard.datasets.scene.raster import Brush, Points, Sprite

MASK_STEP = 2
"""Visibility is measured on masks this many times coarser than the picture."""
CARD_LIFT_MM = 0.4


def card_corners(card: CardObject, size_mm: tuple[float, float]) -> tuple[Points, Points]:
    """Return a card's corners in the plane and their heights, in the order of the side that was up before it turned."""
    a, phi = np.radians(card.angle_deg), np.pi * card.turn
    right, down = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])
    w, h = size_mm[0] / 2 * np.cos(phi), size_mm[1] / 2
    centre = np.array(card.at_mm)
    corners = np.array(
        [
            centre - right * w - down * h,
            centre + right * w - down * h,
            centre + right * w + down * h,
            centre - right * w + down * h,
        ]
    )
    low = card.height_mm + (CARD_LIFT_MM if card.height_mm > 0 else 0.0)
    high = low + size_mm[0] * np.sin(phi)
    return corners, np.array([low, high, high, low])


def signed_area(points: Points) -> float:
    """Return a polygon's area, positive if it runs clockwise on the screen."""
    x, y = points.T
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def whole_pixels(outline_px: Points) -> int:
    """Return the number of mask pixels that a polygon covers, inside the frame or not."""
    low = np.floor(outline_px.min(axis=0) / MASK_STEP) - 1
    local = outline_px / MASK_STEP - low
    size = np.minimum(np.ceil(local.max(axis=0)).astype(int) + 2, 6000)
    mask = np.zeros((int(size[1]), int(size[0])), np.uint8)
    cv2.fillPoly(mask, [np.round(local).astype(np.int32)], 1)
    return int(np.count_nonzero(mask))


def shade_curled(brush: Brush, sprite: Sprite, quad: Points, lift_px: Points) -> None:
    """Draw a sheet whose middle is raised: strips along its length, each shifted by the lift there."""
    count = 8
    texture = sprite.fitting(max(float(np.linalg.norm(quad[1] - quad[0])) * brush.factor, 1.0))
    height = texture.shape[0]
    share = np.linspace(0, 1, count + 1)
    bulge = 1 - (2 * share - 1) ** 2
    rows = np.round(share * height).astype(int)
    left = quad[0] + np.outer(share, quad[3] - quad[0]) + np.outer(bulge, lift_px)
    right = quad[1] + np.outer(share, quad[2] - quad[1]) + np.outer(bulge, lift_px)
    for k in range(count):
        strip = Sprite(np.ascontiguousarray(texture[rows[k] : max(rows[k + 1], rows[k] + 1)]), premultiplied=True)
        reach = (left[k + 1] - left[k]) * 0.06 if k else np.zeros(2)
        corners = np.array([left[k] - reach, right[k] - reach, right[k + 1], left[k + 1]])
        brush.quad(strip, corners)
