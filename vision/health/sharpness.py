"""Measure how much of the print's fine detail a full picture still shows, compared with before.

Measures one patch of the full picture in each of the blocks with most detail. Defocus, a greasy lens and a veil of
light reduce the detail of all of them; dim light does not count as that, nor does an arm over some.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.frames import Image
from thirdcard.vision.health.print_blocks import COLUMNS, ROWS, BlockMask, PerBlock

PATCH_PX = 96
"""Side of a patch; it is halved before it is measured, so that noise counts for little."""
PATCHES = 24
"""How many of the 108 blocks are measured, those with most detail: enough that an arm over some leaves
LEAST_PATCHES, few enough to be quick. Chosen by hand."""
LEAST_DETAIL = 6.0
"""A patch with less detail than this is not measured: noise alone reaches as much."""
LEAST_PATCHES = 5
"""With fewer measurable patches no loss of detail is reported."""
SHARPEST = 0.75
"""Quantile of the patches' shares that is reported: a quarter of them exceed it."""


class Sharpness:
    """The detail that each block's patch had."""

    def __init__(self) -> None:
        self._detail: PerBlock = np.zeros((ROWS, COLUMNS), np.float32)
        self._level: PerBlock = np.ones((ROWS, COLUMNS), np.float32)
        self._chosen: NDArray[np.int64] = np.zeros((0, 2), np.int64)

    def remember(self, luma: Image, due: BlockMask) -> None:
        """Store the detail of the `due` blocks in a full picture, (H, W) uint8."""
        for row, column in np.argwhere(due):
            self._detail[row, column], self._level[row, column] = _measure(luma, int(row), int(column))
        best = np.argsort(-self._detail, axis=None)[:PATCHES]
        rows, columns = np.unravel_index(best, self._detail.shape)
        rich = self._detail[rows, columns] >= LEAST_DETAIL
        self._chosen = np.stack([rows[rich], columns[rich]], axis=1)

    def share(self, luma: Image, seen: BlockMask) -> float:
        """Return the share of the detail that is left, about 1 where nothing changed; 1 if it cannot be measured.

        Args:
            luma: (H, W) uint8 brightness of the full picture.
            seen: (9, 12) blocks that nothing hides.
        """
        shares = []
        for row, column in self._chosen:
            if seen[row, column]:
                detail, level = _measure(luma, int(row), int(column))
                dimming = min(1.0, level / self._level[row, column])
                shares.append(detail / (self._detail[row, column] * max(dimming, 0.1)))
        return float(np.quantile(shares, SHARPEST)) if len(shares) >= LEAST_PATCHES else 1.0


def _measure(luma: Image, row: int, column: int) -> tuple[float, float]:
    """Return the standard deviation of the Laplacian, and the mean level, at the centre of a block."""
    height, width = luma.shape
    x, y = (column + 0.5) * width / COLUMNS, (row + 0.5) * height / ROWS
    left = int(min(max(x - PATCH_PX / 2, 0), max(width - PATCH_PX, 0)))
    top = int(min(max(y - PATCH_PX / 2, 0), max(height - PATCH_PX, 0)))
    patch = luma[top : top + PATCH_PX, left : left + PATCH_PX]
    half = cv2.resize(patch, (patch.shape[1] // 2, patch.shape[0] // 2), interpolation=cv2.INTER_AREA)
    deviation = cv2.meanStdDev(cv2.Laplacian(half, cv2.CV_16S, ksize=1))[1]
    return float(deviation[0, 0]), float(half.mean())


def blur_of(luma: Image) -> float | None:
    """Return the spread of edges in a picture, in px, as the deviation of a Gaussian; about 1 when it is sharp.

    The picture is blurred by 1 px more. The Laplacian of an edge with spread s deviates as s^-1.5, so the remaining
    share of detail, r, gives s: s^2 = 1 / (r^(-4/3) - 1).

    Args:
        luma: (H, W) uint8 brightness.

    Returns:
        None where it shows hardly any detail.
    """
    softer = np.asarray(cv2.GaussianBlur(luma, (0, 0), 1.0), np.uint8)
    places = [(row, column) for row in range(ROWS) for column in range(COLUMNS)]
    detail = np.array([[_measure(each, *place)[0] for place in places] for each in (luma, softer)])
    best = np.argsort(-detail[0])[:PATCHES]
    own, left = detail[:, best[detail[0, best] >= LEAST_DETAIL]]
    if len(own) < LEAST_PATCHES:
        return None
    return float((np.median(left / own) ** (-4 / 3) - 1) ** -0.5)
