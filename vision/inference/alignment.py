"""Align a later look at a stack with an earlier one, by how far its middle was pushed.

Both looks are crops in one frame. Pixels of the crop.
"""

from __future__ import annotations

import cv2
import numpy as np

from thirdcard.vision.frames import Image
from thirdcard.vision.plane.peaks import peak_offset_px

REACH_PX = 12
"""Largest push that is looked for, along each axis."""
TEMPLATE_HW_PX = (48, 40)
"""Height and width of the earlier look's middle, mostly stack, that is looked for."""
LEAST_LIKENESS = 0.3
"""Below this correlation nothing is moved."""


def push_px(before: Image, after: Image) -> tuple[float, float]:
    """Return how many px right and down the middle of the earlier look lies in the later one, with subpixel accuracy.

    Args:
        before: (height, width, 3) uint8.
        after: At least (height + 2 REACH_PX, width + 2 REACH_PX, 3) uint8, with the same centre.

    Returns:
        (0, 0) where no similar place is found.
    """
    height, width = TEMPLATE_HW_PX
    template = cv2.cvtColor(_middle(before, height, width), cv2.COLOR_BGR2GRAY)
    around = cv2.cvtColor(_middle(after, height + 2 * REACH_PX, width + 2 * REACH_PX), cv2.COLOR_BGR2GRAY)
    if int(template.max()) - int(template.min()) < 8:
        return 0.0, 0.0
    likeness = np.asarray(cv2.matchTemplate(around, template, cv2.TM_CCOEFF_NORMED), np.float64)
    _, best, _, (x, y) = cv2.minMaxLoc(likeness)
    if not np.isfinite(best) or best < LEAST_LIKENESS:
        return 0.0, 0.0
    return x - REACH_PX + peak_offset_px(likeness[y, :], x), y - REACH_PX + peak_offset_px(likeness[:, x], y)


def pulled_back(after: Image, push: tuple[float, float], *, size_wh_px: tuple[int, int]) -> Image:
    """Return the later look shifted back onto the earlier one; pixels at its rim are repeated.

    Args:
        after: As `push_px` takes it.
        push: What `push_px` returned.
        size_wh_px: Size of the result, with the same centre.
    """
    width, height = size_wh_px
    left, top = (after.shape[1] - width) / 2 + push[0], (after.shape[0] - height) / 2 + push[1]
    matrix = np.array([[1.0, 0.0, left], [0.0, 1.0, top]])
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(after, matrix, size_wh_px, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _middle(image: Image, height: int, width: int) -> Image:
    top, left = (image.shape[0] - height) // 2, (image.shape[1] - width) // 2
    return image[top : top + height, left : left + width]
