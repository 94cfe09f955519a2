"""Compare the top discs of two stacks: the face of an untouched chip looks the same, whatever the light.

A chip laid on or taken off shows another face, or one turned another way; a stack that was pushed shows the same face
a little aside. Knows nothing of heights.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frames import Image

RADIUS_PX = 16.5
"""What is compared: a little less than a chip's radius in a crop, for the rim borders on other things."""
REACH_PX = 7
"""The same face may lie so far off, along each axis."""
_DISC_PX = 33
_OUTER_PX = 20
"""Only the disc's outer part is compared: stacks nearer to the camera's foot point lean over the inner."""
SIDE_PX = _DISC_PX + 2 * REACH_PX
SELF_LIKENESS = 0.9
"""A face that is less like itself in two looks at rest cannot be compared."""
_LOOKS = 3


def face_of(crop: Image, top_px: tuple[float, float]) -> Image:
    """(SIDE_PX, SIDE_PX, 3): the top disc and what is round it.

    Args:
        crop: A stack's crop.
        top_px: The disc's centre, in pixels right of and below the crop's middle.
    """
    height, width = crop.shape[:2]
    centre = (top_px[0] + width / 2 - 0.5, top_px[1] + height / 2 - 0.5)
    soft = cv2.GaussianBlur(crop, (0, 0), 0.8)
    return np.asarray(cv2.getRectSubPix(soft, (SIDE_PX, SIDE_PX), centre), np.uint8)


def likeness(before: Sequence[Image], after: Sequence[Image]) -> float | None:
    """How like each other two top discs are, from -1 to 1, as a share of how like each is to itself.

    Args:
        before: Looks at one disc, as `face_of` gives them.
        after: Looks at the other.

    Returns:
        The largest normalised correlation over shifts, averaged over looks; None where too few looks were taken, or a
        face shows too little to be known again.
    """
    if min(len(before), len(after)) < 2:
        return None
    own = min(_correlation(before[0], before[1]), _correlation(after[0], after[1]))
    if own < SELF_LIKENESS:
        return None
    pairs = list(zip(before, after, strict=False))[:_LOOKS]
    return float(np.mean([_correlation(first, second) for first, second in pairs])) / own


def _correlation(first: Image, second: Image) -> float:
    inner = slice(REACH_PX, REACH_PX + _DISC_PX)
    found = cv2.matchTemplate(second, first[inner, inner], cv2.TM_CCOEFF_NORMED, mask=_MASK)
    finite = found[np.isfinite(found)]
    return float(finite.max()) if len(finite) else 0.0


def _disc_mask() -> NDArray[np.float32]:
    away = np.arange(_DISC_PX) - _DISC_PX // 2
    disc = (away[:, None] ** 2 + away[None] ** 2 < RADIUS_PX**2).astype(np.float32)
    disc[_OUTER_PX:] = 0.0
    return np.dstack([disc] * 3)


_MASK = _disc_mask()
