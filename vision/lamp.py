"""Watch lamps on a layout: lit or dark, learned from how far their brightness swings.

Brightness is that of the brightest colour channel, 0 to 255. Nothing is said before a lamp has changed once.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frames import Image

SWING_LEVELS = 28.0
"""A lamp that swings less than this between dark and bright was never lit."""
HOLD_S = 0.1


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

    def update(self, image: Image, t: float) -> float | None:
        """Look at the lamp; returns since when it has been lit or dark, if that is new."""
        level = self._level(image)
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

    def _level(self, image: Image) -> float:
        low = np.maximum(np.floor(self.polygon_px.min(axis=0)).astype(int), 0)
        high = np.ceil(self.polygon_px.max(axis=0)).astype(int) + 1
        crop = image[low[1] : high[1], low[0] : high[0]]
        if crop.size == 0:
            return 0.0
        mask = np.zeros(crop.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.round(self.polygon_px - low).astype(np.int32)], 1)
        inside = crop[mask > 0]
        return float(np.median(inside.max(axis=1))) if len(inside) else 0.0
