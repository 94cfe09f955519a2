"""Measure how similar two crops of cards are where both show the card: their correlation at the best small shift.

Crops are (112, 80, 3) uint8 as `thirdcard.vision.inference.crops` makes them. Brightness and tint do not matter; a
detector's rectangle is slightly off, so a shift of some pixels is allowed.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.frames import Image
from thirdcard.vision.inference.crops import HEIGHT_PX, RIM, WIDTH_PX

SHRINK = 2
"""Factor by which crops are scaled down: a rectangle that is off by a pixel or two, or slightly turned, matters
less."""
REACH_PX = 2
"""Largest shift, in px of the small crop."""
LEAST_COLUMNS = 6
"""With fewer columns of the small crop no similarity is given."""

Small = NDArray[np.float32]


def prepared(crop: Image) -> Small:
    """Return a crop scaled down and blurred, (56, 40, 3), so that a slight turn does not matter."""
    small = cv2.resize(crop, (WIDTH_PX // SHRINK, HEIGHT_PX // SHRINK), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small.astype(np.float32), (0, 0), 0.6), np.float32)


def likeness(seen: Small, known: Small, columns: slice | None = None) -> float:
    """Return the similarity of two prepared crops, -1 to 1; NaN where too little is visible.

    Args:
        seen: A prepared crop.
        known: Another one.
        columns: Those of a crop's 80 columns in which both show the card; None: all.
    """
    rim_x, rim_y = round(WIDTH_PX * RIM / (1 + 2 * RIM) / SHRINK), round(HEIGHT_PX * RIM / (1 + 2 * RIM) / SHRINK)
    wanted = slice(0, WIDTH_PX) if columns is None else columns
    left = max(rim_x, -(-wanted.start // SHRINK)) + (1 if wanted.start > rim_x * SHRINK else 0)
    right = min(WIDTH_PX // SHRINK - rim_x, wanted.stop // SHRINK - 1)
    if right - left < LEAST_COLUMNS:
        return float("nan")
    part = known[rim_y:-rim_y, left:right]
    room = seen[rim_y - REACH_PX : HEIGHT_PX // SHRINK - rim_y + REACH_PX, max(0, left - REACH_PX) : right + REACH_PX]
    return float(cv2.matchTemplate(room, part, cv2.TM_CCOEFF_NORMED).max())
