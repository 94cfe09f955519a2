"""Oriented boxes found in one picture, in millimetres of the layout plane or in pixels of a photograph.

One row is one object. Knows nothing of how they were found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

CARD_FACE, CARD_BACK, CHIPS, CUT_CARD, HAND = range(5)
LABELS = ("card_face", "card_back", "chips", "cut_card", "hand")
_FOLLOWING = np.array([1, 2, 3, 0])
_FIELDS = ("corners_mm", "label", "score")


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """Oriented boxes with labels and raw scores; arrays are read-only."""

    corners_mm: NDArray[np.float64]
    """(N, 4, 2) x, y; clockwise as seen on the screen, the first side one of the two shorter ones."""
    label: NDArray[np.int64]
    """(N,) index into LABELS."""
    score: NDArray[np.float64]
    """(N,) 0 to 1, as the detector gave it."""

    def __post_init__(self) -> None:
        count = len(self.label)
        if self.corners_mm.shape != (count, 4, 2) or self.corners_mm.dtype != np.float64:
            raise ValueError(f"corners_mm: shape = {self.corners_mm.shape}; must be ({count}, 4, 2) float64")
        if self.label.shape != (count,) or not np.issubdtype(self.label.dtype, np.integer):
            raise ValueError(f"label: shape = {self.label.shape}, {self.label.dtype}; must be ({count},) integers")
        if self.score.shape != (count,):
            raise ValueError(f"score: shape = {self.score.shape}; must be ({count},)")
        if count and (self.label.min() < 0 or self.label.max() >= len(LABELS)):
            raise ValueError(f"label = {self.label.tolist()}; must be 0 to {len(LABELS) - 1}")
        if not (np.isfinite(self.corners_mm).all() and np.isfinite(self.score).all()):
            raise ValueError("corners_mm, score: must be finite")
        for name in _FIELDS:
            view = getattr(self, name).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    @classmethod
    def empty(cls) -> Detections:
        """Return the result of a look that found nothing."""
        return cls(np.empty((0, 4, 2)), np.empty(0, np.int64), np.empty(0))

    def __len__(self) -> int:
        return len(self.label)

    @property
    def centres_mm(self) -> NDArray[np.float64]:
        """(N, 2) centres of the boxes, in mm."""
        return _middles(self.corners_mm)

    @property
    def sizes_mm(self) -> NDArray[np.float64]:
        """(N, 2) lengths in mm of the shorter and of the longer side."""
        short = np.linalg.norm(self.corners_mm[:, 1] - self.corners_mm[:, 0], axis=1)
        long = np.linalg.norm(self.corners_mm[:, 2] - self.corners_mm[:, 1], axis=1)
        return np.column_stack([short, long])

    def take(self, rows: NDArray[np.bool_] | NDArray[np.int64] | Sequence[int]) -> Detections:
        """Return the rows that a boolean mask or integer indices select."""
        chosen = np.asarray(rows)
        chosen = chosen if chosen.dtype == np.bool_ else chosen.astype(np.int64)
        rows_of = object.__new__(Detections)  # some rows of valid ones are valid: they are not checked again
        for name in _FIELDS:
            part = getattr(self, name)[chosen]
            part.flags.writeable = False
            object.__setattr__(rows_of, name, part)
        return rows_of

    def of(self, *labels: int) -> Detections:
        """Return the rows whose label is one of `labels`."""
        return self.take(is_one_of(self.label, labels))


def _middles(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the centres, (N, 2), of boxes, (N, 4, 2); quicker than `mean` for so few."""
    return np.asarray(np.add.reduce(corners, axis=1) / 4.0, np.float64)


def concatenate(parts: Sequence[Detections]) -> Detections:
    """Return all rows of all parts, in order."""
    if not parts:
        return Detections.empty()
    return Detections(
        np.concatenate([part.corners_mm for part in parts]),
        np.concatenate([part.label for part in parts]),
        np.concatenate([part.score for part in parts]),
    )


def order_corners(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Order rectangles' corners clockwise on the screen (x right, y down), beginning with a shorter side.

    Args:
        corners: (N, 4, 2), in order round each box, in either direction, from any corner.

    Returns:
        (N, 4, 2), a copy.
    """
    ordered = corners.copy()
    following = ordered[:, _FOLLOWING]
    doubled_area = (ordered[:, :, 0] * following[:, :, 1] - following[:, :, 0] * ordered[:, :, 1]).sum(axis=1)
    ordered[doubled_area < 0] = ordered[doubled_area < 0][:, ::-1]
    first = np.linalg.norm(ordered[:, 1] - ordered[:, 0], axis=1)
    second = np.linalg.norm(ordered[:, 2] - ordered[:, 1], axis=1)
    ordered[first > second] = ordered[first > second][:, _FOLLOWING]
    return ordered


def sides_mm(corners_mm: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the side lengths, (N, 4) in mm, of boxes given as (N, 4, 2) corners."""
    x, y = np.moveaxis(corners_mm[:, _FOLLOWING] - corners_mm, 2, 0)
    return np.asarray(np.sqrt(x * x + y * y), np.float64)


def have_sides(
    corners_mm: NDArray[np.float64], size_mm: tuple[float, float], within: tuple[float, float]
) -> NDArray[np.bool_]:
    """Return (N,) which boxes, (N, 4, 2), have both sides of a size, to within a range of factors, however they lie."""
    factors = np.sort(sides_mm(corners_mm), axis=1)[:, ::2] / np.sort(size_mm)
    return np.asarray(((factors >= within[0]) & (factors <= within[1])).all(axis=1))


def suppress(detections: Detections, *, iou: float = 0.5, across_labels: Sequence[Sequence[int]] = ()) -> Detections:
    """Drop boxes that overlap a better one: rotated non-maximum suppression.

    Args:
        detections: Any number of boxes, in any order.
        iou: Two boxes of one label that overlap by more than this share are one object.
        across_labels: Groups of labels that compete as if they were one.

    Returns:
        The boxes kept, best score first.
    """
    order = np.argsort(-detections.score, kind="stable")
    if len(order) < 2:
        return detections
    corners = detections.corners_mm[order].astype(np.float32)
    group = _groups(detections.label[order], across_labels)
    rivals = np.triu(_may_overlap(corners, iou) & (group[:, None] == group[None]), 1)
    alive = np.ones(len(order), bool)
    for i, j in np.argwhere(rivals).tolist():
        if alive[i] and alive[j] and polygon_iou(corners[i], corners[j]) > iou:
            alive[j] = False
    return detections.take(order[alive])


def _may_overlap(corners: NDArray[np.float32], iou: float) -> NDArray[np.bool_]:
    """Return (N, N) which boxes, (N, 4, 2), may overlap by more than `iou`: the upright boxes round them do."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    across, down = np.moveaxis(np.minimum(high[:, None], high) - np.maximum(low[:, None], low), 2, 0)
    area = np.array([cv2.contourArea(each) for each in corners]) * (0.99 * iou / (1.0 + iou))  # 0.99: float32
    return np.asarray((across > 0.0) & (down > 0.0) & (across * down >= area[:, None] + area), np.bool_)


def polygon_iou(first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
    """Return the intersection over union, 0 to 1, of two convex polygons, (M, 2) float32 each."""
    both, _ = cv2.intersectConvexConvex(first, second)
    either = abs(cv2.contourArea(first)) + abs(cv2.contourArea(second)) - both
    return float(both / either) if either > 0 else 0.0


def _groups(label: NDArray[np.int64], across_labels: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    group = label.copy()
    for labels in across_labels:
        group[is_one_of(group, labels)] = labels[0]
    return group


def is_one_of(label: NDArray[np.int64], labels: Sequence[int]) -> NDArray[np.bool_]:
    """Return an (N,) mask of the rows whose label is one of `labels`; faster than `np.isin` for so few."""
    mask = np.zeros(len(label), bool)
    for one in labels:
        mask |= label == one
    return mask
