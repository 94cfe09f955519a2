"""Hand-made raw output of a detector's network."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from thirdcard.vision.detections import LABELS

STEPS = 8
SIZE_HW_PX = (96, 128)
_PLACES = {8: (0, 16), 16: (192, 8), 32: (240, 4)}
"""By the grid's step: the start of its cells, and the number in a row."""
COUNT = 252


def raw_output(*boxes: tuple[float, float, float, float, int, float, float], step_px: int = 8) -> NDArray[np.float32]:
    """The raw output for boxes x, y, w, h, class, score, angle in radians, in the cells nearest to them.

    The distance to a side is given by two neighbouring bins. A box can be up to 14 grid steps wide.
    """
    raw = np.full((4 * STEPS + len(LABELS) + 1, COUNT), -9.0, np.float32)
    begin, row_length = _PLACES[step_px]
    for x, y, w, h, label, score, angle in boxes:
        column, row = int(x // step_px), int(y // step_px)
        place = begin + row * row_length + column
        off = np.array([x / step_px - column - 0.5, y / step_px - row - 0.5])
        cosine, sine = np.cos(angle), np.sin(angle)
        off = np.array([cosine * off[0] + sine * off[1], -sine * off[0] + cosine * off[1]])
        half = np.array([w, h]) / step_px / 2
        for side, distance in enumerate([*(half - off), *(half + off)]):
            raw[STEPS * side : STEPS * (side + 1), place] = _two_steps(distance)
        raw[4 * STEPS + label, place] = logit(score)
        raw[-1, place] = logit(angle / np.pi + 0.25)
    return raw


def _two_steps(distance: float) -> NDArray[np.float64]:
    """The logits of a distribution with a given mean."""
    shares = np.maximum(1 - np.abs(np.arange(STEPS) - distance), 1e-12)
    return np.asarray(np.log(shares), np.float64)
