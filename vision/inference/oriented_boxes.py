"""Decode the raw output of the detector's network into oriented boxes.

The network answers at each place of three grids, with steps of 8, 16 and 32 pixels, row by row: the distances to the
box's four sides, each as a distribution over whole steps of the grid (Li et al., "Generalized Focal Loss", 2020), the
classes, and the angle. Only the few places that hold something are decoded.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, softmax

from thirdcard.vision.detections import LABELS, Detections, order_corners

STEPS_PX = (8, 16, 32)
"""Distance between neighbouring places of each grid."""


def decode(raw: NDArray[np.float32], size_hw_px: tuple[int, int], *, score: float) -> Detections:
    """Decode one picture's raw output into boxes in its pixels.

    A column of the output has the logits of the distances to the left, top, right and bottom side of the turned box, as
    many for each as there are steps; a logit for each class; and the logit of the angle, as a share of half a turn that
    begins a quarter of it below zero.

    Args:
        raw: (4 x steps + classes + 1, places).
        size_hw_px: Height and width of the picture, multiples of the coarsest grid's step.
        score: Places whose best class score is lower are ignored.
    """
    classes = raw[-1 - len(LABELS) : -1]
    chosen = np.flatnonzero(classes.max(axis=0) >= logit(score))
    rows = raw[:, chosen].astype(np.float64)
    angle = (expit(rows[-1]) - 0.25) * np.pi
    scores = expit(rows[-1 - len(LABELS) : -1])
    sides = _distances(rows[: -1 - len(LABELS)])
    places, step_px = _places(size_hw_px)
    offset = (sides[2:] - sides[:2]) / 2
    width, height = (sides[:2] + sides[2:]) * step_px[chosen]
    along, across = _axes(angle)
    middle = (places[chosen] + along * offset[0][:, None] + across * offset[1][:, None]) * step_px[chosen][:, None]
    along, across = along * (width / 2)[:, None], across * (height / 2)[:, None]
    corners = np.stack(
        [middle - along - across, middle + along - across, middle + along + across, middle - along + across], 1
    )
    return Detections(order_corners(corners), scores.argmax(axis=0).astype(np.int64), scores.max(axis=0, initial=0.0))


def _axes(angle: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the directions of a turned box's width and height, (N, 2) each."""
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.column_stack([cosine, sine]), np.column_stack([-sine, cosine])


def _distances(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean distance of each side, (4, N), in steps of the grid."""
    by_side = logits.reshape(4, len(logits) // 4, logits.shape[1])
    distances: NDArray[np.float64] = np.einsum("sdn,d->sn", softmax(by_side, axis=1), np.arange(by_side.shape[1]))
    return distances


@cache
def _places(size_hw_px: tuple[int, int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where each place lies, (places, 2) in steps of its grid, and that step in px, (places,)."""
    height, width = size_hw_px
    grids = [np.mgrid[: height // step, : width // step][::-1].reshape(2, -1).T + 0.5 for step in STEPS_PX]
    steps = [np.full(len(grid), float(step)) for grid, step in zip(grids, STEPS_PX, strict=True)]
    return np.concatenate(grids), np.concatenate(steps)
