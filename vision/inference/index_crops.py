"""Cut a corner index out of a photograph, upright and in the size that the index reader takes.

The index, rank above sign, fills about two thirds of the crop's height or of its width, whichever is tighter. Where the
picture shows it larger than the crop, pixels are averaged, not skipped.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.frames import Image

WIDTH_PX, HEIGHT_PX = 48, 64
"""The index reader's input size (models/registry.yaml), taller than wide as an index is, rank above sign."""
INDEX_WH_PX = (34.0, 44.0)
"""Largest width and height of an index in its crop, in px."""
_MOST_SAMPLES = 4
"""Samples along a side of a crop's pixel: enough for an index that is 190 px high. Time grows with the square."""


def index_crop(
    image: Image, centre_px: NDArray[np.float64], up: NDArray[np.float64], size_px: NDArray[np.float64]
) -> Image:
    """Return the crop of one index.

    Args:
        image: (H, W, 3) uint8.
        centre_px: (2,) its centre.
        up: (2,) unit vector from sign to rank.
        size_px: (2,) its width and height.

    Returns:
        (64, 48, 3) uint8, with the picture's order of colours.
    """
    step = max(float(size_px[0]) / INDEX_WH_PX[0], float(size_px[1]) / INDEX_WH_PX[1], 1e-3)
    samples = int(np.clip(np.ceil(step - 0.3), 1, _MOST_SAMPLES))
    down, right = -up, np.array([-up[1], up[0]])
    width, height = WIDTH_PX * samples, HEIGHT_PX * samples
    axes = np.column_stack([right, down]) * step / samples
    origin = centre_px - axes @ np.array([(width - 1) / 2, (height - 1) / 2])
    matrix = np.column_stack([axes, origin])
    flags = (cv2.INTER_LINEAR if samples > 1 or step > 0.9 else cv2.INTER_CUBIC) | cv2.WARP_INVERSE_MAP
    crop = cv2.warpAffine(image, matrix, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    if samples > 1:
        crop = cv2.resize(crop, (WIDTH_PX, HEIGHT_PX), interpolation=cv2.INTER_AREA)
    return np.asarray(crop, np.uint8)
