"""Measure light, sharpness and noise of a camera's pictures, before anything is known of the table.

Grey levels, 0 to 255; pixels of the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np

from thirdcard.vision.frames import Frame, Image
from thirdcard.vision.health.print_blocks import COLUMNS, ROWS
from thirdcard.vision.health.reference_match import WASHED_LEVEL
from thirdcard.vision.health.sharpness import blur_of

SMALL_WH_PX = (480, 270)
"""Size at which light is measured: noise counts for little there, and lamps and cards still count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureMeasures:
    """The light, sharpness and noise of some pictures of one camera."""

    level: float
    """Mean grey level."""
    brightest: float
    """The 95th percentile of the levels."""
    washed_share: float
    """Share of the pixels that are pure white."""
    blur_px: float | None
    """Spread of edges in px, about 1 when the picture is sharp (`blur_of`); None where there is hardly any detail."""
    noise: float | None
    """Standard deviation of a still pixel, in grey levels; None for a single picture."""


def measure_pictures(frames: Sequence[Frame]) -> PictureMeasures:
    """Measure consecutive pictures.

    Args:
        frames: At least one, all of one size.
    """
    lumas = [frame.luma for frame in frames]
    levels = np.stack([cv2.cvtColor(frame.small(SMALL_WH_PX), cv2.COLOR_BGR2GRAY) for frame in frames])
    blurs = [blur for blur in (blur_of(luma) for luma in lumas[:: max(len(lumas) // 3, 1)]) if blur is not None]
    noises = [_noise(one, other) for one, other in pairwise(lumas)]
    return PictureMeasures(
        level=float(levels.mean()),
        brightest=float(np.percentile(levels, 95)),
        washed_share=float((levels >= WASHED_LEVEL).mean()),
        blur_px=float(np.median(blurs)) if blurs else None,
        noise=float(np.median(noises)) if noises else None,
    )


def _noise(one: Image, other: Image) -> float:
    """Return the noise of the median block of two pictures, so that hands in some blocks do not count.

    The mean absolute difference of two pixels whose noise has the standard deviation s is 2 s / sqrt(pi).
    """
    away = np.abs(one.astype(np.int16) - other.astype(np.int16))
    rows, columns = (
        np.linspace(0, side, parts + 1).astype(int)[:-1]
        for side, parts in zip(away.shape, (ROWS, COLUMNS), strict=True)
    )
    sums = np.add.reduceat(np.add.reduceat(away, rows, axis=0, dtype=np.int64), columns, axis=1)
    sizes = np.outer(np.diff([*rows, away.shape[0]]), np.diff([*columns, away.shape[1]]))
    return float(np.median(sums / sizes) * np.sqrt(np.pi) / 2)
