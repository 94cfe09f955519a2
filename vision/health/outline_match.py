"""Check whether the cloth's printed lines lie where outlines say.

The picture is rectified, and its gradient along each outline is compared with the gradient beside it. Knows nothing of
what the outlines mean. Layout millimetres.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.frames import Image
from thirdcard.vision.plane.change_gate import Polygon
from thirdcard.vision.plane.peaks import peak_offset_px
from thirdcard.vision.plane.rectify import Rectifier

REACH_MM = 50.0
"""Largest distance at which print is looked for; farther away, the next place's print would be matched."""
PX_PER_MM = 0.5
"""Scale of the rectified view: cameras show tables at 0.4 px/mm and more."""
LINE_MM = 6.0
"""Width of a drawn line: lines on cloths are 3 to 8 mm wide."""
SMOOTH_PX, AROUND_PX, LEAST_STRENGTH, MOST_TIMES = 1.0, 41, 4.0, 4.0
"""Noise is smoothed by the first, in px. Gradient strength is divided by its mean within 40 mm (the second, in px)
plus a few grey levels (the third), and is limited to the fourth, so that a chip's rim counts no more than a line."""
SHIFT = 4
"""Fractional bits of the points that OpenCV draws."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineMatch:
    """Where the print of some outlines lies."""

    offset_mm: tuple[float, float]
    """Vector from the outlines to the print that fits them best, the same for all."""
    score: float
    """Mean correlation of print and outlines there, -1 to 1."""
    score_here: float
    """The same at the outlines' own place."""


def match_outlines(
    image: Image, calibration: Calibration, size_mm: tuple[float, float], groups: Mapping[str, Sequence[Polygon]]
) -> dict[str, OutlineMatch]:
    """Return where the print of each group of outlines lies; a group that is not wholly on the cloth is left out.

    Args:
        image: (H, W, 3) uint8.
        calibration: The camera's.
        size_mm: The cloth's width and height.
        groups: Polygons, (N, 2) mm each, by the group's name.
    """
    rectifier = Rectifier(calibration, size_mm, px_per_mm=PX_PER_MM, margin_mm=REACH_MM + LINE_MM)
    changes = _changes(np.asarray(cv2.cvtColor(rectifier.view(image), cv2.COLOR_BGR2GRAY), np.uint8))
    found = {}
    for name, polygons in groups.items():
        points = [(polygon - np.array(rectifier.origin_mm)) * PX_PER_MM for polygon in polygons]
        scores = [one for one in (_scores(changes, each) for each in points) if one is not None]
        if scores:
            found[name] = _best(np.mean(scores, axis=0))
    return found


def _changes(view: Image) -> NDArray[np.float32]:
    """Return the gradient strength at each pixel, relative to its surroundings: faint print counts as bright print."""
    smooth = cv2.GaussianBlur(view.astype(np.float32), (0, 0), SMOOTH_PX)
    strength = np.hypot(cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1))
    around = cv2.blur(strength, (AROUND_PX, AROUND_PX))
    return np.asarray(np.minimum(strength / (around + LEAST_STRENGTH), MOST_TIMES), np.float32)


def _scores(changes: NDArray[np.float32], points: NDArray[np.float64]) -> NDArray[np.float32] | None:
    """Return the correlation of one outline, in px, with the picture at each shift, (2 reach + 1, 2 reach + 1)."""
    reach, rim = round(REACH_MM * PX_PER_MM), round(LINE_MM * PX_PER_MM) + 1
    low, high = np.floor(points.min(axis=0)).astype(int) - rim, np.ceil(points.max(axis=0)).astype(int) + rim + 1
    height, width = changes.shape
    if (low < reach).any() or high[0] > width - reach or high[1] > height - reach:
        return None
    drawn = np.zeros((high[1] - low[1], high[0] - low[0]), np.float32)
    line = np.round((points - low) * (1 << SHIFT)).astype(np.int32)
    cv2.polylines(drawn, [line], True, 1.0, max(round(LINE_MM * PX_PER_MM), 1), cv2.LINE_8, SHIFT)
    around = changes[low[1] - reach : high[1] + reach, low[0] - reach : high[0] + reach]
    return np.asarray(cv2.matchTemplate(around, drawn, cv2.TM_CCOEFF_NORMED), np.float32)


def _best(scores: NDArray[np.float32]) -> OutlineMatch:
    reach = round(REACH_MM * PX_PER_MM)
    row, column = (int(index) for index in np.unravel_index(int(scores.argmax()), scores.shape))
    x, y = column + peak_offset_px(scores[row], column), row + peak_offset_px(scores[:, column], row)
    return OutlineMatch(
        offset_mm=((x - reach) / PX_PER_MM, (y - reach) / PX_PER_MM),
        score=float(scores[row, column]),
        score_here=float(scores[reach, reach]),
    )
