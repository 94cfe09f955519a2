"""Print repeated patterns on surfaces: squares, diamonds, stars, rings and nested ones, at any size and rotation.

Used only for the detector's tabletop training set: a pattern of the size of cards or chips must not be detected as one.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Colour = tuple[float, float, float]


def printed(surface: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Return a copy of a surface, (H, W, 3), with a pattern on it, faint to bold."""
    height, width = surface.shape[:2]
    cell_px = int(np.exp(rng.uniform(np.log(10), np.log(90))))
    cell = _motifs(cell_px, rng)
    reach = int(np.hypot(height, width)) // cell_px + 2
    sheet = np.tile(cell, (reach, reach))
    if rng.random() < 0.4:  # staggered rows, like bricks
        for row in range(1, reach, 2):
            band = slice(row * cell_px, (row + 1) * cell_px)
            sheet[band] = np.roll(sheet[band], cell_px // 2, axis=1)
    matrix = cv2.getRotationMatrix2D((sheet.shape[1] / 2, sheet.shape[0] / 2), float(rng.uniform(0, 360)), 1.0)
    matrix[:, 2] -= (sheet.shape[1] / 2 - width / 2, sheet.shape[0] / 2 - height / 2)
    mask = cv2.warpAffine(sheet, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP)
    alpha = mask.astype(np.float32)[:, :, None] / 255 * float(rng.uniform(0.25, 0.95))
    colour = rng.uniform(0, 255, 3).astype(np.float32)
    return np.asarray(surface + (colour - surface) * alpha, np.float32)


def _motifs(cell_px: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Draw one cell of a pattern: one to three figures about its centre, one inside the other."""
    cell = np.zeros((cell_px, cell_px), np.uint8)
    middle = cell_px / 2
    for share in np.sort(rng.uniform(0.15, 1.0, int(rng.integers(1, 4))))[::-1]:
        points = _figure(int(rng.integers(5)), rng) * middle * share + middle
        outline = [np.round(points).astype(np.int32)]
        if rng.random() < 0.35:
            cv2.fillPoly(cell, outline, 0 if cell.any() and rng.random() < 0.6 else 255, cv2.LINE_AA)
        else:
            cv2.polylines(cell, outline, True, 255, max(1, int(cell_px * rng.uniform(0.02, 0.1))), cv2.LINE_AA)
    return cell


def _figure(kind: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return corners about 0, (N, 2) within -1 to 1: a rectangle, a diamond, a star, a ring or a flower."""
    if kind == 0:
        return np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (1.0, rng.uniform(0.5, 1.0))
    if kind == 1:
        return np.array([[0, -1], [1, 0], [0, 1], [-1, 0]]) * (rng.uniform(0.5, 1.0), 1.0)
    count = {2: 2 * int(rng.integers(4, 9)), 3: 32, 4: 48}[kind]
    turn = np.linspace(0, 2 * np.pi, count, endpoint=False)
    if kind == 2:
        radius = np.where(np.arange(count) % 2, rng.uniform(0.3, 0.7), 1.0)
    else:
        petals = int(rng.integers(3, 8))
        radius = np.ones(count) if kind == 3 else 0.7 + 0.3 * np.cos(petals * turn)
    return np.asarray(np.column_stack([np.cos(turn), np.sin(turn)]) * np.asarray(radius)[:, None], np.float64)
