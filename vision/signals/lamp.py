"""Watch lamps on a layout: lit, dark or hidden. The brightness levels of each lamp are learned.

Brightness is that of the brightest colour channel, 0 to 255. A lamp is lit or dark where all of it agrees. If it does
not, or the cloth round it looks different too, or a hand is near, it is hidden. Nothing is reported about a lamp that
never changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.frames import Image
from thirdcard.vision.observations import LampChanged, LampCovered
from thirdcard.vision.plane.change_gate import largest

SWING_LEVELS = 60.0
"""Least difference between a lamp's dark and lit levels; with a smaller one it was never lit. The lamps of 13 drawn
tables differ by 105 to 230 levels, in the dimmest room by 105; sleeves and shadows that passed over a lamp that was not
in use made up to 33."""
HOLD_S = 0.15
"""Seconds for which a new state must last: three looks, 0.095 s apart, must agree. A longer time delays the report.
Chosen by hand."""
COVER_LEVELS = 22.0
"""Levels by which the cloth round a lamp must differ from its usual brightness to count as covered."""
INNER, RIM, RING = 0.55, 1.5, 2.4
"""The lamp's own light is measured within the first, the cloth round it between the others, in sizes of the lamp."""
LOW, HIGH = 20, 80
"""Percentiles that represent a lamp's darkest and brightest parts, apart from specks."""
SLOWLY = 0.05
"""Weight of each look in the cloth's usual brightness: over some 20 looks it follows the room's light, and a cover
still differs from it at once. Chosen by hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """Where a lamp and the cloth round it are in the camera's picture."""

    rows: slice
    columns: slice
    own: NDArray[np.bool_]
    around: NDArray[np.bool_]


@dataclass(slots=True, kw_only=True)
class Lamp:
    """One lamp and its learned levels."""

    region: str
    polygon_px: NDArray[np.float64]
    """(N, 2) in the camera's picture."""
    is_lit: bool = False
    """Its state when it was last visible."""
    is_hidden: bool = False
    _darkest: float = 255.0
    _brightest: float = 0.0
    _since_t: float | None = None
    _seen_t: float | None = None
    """When it was last seen in the state `is_lit`."""
    _usual_ring: float | None = None
    _places: _Places | None = None

    def moved(self, polygon_px: NDArray[np.float64]) -> None:
        """Set its new place in the picture, (N, 2) px; its levels stay."""
        self.polygon_px, self._places = polygon_px, None

    def update(self, image: Image, t: float, *, is_under_hand: bool = False) -> list[LampChanged | LampCovered]:
        """Look at the lamp and return what is new."""
        now_lit = None if is_under_hand else self._look(image)
        told: list[LampChanged | LampCovered] = []
        if self.is_hidden != (now_lit is None):
            self.is_hidden = now_lit is None
            told.append(LampCovered(region=self.region, t=t, covered=self.is_hidden))
        if now_lit is None or now_lit == self.is_lit:
            self._since_t = None
            self._seen_t = t if now_lit is not None else self._seen_t
            return told
        self._since_t = t if self._since_t is None else self._since_t
        if t - self._since_t < HOLD_S:
            return told
        since_t, earliest_t = self._since_t, self._since_t if self._seen_t is None else self._seen_t
        self.is_lit, self._since_t, self._seen_t = now_lit, None, t
        return [*told, LampChanged(region=self.region, t=since_t, t_earliest=earliest_t, lit=now_lit)]

    def _look(self, image: Image) -> bool | None:
        """Return whether it is lit; None where it is hidden."""
        low, high, ring = self._levels(image)
        usual = ring if self._usual_ring is None else self._usual_ring
        self._usual_ring = usual + SLOWLY * (ring - usual)
        if abs(ring - usual) > COVER_LEVELS:
            return None
        self._darkest, self._brightest = min(self._darkest, high), max(self._brightest, low)
        if self._brightest - self._darkest < SWING_LEVELS:
            return self.is_lit
        middle = (self._brightest + self._darkest) / 2
        if low > middle:
            return True
        return False if high < middle else None

    def _levels(self, image: Image) -> tuple[float, float, float]:
        """Return the lamp's low and high levels, and the level of the cloth round it."""
        places = self._places = _places_in(self.polygon_px, image) if self._places is None else self._places
        brightness = largest(image[places.rows, places.columns])
        low, high = _percentiles(brightness[places.own], (LOW, HIGH))
        (ring,) = _percentiles(brightness[places.around], (50,))
        return low, high, ring


def _places_in(polygon_px: NDArray[np.float64], image: Image) -> _Places:
    middle = polygon_px.mean(axis=0)
    wide = middle + RING * (polygon_px - middle)
    low = np.maximum(np.floor(wide.min(axis=0)).astype(int), 0)
    high = np.maximum(np.ceil(wide.max(axis=0)).astype(int) + 1, low)
    rows, columns = slice(low[1], high[1]), slice(low[0], high[0])
    shape_hw = image[rows, columns].shape[:2]
    own, near, around = (_inside(shape_hw, middle + size * (polygon_px - middle) - low) for size in (INNER, RIM, RING))
    return _Places(rows=rows, columns=columns, own=own, around=around & ~near)


def _inside(shape_hw: tuple[int, int], polygon_px: NDArray[np.float64]) -> NDArray[np.bool_]:
    mask = np.zeros(shape_hw, np.uint8)
    if mask.size:
        cv2.fillPoly(mask, [np.round(polygon_px).astype(np.int32)], 1)
    return mask.astype(bool)


def _percentiles(values: NDArray[np.uint8], shares: tuple[int, ...]) -> list[float]:
    return [float(level) for level in np.percentile(values, shares)] if len(values) else [0.0] * len(shares)
