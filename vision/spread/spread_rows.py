"""Find rows of cards that lie side by side or overlap, from detected boxes.

In a ribbon the detector finds many boxes per row, each only approximately right: together they show where the row runs.
A row is described along its own line, so that it may be slanted or bent. Layout millimetres.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.detections import CARD_BACK, CARD_FACE, Detections

LEAST_SCORE = 0.3
"""The detector's own threshold (models/registry.yaml): many boxes make a row, so single ones may be uncertain."""
LEAST_BOXES = 5
"""Least number of boxes in a row."""
STRAIGHT_DEG = 12.0
"""A box at a larger angle to the row consists of parts of several cards."""
SAME_LINE_MM = 26.0
"""How far across the row two of its boxes may lie apart: less than a third of a card's height. Chosen by hand."""
REACH_CARDS = 2.2
"""Boxes whose centres are nearer than this many card widths belong to one row."""
STRAY_MM = 14.0
"""A box farther off the row's line does not belong to it; 95 % of cards are detected to within 11 mm
(models/cards/detector.md)."""
MOST_GAP_CARDS = 9.0
"""Longest stretch of a row without a box, in card widths."""
CURVE_MM = 320.0
"""From this length in mm on a row may be bent."""

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RowLine:
    """The line on which the centres of a row's cards lie.

    A point of the row is (u, v): u mm along the row's axis, v mm across, towards the cards' lower ends.
    """

    origin_mm: Points
    """(2,) where u = 0."""
    along: Points
    """(2,) unit vector of u."""
    bend: np.polynomial.Polynomial
    """How far across the axis the line lies, as a function of u, in mm."""
    from_mm: float
    to_mm: float
    """u of the first and the last card's outer edge, as far as the boxes show."""
    boxes_mm: Points
    """(N, 2) u of each box's left and right edge."""

    def layout_mm(self, u_mm: Points, v_mm: Points) -> Points:
        """Return points of the layout, (N, 2) mm; v is measured along the normal of the bent line."""
        slope = self.bend.deriv()(u_mm)
        normal = np.stack([-slope, np.ones_like(slope)], 1) / np.hypot(1.0, slope)[:, None]
        local = np.stack([u_mm, self.bend(u_mm)], 1) + np.asarray(v_mm)[:, None] * normal
        across = np.array([-self.along[1], self.along[0]])
        return np.asarray(self.origin_mm + local[:, :1] * self.along + local[:, 1:] * across)

    def card_mm(self, u_mm: float, size_mm: tuple[float, float]) -> Points:
        """Return the corners of the card centred at u, (4, 2) mm, clockwise, beginning with a shorter side."""
        middle = self.layout_mm(np.array([u_mm]), np.zeros(1))[0]
        slope = float(self.bend.deriv()(u_mm))
        turn = np.array([[1.0, -slope], [slope, 1.0]]) / np.hypot(1.0, slope)
        right = np.array([self.along * turn[0, 0] + np.array([-self.along[1], self.along[0]]) * turn[1, 0]])[0]
        down = np.array([-right[1], right[0]])
        right, down = right * size_mm[0] / 2, down * size_mm[1] / 2
        return np.array([middle - right - down, middle + right - down, middle + right + down, middle - right + down])


def find_rows(found: Detections, card_mm: tuple[float, float]) -> list[RowLine]:
    """Return the rows among the detections on the cloth.

    Args:
        found: Boxes in layout mm.
        card_mm: The true size of a card.
    """
    cards = found.of(CARD_FACE, CARD_BACK)
    cards = cards.take(cards.score >= LEAST_SCORE)
    if len(cards) < LEAST_BOXES:
        return []
    angles = _short_side_deg(cards)
    lie_deg = _usual_angle(angles)
    cards = cards.take(np.abs(_wrapped(angles - lie_deg)) < STRAIGHT_DEG)
    along = np.array([np.cos(np.radians(lie_deg)), np.sin(np.radians(lie_deg))])
    across = np.array([-along[1], along[0]])
    local = np.stack([cards.centres_mm @ along, cards.centres_mm @ across], 1)
    corners = cards.corners_mm @ along
    spans = np.stack([corners.min(axis=1), corners.max(axis=1)], 1)
    chains = _joined(_chains(local, card_mm[0]), local, card_mm)
    rows = [_row(local[chain], spans[chain], along) for chain in chains]
    return [row for row in rows if row is not None]


def in_reading_order(rows: list[RowLine]) -> list[RowLine]:
    """Sort rows from the top down; rows that stand side by side come column by column, from left to right."""
    if not rows:
        return []
    spans = [(float(row.layout_mm(np.array([u]), np.zeros(1))[0, 0])) for row in rows for u in (row.from_mm, row.to_mm)]
    left, right = min(spans), max(spans)
    widest = max(row.to_mm - row.from_mm for row in rows)
    columns = max(1, int((right - left) / max(widest, 1.0) + 0.3))

    def place(row: RowLine) -> tuple[int, float]:
        middle = row.layout_mm(np.array([0.5 * (row.from_mm + row.to_mm)]), np.zeros(1))[0]
        return int((middle[0] - left) / max(right - left, 1.0) * columns * 0.999), float(middle[1])

    return sorted(rows, key=place)


def _row(local: Points, spans: Points, along: Points) -> RowLine | None:
    """Fit a line through boxes, leaving out those that lie far from it; None for too few."""
    keep = np.ones(len(local), bool)
    u = local[:, 0]
    bend = np.polynomial.Polynomial([float(np.median(local[:, 1]))])
    for _ in range(4):
        if keep.sum() < LEAST_BOXES:
            return None
        degree = 3 if np.ptp(u[keep]) > CURVE_MM else 1
        bend = np.polynomial.Polynomial.fit(u[keep], local[keep, 1], degree)
        off = np.abs(local[:, 1] - bend(u))
        keep = off < max(2.5 * float(np.median(off[keep])), STRAY_MM / 3)
    spans = spans[off < STRAY_MM]
    origin = np.zeros(2)
    return RowLine(origin, along, bend, float(spans[:, 0].min()), float(spans[:, 1].max()), np.sort(spans, axis=0))


def _chains(local: Points, width_mm: float) -> list[NDArray[np.int64]]:
    """Group boxes that follow each other on approximately one line; each group holds indices."""
    parent = np.arange(len(local))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = int(parent[i])
        return i

    gaps = np.abs(local[:, None] - local[None])
    near = (gaps[:, :, 0] < REACH_CARDS * width_mm) & (gaps[:, :, 1] < SAME_LINE_MM)
    near &= gaps[:, :, 1] < np.maximum(0.35 * gaps[:, :, 0], 7.0)
    for i, j in np.argwhere(np.triu(near, 1)):
        parent[root(int(i))] = root(int(j))
    roots = np.array([root(i) for i in range(len(local))])
    return [np.flatnonzero(roots == each) for each in np.unique(roots) if (roots == each).sum() >= LEAST_BOXES]


def _joined(chains: list[NDArray[np.int64]], local: Points, card_mm: tuple[float, float]) -> list[NDArray[np.int64]]:
    """Merge chains that lie on one line and not far apart."""
    left = sorted(chains, key=len, reverse=True)
    joined: list[NDArray[np.int64]] = []
    while left:
        chain = left.pop(0)
        is_growing = True
        while is_growing:
            is_growing = False
            for other in left:
                if _is_one_line(local[chain], local[other], card_mm):
                    chain = np.concatenate([chain, other])
                    left = [each for each in left if each is not other]
                    is_growing = True
                    break
        joined.append(chain)
    return joined


def _is_one_line(first: Points, second: Points, card_mm: tuple[float, float]) -> bool:
    """Whether the line through each chain passes through the nearer end of the other."""
    gap_mm = max(first[:, 0].min() - second[:, 0].max(), second[:, 0].min() - first[:, 0].max())
    if gap_mm > MOST_GAP_CARDS * card_mm[0]:
        return False
    ends = [_near_end(first, second), _near_end(second, first)]
    lines = [np.polynomial.Polynomial.fit(end[:, 0], end[:, 1], 1) for end in ends]
    middle = 0.5 * (float(np.median(ends[0][:, 0])) + float(np.median(ends[1][:, 0])))
    return abs(float(lines[0](middle) - lines[1](middle))) < SAME_LINE_MM and (
        abs(float(np.median(ends[0][:, 1]) - np.median(ends[1][:, 1]))) < 0.75 * card_mm[1]
    )


def _near_end(own: Points, other: Points) -> Points:
    """Return the boxes of one chain that lie nearest to another one, enough of them for a line."""
    distance = np.abs(own[:, 0] - np.median(other[:, 0]))
    return own[np.argsort(distance)[: max(LEAST_BOXES, len(own) // 3)]]


def _short_side_deg(cards: Detections) -> NDArray[np.float64]:
    side = cards.corners_mm[:, 1] - cards.corners_mm[:, 0]
    return _wrapped(np.degrees(np.arctan2(side[:, 1], side[:, 0])))


def _wrapped(angle_deg: NDArray[np.float64]) -> NDArray[np.float64]:
    """Wrap angles to -90 to 90 degrees: a card has no upper end."""
    return np.asarray((angle_deg + 90.0) % 180.0 - 90.0)


def _usual_angle(angles_deg: NDArray[np.float64]) -> float:
    """Return the most common angle: the mean of the densest part of the circle."""
    near = np.abs(_wrapped(angles_deg[:, None] - angles_deg[None])) < STRAIGHT_DEG / 2
    best = int(near.sum(axis=1).argmax())
    return float(angles_deg[best] + np.mean(_wrapped(angles_deg[near[best]] - angles_deg[best])))
