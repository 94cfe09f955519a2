"""Masks of all-over ornaments on cloths."""

from __future__ import annotations

import cv2
import numpy as np

from thirdcard.datasets.scene.raster import Image


def pattern_mask(family: str, size_wh_px: tuple[int, int], *, scale: float, rng: np.random.Generator) -> Image | None:
    """Return an ornament's mask of this size, None for a plain cloth; `scale` is pixels per millimetre."""
    if family == "plain":
        return None
    step_px = max(float(rng.uniform(35, 140)) * scale, 8.0)
    tile = _tile(family, step_px, rng)
    height, width = tile.shape
    repeats = (size_wh_px[1] // height + 2, size_wh_px[0] // width + 2)
    wide = np.tile(tile, repeats)
    dx, dy = int(rng.integers(width)), int(rng.integers(height))
    return np.ascontiguousarray(wide[dy : dy + size_wh_px[1], dx : dx + size_wh_px[0]])


def _tile(family: str, step_px: float, rng: np.random.Generator) -> Image:
    size = max(int(step_px), 8)
    fine = 4
    big = np.zeros((size * fine, size * fine), np.uint8)
    n = size * fine
    thick = max(int(n * rng.uniform(0.02, 0.07)), 1)
    middle = (n // 2, n // 2)
    if family == "lattice":
        for a, b in (((0, 0), (n, n)), ((0, n), (n, 0))):
            cv2.line(big, a, b, 255, thick)
    elif family == "rings":
        for share in rng.uniform(0.15, 0.5, 3):
            cv2.circle(big, middle, int(n * share), 255, thick)
    elif family in ("damask", "leaves"):
        _petals(big, rng, pointed=family == "leaves")
    elif family == "waves":
        x = np.arange(n)
        for k in range(-1, 3):
            y = n * (k / 2 + 0.15 * np.sin(2 * np.pi * x / n))
            cv2.polylines(big, [np.column_stack([x, y]).astype(np.int32)], False, 255, thick)
    elif family == "suits":
        _suit(big, int(rng.integers(4)))
    elif family == "rays":
        for angle in np.linspace(0, np.pi, int(rng.integers(3, 7)), endpoint=False):
            along = np.array([np.cos(angle), np.sin(angle)]) * n * 0.5
            start, end = np.array(middle) - along, np.array(middle) + along
            cv2.line(big, tuple(start.astype(int)), tuple(end.astype(int)), 255, thick)
    elif family == "bands":
        big[: n // 2] = 255
    elif family == "scales":
        for cx, cy in ((0, 0), (n, 0), (n // 2, n // 2), (0, n), (n, n)):
            cv2.circle(big, (cx, cy), n // 2, 255, thick)
    elif family == "stars":
        turn = np.arange(10) * np.pi / 5
        radius = np.where(np.arange(10) % 2, 0.18, 0.42) * n
        star = np.column_stack([np.sin(turn) * radius, -np.cos(turn) * radius]) + n / 2
        cv2.fillPoly(big, [star.astype(np.int32)], 255)
    else:
        for inset in (0.1, 0.28):
            low, high = int(n * inset), int(n * (1 - inset))
            cv2.rectangle(big, (low, low), (high, high), 255, thick)
        cv2.line(big, (0, n // 2), (int(n * 0.3), n // 2), 255, thick)
    return np.asarray(cv2.resize(big, (size, size), interpolation=cv2.INTER_AREA), np.uint8)


def _petals(big: Image, rng: np.random.Generator, *, pointed: bool) -> None:
    n = big.shape[0]
    count = int(rng.integers(4, 9))
    for angle in np.arange(count) * 360.0 / count:
        ahead = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))]) * n * 0.22 + n / 2
        axes = (int(n * 0.2), int(n * (0.05 if pointed else 0.1)))
        cv2.ellipse(
            big, (int(ahead[0]), int(ahead[1])), axes, float(angle), 0, 360, 255, -1 if pointed else max(n // 40, 1)
        )
    cv2.circle(big, (n // 2, n // 2), n // 12, 255, -1)
    for corner in ((0, 0), (n, 0), (0, n), (n, n)):
        cv2.circle(big, corner, n // 7, 255, max(n // 40, 1))


def _suit(big: Image, kind: int) -> None:
    n = big.shape[0]
    c, r = n // 2, n // 7
    if kind == 0:
        points = np.array([[c, c - 2 * r], [c + int(1.4 * r), c], [c, c + 2 * r], [c - int(1.4 * r), c]])
        cv2.fillPoly(big, [points.astype(np.int32)], 255)
        return
    if kind == 1:
        lobes, triangle = ((c - r, c - r // 2), (c + r, c - r // 2)), [[c - 2 * r, c], [c + 2 * r, c], [c, c + 2 * r]]
    elif kind == 2:
        lobes, triangle = ((c - r, c + r // 2), (c + r, c + r // 2)), [[c - 2 * r, c], [c + 2 * r, c], [c, c - 2 * r]]
    else:
        lobes, triangle = ((c - r, c + r // 2), (c + r, c + r // 2)), [[c - r, c + 2 * r], [c + r, c + 2 * r], [c, c]]
        cv2.circle(big, (c, c - r), r, 255, -1)
    for lobe in lobes:
        cv2.circle(big, lobe, r, 255, -1)
    cv2.fillPoly(big, [np.array(triangle, np.int32)], 255)
