"""Look whether the cloth's printed lines lie where outlines say.

The picture is shown as seen from above; what is compared is how strongly it changes along the outline, there and
beside it. Knows nothing of what the outlines mean. Layout millimetres.
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
from thirdcard.vision.plane.rectify import Rectifier

REACH_MM = 50.0
"""Print is looked for so far from its outline; farther, the next place's print would be taken for it."""
PX_PER_MM = 0.5
"""Of the view from above: cameras show tables at 0.4 px/mm and more."""
LINE_MM = 6.0
"""Lines on cloths are 3 to 8 mm wide."""
SMOOTH_PX, AROUND_PX, LEAST_STRENGTH, MOST_TIMES = 1.0, 41, 4.0, 4.0
"""Noise is smoothed; strength is taken against its mean within 40 mm, a few grey levels at least, and counts up to four
times that: a chip's rim no more than a line."""
SHIFT = 4
"""Fractional bits of the points that OpenCV draws."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineMatch:
    """Where the print of some outlines lies."""

    offset_mm: tuple[float, float]
    """From the outlines to the print that fits them best, all moved alike."""
    score: float
    """Mean correlation of print and outlines there, -1 to 1."""
    score_here: float
    """The same where the outlines are."""


def match_outlines(
    image: Image, calibration: Calibration, size_mm: tuple[float, float], groups: Mapping[str, Sequence[Polygon]]
) -> dict[str, OutlineMatch]:
    """Where the print of each group of outlines lies; a group of which none lies on the cloth is left out.

    Args:
        image: (H, W, 3) uint8.
        calibration: of the camera.
        size_mm: the cloth's.
        groups: polygons, (N, 2) each, by the group's name.
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
    """How strongly the picture changes at each pixel, against its surroundings: faint print counts as bright print."""
    smooth = cv2.GaussianBlur(view.astype(np.float32), (0, 0), SMOOTH_PX)
    strength = np.hypot(cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1))
    around = cv2.blur(strength, (AROUND_PX, AROUND_PX))
    return np.asarray(np.minimum(strength / (around + LEAST_STRENGTH), MOST_TIMES), np.float32)


def _scores(changes: NDArray[np.float32], points: NDArray[np.float64]) -> NDArray[np.float32] | None:
    """(2 reach + 1, 2 reach + 1) correlation of one outline, in pixels, with what lies so far beside it."""
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
    row, column = np.unravel_index(int(scores.argmax()), scores.shape)
    return OutlineMatch(
        offset_mm=(float(column - reach) / PX_PER_MM, float(row - reach) / PX_PER_MM),
        score=float(scores[row, column]),
        score_here=float(scores[reach, reach]),
    )
