"""Draw in millimetres on a card's texture, upright or rotated by half a turn about its centre.

Colours are RGB, 0 to 255. Texture pixels: 5 per millimetre, (0, 0) mm at the card's top-left corner.
"""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.datasets.decks.cards import CARD_SIZE_MM, CORNER_RADIUS_MM, PX_PER_MM, TEXTURE_SIZE_WH_PX

Colour = tuple[int, int, int]
Mask = npt.NDArray[np.float32]
Texture = npt.NDArray[np.uint8]

_SHIFT = 4
_SUBPIXELS = 1 << _SHIFT


def blank(paper: Colour) -> Texture:
    """Return an empty texture, (440, 315, 3) uint8 RGB."""
    width_px, height_px = TEXTURE_SIZE_WH_PX
    return np.full((height_px, width_px, 3), paper, dtype=np.uint8)


def turned(texture: Texture) -> Texture:
    """Return the same texture after half a turn."""
    return np.ascontiguousarray(texture[::-1, ::-1])


def fill(texture: Texture, points_mm: npt.NDArray[np.float64], colour: Colour) -> None:
    """Fill a polygon, points_mm (N, 2), with smooth edges."""
    cv2.fillPoly(texture, [_fixed(points_mm)], colour, lineType=cv2.LINE_AA, shift=_SHIFT)


def stroke(
    texture: Texture, points_mm: npt.NDArray[np.float64], colour: Colour, *, width_mm: float, closed: bool = True
) -> None:
    """Draw a line through points_mm (N, 2)."""
    width_px = max(1, round(width_mm * PX_PER_MM))
    cv2.polylines(texture, [_fixed(points_mm)], closed, colour, width_px, cv2.LINE_AA, _SHIFT)


def fill_all(
    texture: Texture, outlines: Iterable[npt.NDArray[np.float64]], colour: Colour, *, turn: bool = False
) -> None:
    """Fill several polygons; with `turn`, rotated by half a turn of the card."""
    for points_mm in outlines:
        fill(texture, np.asarray(CARD_SIZE_MM) - points_mm if turn else points_mm, colour)


def stamp(
    texture: Texture, mask: Mask, colour: Colour, *, box_mm: tuple[float, float, float, float], turn: bool = False
) -> None:
    """Print a mask, (H, W) float32 0 to 1, in a box (centre x, centre y, width, height) in mm."""
    x_mm, y_mm, width_mm, height_mm = box_mm
    if turn:
        x_mm, y_mm, mask = CARD_SIZE_MM[0] - x_mm, CARD_SIZE_MM[1] - y_mm, mask[::-1, ::-1]
    size = max(1, round(width_mm * PX_PER_MM)), max(1, round(height_mm * PX_PER_MM))
    small = cv2.resize(mask, size, interpolation=cv2.INTER_AREA)
    left, top = round(x_mm * PX_PER_MM - size[0] / 2), round(y_mm * PX_PER_MM - size[1] / 2)
    rows = slice(max(0, top), min(texture.shape[0], top + size[1]))
    columns = slice(max(0, left), min(texture.shape[1], left + size[0]))
    part = small[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left, None]
    under = texture[rows, columns]
    texture[rows, columns] = (under + (np.asarray(colour, np.float32) - under) * part + 0.5).astype(np.uint8)


def with_round_corners(texture: Texture) -> Texture:
    """Add the alpha of a card with rounded corners: (440, 315, 4) uint8 RGBA."""
    return np.dstack([texture, corner_alpha(CORNER_RADIUS_MM)])


def corner_alpha(radius_mm: float) -> Texture:
    """Return an alpha map, (440, 315) uint8: 255 on the card, 0 outside its round corners."""
    width_px, height_px = TEXTURE_SIZE_WH_PX
    radius_px = radius_mm * PX_PER_MM
    x = np.abs(np.arange(width_px) - (width_px - 1) / 2) - (width_px / 2 - radius_px)
    y = np.abs(np.arange(height_px) - (height_px - 1) / 2) - (height_px / 2 - radius_px)
    distance = np.hypot(np.maximum(x, 0)[None, :], np.maximum(y, 0)[:, None])
    return np.asarray(np.clip((radius_px - distance + 0.5) * 255, 0, 255), dtype=np.uint8)


def _fixed(points_mm: npt.NDArray[np.float64]) -> npt.NDArray[np.int32]:
    return np.round((points_mm * PX_PER_MM - 0.5) * _SUBPIXELS).astype(np.int32)
