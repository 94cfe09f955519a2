"""Cover regions of the cloth with as few tiles as possible, none larger than necessary.

Each tile has a core: objects whose centre lies in it are wholly inside the tile. Knows nothing of pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rect = tuple[float, float, float, float]
"""x0, y0, x1, y1 in mm."""

RIM_MM = 50.0
"""Least distance of a core from its tile's edge: nearly half the diagonal of a card, 54 mm."""
SURROUNDINGS_MM = 60.0
"""Width of the surroundings shown round a core where a tile is not of full size: hands are recognised by their arms."""


@dataclass(frozen=True, slots=True)
class TileLook:
    """One tile to be examined."""

    origin_mm: tuple[float, float]
    size_mm: tuple[float, float]
    core_mm: Rect


def cover(rects_mm: Sequence[Rect], side_mm: float, *, step_mm: float, rim_mm: float = RIM_MM) -> list[TileLook]:
    """Return tiles whose cores cover all rectangles.

    They are at most `side_mm` wide and high, or smaller in steps of `step_mm`.
    """
    core_side_mm = side_mm - 2 * rim_mm
    cells = sorted(cell for rect in rects_mm for cell in _split(rect, core_side_mm))
    groups: list[Rect] = []
    for cell in cells:
        for i, group in enumerate(groups):
            joined = _join(group, cell)
            if max(joined[2] - joined[0], joined[3] - joined[1]) <= core_side_mm + 1e-6:
                groups[i] = joined
                break
        else:
            groups.append(cell)
    return [_tile(group, side_mm, step_mm) for group in groups]


def holds(rect_mm: Rect, points_mm: NDArray[np.float64], *, slack_mm: float = 0.0) -> NDArray[np.bool_]:
    """Return a mask, (N,), of the points, (N, 2), in a rectangle widened by `slack_mm`."""
    low = np.array(rect_mm[:2]) - slack_mm
    high = np.array(rect_mm[2:]) + slack_mm
    return np.asarray(((points_mm >= low) & (points_mm <= high)).all(axis=1), np.bool_)


def _split(rect: Rect, side_mm: float) -> list[Rect]:
    x0, y0, x1, y1 = rect
    columns = max(1, int(np.ceil((x1 - x0) / side_mm - 1e-9)))
    rows = max(1, int(np.ceil((y1 - y0) / side_mm - 1e-9)))
    step_x, step_y = (x1 - x0) / columns, (y1 - y0) / rows
    return [
        (x0 + i * step_x, y0 + j * step_y, x0 + (i + 1) * step_x, y0 + (j + 1) * step_y)
        for i in range(columns)
        for j in range(rows)
    ]


def _join(first: Rect, second: Rect) -> Rect:
    return (min(first[0], second[0]), min(first[1], second[1]), max(first[2], second[2]), max(first[3], second[3]))


def _tile(core: Rect, side_mm: float, step_mm: float) -> TileLook:
    """Return the smallest tile with its core in the middle."""
    width, height = (
        min(side_mm, float(np.ceil((end - begin + 2 * SURROUNDINGS_MM) / step_mm - 1e-9)) * step_mm)
        for begin, end in zip(core[:2], core[2:], strict=True)
    )
    return TileLook(((core[0] + core[2] - width) / 2, (core[1] + core[3] - height) / 2), (width, height), core)
