"""Watch lamps on a layout: lit or dark, learned from how far their brightness swings.

Brightness is that of the brightest colour channel, 0 to 255. Nothing is said before a lamp has changed once, nor while
something lies over it: then the cloth round it looks different too.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frames import Image

SWING_LEVELS = 28.0
"""A lamp that swings less than this between dark and bright was never lit."""
HOLD_S = 0.15
COVER_LEVELS = 22.0
"""The cloth round a lamp differs from its usual brightness by more than this where something lies over it."""
RING = 2.4
"""How far the cloth round a lamp is looked at, in sizes of the lamp."""
SLOWLY = 0.05


@dataclass(slots=True, kw_only=True)
class Lamp:
    """One lamp."""

    region: str
    polygon_px: NDArray[np.float64]
    """(N, 2) in the camera's picture."""
    lit: bool = False
    _darkest: float = 255.0
    _brightest: float = 0.0
    _since_t: float | None = None
    _usual_ring: float | None = None

    def update(self, image: Image, t: float) -> float | None:
        """Look at the lamp; returns since when it has been lit or dark, if that is new."""
        level, ring = self._levels(image)
        if self._usual_ring is None:
            self._usual_ring = ring
        if abs(ring - self._usual_ring) > COVER_LEVELS:
            self._since_t = None
            self._usual_ring += SLOWLY * (ring - self._usual_ring)
            return None
        self._usual_ring += SLOWLY * (ring - self._usual_ring)
        self._darkest, self._brightest = min(self._darkest, level), max(self._brightest, level)
        if self._brightest - self._darkest < SWING_LEVELS:
            return None
        now_lit = level > (self._brightest + self._darkest) / 2
        if now_lit == self.lit:
            self._since_t = None
            return None
        if self._since_t is None:
            self._since_t = t
        if t - self._since_t < HOLD_S:
            return None
        self.lit = now_lit
        since, self._since_t = self._since_t, None
        return since

    def _levels(self, image: Image) -> tuple[float, float]:
        """Median brightness of the lamp and of the cloth round it."""
        middle = self.polygon_px.mean(axis=0)
        wide = middle + RING * (self.polygon_px - middle)
        low = np.maximum(np.floor(wide.min(axis=0)).astype(int), 0)
        high = np.ceil(wide.max(axis=0)).astype(int) + 1
        crop = image[low[1] : high[1], low[0] : high[0]]
        if crop.size == 0:
            return 0.0, 0.0
        brightness = crop.max(axis=2)
        lamp, around = (_inside(crop.shape[:2], points - low) for points in (self.polygon_px, wide))
        rim = around & ~_inside(crop.shape[:2], middle + 1.5 * (self.polygon_px - middle) - low)
        return _median(brightness[lamp]), _median(brightness[rim])


def _inside(shape_hw: tuple[int, int], polygon_px: NDArray[np.float64]) -> NDArray[np.bool_]:
    mask = np.zeros(shape_hw, np.uint8)
    cv2.fillPoly(mask, [np.round(polygon_px).astype(np.int32)], 1)
    return mask.astype(bool)


def _median(values: NDArray[np.uint8]) -> float:
    return float(np.median(values)) if len(values) else 0.0
