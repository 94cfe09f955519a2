"""Fit a card's true outline in a photograph, where it stands out from what lies below it.

An oblique camera shows a card as any quadrilateral, and a detector's box only approximates it. Paper is brighter than
most surfaces: the bright piece under the box is outlined, and accepted only if it is as large as the box and has four
sides. Points are pixels.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.detections import polygon_iou
from thirdcard.vision.frames import Image

_WORK_WIDTH_PX = 96
"""A card's short side in the small picture that is examined."""
_ROOM = 2.0
"""Size of the examined surroundings, relative to the box."""
_LEAST_IOU = 0.35
"""Least intersection over union of outline and box. Low, since the box of a card seen obliquely fits badly. Chosen
by hand."""
_LEAST_INSIDE = 0.7
"""Least share of the smaller of outline and box that must lie within the other."""
_LEAST_FILL = 0.93
"""Least share of its quadrilateral that the bright piece must fill."""


def fit_quad(image: Image, corners_px: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the outline of the card under a box, or the box itself where none is found.

    Args:
        image: (H, W, 3) uint8, BGR.
        corners_px: (4, 2), clockwise, beginning with a shorter side.

    Returns:
        (4, 2), clockwise, its first corner the one nearest to the box's first.
    """
    patch, matrix = _patch(image, corners_px)
    outline = _bright_outline(patch)
    quad = None if outline is None else _four_corners(outline)
    if quad is None:
        return corners_px
    in_image = (np.column_stack([quad, np.ones(4)]) @ np.linalg.inv(matrix).T)[:, :2]
    return _aligned(in_image, corners_px) if _agree(in_image, corners_px) else corners_px


def _agree(quad: NDArray[np.float64], box: NDArray[np.float64]) -> bool:
    """Whether an outline and a box may show the same card."""
    first, second = quad.astype(np.float32), box.astype(np.float32)
    both, _ = cv2.intersectConvexConvex(first, second)
    smaller = min(abs(cv2.contourArea(first)), abs(cv2.contourArea(second)))
    return polygon_iou(first, second) > _LEAST_IOU and both > _LEAST_INSIDE * smaller


def _patch(image: Image, corners_px: NDArray[np.float64]) -> tuple[Image, NDArray[np.float64]]:
    """Return the box upright with its surroundings, and the map, (3, 3), from the picture to it."""
    across, down = corners_px[1] - corners_px[0], corners_px[3] - corners_px[0]
    width, height = float(np.linalg.norm(across)), float(np.linalg.norm(down))
    scale = _WORK_WIDTH_PX / max(width, 1e-6)
    size = np.array([width, height]) * scale * _ROOM
    axes = np.stack([across / max(width, 1e-6), down / max(height, 1e-6)]) * scale
    matrix = np.eye(3)
    matrix[:2, :2] = axes
    matrix[:2, 2] = size / 2 - axes @ corners_px.mean(axis=0)
    smooth = cv2.GaussianBlur(image, (0, 0), 0.4 / scale) if scale < 0.7 else image
    shape = (max(8, round(size[0])), max(8, round(size[1])))
    patch = cv2.warpAffine(smooth, matrix[:2], shape, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(patch, np.uint8), matrix


def _bright_outline(patch: Image) -> NDArray[np.int32] | None:
    """Return the convex hull of the bright piece that holds the centre; None where there is none."""
    light = patch.min(axis=2)  # white is bright in all its colours
    _, mask = cv2.threshold(cv2.GaussianBlur(light, (0, 0), 1.0), 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    opened = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8))
    contours, _ = cv2.findContours(opened, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    middle = (patch.shape[1] / 2, patch.shape[0] / 2)
    holding = [each for each in contours if cv2.pointPolygonTest(each, middle, False) >= 0]
    if not holding:
        return None
    piece = max(holding, key=cv2.contourArea)
    hull = np.asarray(cv2.convexHull(piece), np.int32)
    is_solid = cv2.contourArea(piece) > _LEAST_FILL * cv2.contourArea(hull)
    return hull if is_solid and not _touches_rim(hull, patch) else None


def _touches_rim(hull: NDArray[np.int32], patch: Image) -> bool:
    x, y = hull[:, 0, 0], hull[:, 0, 1]
    return bool(min(x.min(), y.min()) <= 0 or x.max() >= patch.shape[1] - 1 or y.max() >= patch.shape[0] - 1)


def _four_corners(hull: NDArray[np.int32]) -> NDArray[np.float64] | None:
    """Return the quadrilateral round a hull; None for another shape.

    It consists of the hull's four longest sides, extended until they meet.
    """
    sides = cv2.approxPolyDP(hull, 0.025 * cv2.arcLength(hull, True), True)[:, 0].astype(np.float64)
    if len(sides) < 4:
        return None
    lengths = np.linalg.norm(np.roll(sides, -1, axis=0) - sides, axis=1)
    chosen = np.sort(np.argsort(-lengths)[:4])
    corners = [_meeting(sides, int(chosen[i - 1]), int(chosen[i])) for i in range(4)]
    if any(corner is None for corner in corners):
        return None
    quad = np.array(corners, np.float64)
    area = abs(cv2.contourArea(quad.astype(np.float32)))
    is_tight = cv2.isContourConvex(quad.astype(np.float32)) and cv2.contourArea(hull) > _LEAST_FILL * area
    return quad if is_tight else None


def _meeting(points: NDArray[np.float64], first: int, second: int) -> NDArray[np.float64] | None:
    """Return where two sides of a polygon meet when extended, p + s d = q + u e; None if they are nearly parallel."""
    p, q = points[first], points[second]
    d, e = points[(first + 1) % len(points)] - p, points[(second + 1) % len(points)] - q
    cross = d[0] * e[1] - d[1] * e[0]
    if abs(cross) < 0.2 * np.linalg.norm(d) * np.linalg.norm(e):
        return None
    share = ((q[0] - p[0]) * e[1] - (q[1] - p[1]) * e[0]) / cross
    return np.asarray(p + share * d, np.float64)


def _aligned(quad: NDArray[np.float64], like: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the same quadrilateral, clockwise, beginning with the corner nearest to the first of `like`."""
    following = np.roll(quad, -1, axis=0)
    if (quad[:, 0] * following[:, 1] - following[:, 0] * quad[:, 1]).sum() < 0:
        quad = quad[::-1]
    turns = [np.roll(quad, -i, axis=0) for i in range(4)]
    return min(turns, key=lambda turn: float(np.linalg.norm(turn - like)))
