"""Place the sprite of an arm in space: a plane that rises from the finger tips to the shoulder."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np

from thirdcard.datasets.scene.hands import FRONT_MM, LENGTH_MM, SCALE, SLEEVE_MM, WIDTH_MM
from thirdcard.datasets.scene.projection import Projector
from thirdcard.datasets.scene.raster import Points, Sprite


class ArmFrame:
    """The plane of an arm's sprite in space; it rises from the finger tips to the shoulder."""

    def __init__(self, tip_mm: Points, ahead: Points, *, height_mm: float, length_mm: float) -> None:
        self._tip = tip_mm
        self._ahead = ahead
        self._side = np.array([ahead[1], -ahead[0]])
        self._height = height_mm
        self._length = length_mm
        self.last_outline_mm: Points = np.empty((0, 2))
        self.last_heights_mm: Points = np.empty(0)

    def room(self, uv_mm: Points) -> tuple[Points, Points]:
        """Return the layout points, (N, 2) mm, and the heights of sprite points."""
        points = self._tip + np.outer(uv_mm[:, 0], self._side) + np.outer(uv_mm[:, 1], self._ahead)
        return points, self._height + np.clip(uv_mm[:, 1], -50, None) * 0.12

    def bands(self, projector: Projector, size_wh_px: tuple[int, int]) -> list[tuple[float, float, Points]]:
        """Split the sprite across into bands that the lens bends little: from v, to v, and corners in px of each."""
        found = []
        edges = [-FRONT_MM, 120.0, 240.0, SLEEVE_MM, LENGTH_MM]
        while edges[-1] < self._length:
            edges.append(edges[-1] + LENGTH_MM - SLEEVE_MM)
        half = WIDTH_MM / 2
        for low, high in pairwise(edges):
            start = low - (4 if low > 0 else 0)
            points, heights = self.room(np.array([[-half, start], [half, start], [half, high], [-half, high]]))
            if not projector.sees(points, heights):
                break
            quad = projector.px(points, heights)
            found.append((start, high, quad))
            if np.any(quad.min(axis=0) > np.array(size_wh_px)) or np.any(quad.max(axis=0) < 0):
                break
        self._length = found[-1][1] if found else 0.0
        return found

    def outline(self, outline_mm: Points, projector: Projector) -> Points:
        """Project a silhouette; points that the lens cannot show are left out."""
        points, heights = self.room(_stretched(outline_mm, self._length))
        seen = projector.which_seen(points, heights)
        self.last_outline_mm, self.last_heights_mm = points[seen], heights[seen]
        return projector.px(self.last_outline_mm, self.last_heights_mm)


@lru_cache(maxsize=128)
def band(sprite: Sprite, low_mm: float, high_mm: float) -> Sprite:
    """Return the part of a sprite between two places along the arm."""
    base = sprite.levels[0]
    y0 = max(round((low_mm + FRONT_MM) * SCALE), 0)
    y1 = min(round((high_mm + FRONT_MM) * SCALE), base.shape[0])
    return Sprite(np.ascontiguousarray(base[y0:y1]), premultiplied=True)


@lru_cache(maxsize=96)
def sleeve_band(sprite: Sprite, low_mm: float) -> Sprite:
    """Return the uniform part of the sleeve, every second time upside down so that it joins on."""
    number = round((low_mm - SLEEVE_MM) / (LENGTH_MM - SLEEVE_MM))
    base = band(sprite, SLEEVE_MM, LENGTH_MM).levels[0]
    return Sprite(np.ascontiguousarray(base[::-1] if number % 2 else base), premultiplied=True)


def _stretched(outline_mm: Points, length_mm: float) -> Points:
    """Extend the far end of a silhouette to a length, with points close enough for a lens with distortion."""
    far = outline_mm.copy()
    far[far[:, 1] > LENGTH_MM - 8, 1] = length_mm
    pieces = []
    for here, there in zip(far, np.roll(far, -1, axis=0), strict=True):
        count = max(int(np.linalg.norm(there - here) / 90), 1)
        pieces.append(here + (there - here) * (np.arange(count) / count)[:, None])
    return np.concatenate(pieces)
