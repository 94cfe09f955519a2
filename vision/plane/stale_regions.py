"""Decide which parts of the cloth must be examined again, and keep what was found in the others.

The cloth is divided into fixed fields. A field is examined when its small picture differs from the one at its last
look, or when a caller asks for it. Hands are kept as a mask of the gate's cells, everything else as detections.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.detections import HAND, Detections, concatenate
from thirdcard.vision.plane.change_gate import (
    CELLS_PER_MM,
    CHANGE_LEVELS,
    Change,
    GridFrame,
    Mask,
    Picture,
    difference,
    largest,
)
from thirdcard.vision.plane.tiling import Rect

FIELD_MM = 270.0
"""Largest width of a field: half the core of the detector's whole tile (640 mm less two rims of 50), so that four
share a tile."""
CHANGED_CELLS = 2
"""Number of differing cells from which a field has changed: a chip covers a dozen; a single one may be noise."""
CALM_S = 0.15
"""Something that moved less than this many seconds ago may be blurred."""
HAND_S = 0.5
"""Interval in seconds at which a field with a hand is examined while anything in it differs from the last look, or
once a hand has left a neighbouring field: its last corner may have left this one unnoticed."""
NOISE_LEVELS = 5.0
"""A difference below this many grey levels is camera noise."""
BARE_S = 1.0
"""Seconds after which a place that was still and without a hand shows its look without one. A hand that the detector
misses for some looks does not count as absent."""
KNOWN_SHARE = 0.5
"""Share of a hand's place whose look without a hand must be known before the hand may be rejected."""
OTHERWISE_SHARE = 0.1
"""Least share of a hand's place that must look different than without a hand. Measured on two recordings: 0.4 and
more in 95 % of the looks at hands that had come, 0.07 at most where ornaments of the cloth were detected as one."""
GROW_MM = 10.0
"""How far in mm a thing changes the picture beside its outline: a cell."""
SAME_MM = 30.0
"""An object found within this distance of a known one is the same, moved across a field's edge."""


@dataclass(frozen=True, slots=True)
class ClothField:
    """One part of the cloth, examined as a whole."""

    box_mm: Rect
    cells: tuple[slice, slice]


class BareCloth:
    """How the cloth looks without hands, including chips and cards that have lain there for a while."""

    def __init__(self, grid: GridFrame) -> None:
        self._grid = grid
        self._picture: Picture = np.zeros((*grid.shape_hw, 3), np.float32)
        self._is_known: Mask = np.zeros(grid.shape_hw, bool)
        self._hand_t: NDArray[np.float64] = np.full(grid.shape_hw, -np.inf)
        """When each cell was last under a hand."""

    def hands(self, found: Detections, change: Change) -> Mask:
        """Return the cells, (H, W), under those detected hands that are real.

        A detection whose place looks as it did without a hand is rejected: a real hand changes the picture.
        """
        boxes = [self._grid.mask_of(corners) for corners in found.of(HAND).corners_mm]
        hands = np.zeros(self._grid.shape_hw, bool)
        if not boxes:
            return hands
        differs = difference(change.picture, self._picture) > CHANGE_LEVELS
        rest, reach = found.take(found.label != HAND).corners_mm, GROW_MM + 3 / CELLS_PER_MM
        under = found.of(HAND).corners_mm.reshape(-1, 2)
        is_near = (rest.max(axis=1) >= under.min(axis=0) - reach) & (rest.min(axis=1) <= under.max(axis=0) + reach)
        for corners in rest[is_near.all(axis=1)]:
            differs &= ~self._grid.mask_of(corners, GROW_MM)
        for box in boxes:
            known = box & self._is_known
            is_known = np.count_nonzero(known) >= KNOWN_SHARE * np.count_nonzero(box)
            if not is_known or np.count_nonzero(differs & known) >= OTHERWISE_SHARE * np.count_nonzero(known):
                hands |= box
        return hands

    def note(self, hands: Mask, change: Change) -> None:
        """Take a look at which `hands` are the cells under hands."""
        self._hand_t[hands] = change.t
        bare = (change.still_s >= BARE_S) & (change.t - self._hand_t >= BARE_S)
        cv2.copyTo(change.picture, bare.astype(np.uint8), self._picture)
        self._is_known |= bare


class Freshness:
    """What is known of each field, and whether it is still up to date."""

    def __init__(self, size_mm: tuple[float, float], grid: GridFrame) -> None:
        self.fields = tuple(ClothField(box, grid.cells_of_box(*box)) for box in _divide(size_mm[0], size_mm[1]))
        self._boxes = np.array([each.box_mm for each in self.fields])
        """(fields, 4) x0, y0, x1, y1 of each, in mm."""
        cells = [each.cells for each in self.fields]
        self._edges = np.array([(rows.start, rows.stop, columns.start, columns.stop) for rows, columns in cells]).T
        """(4, fields) first and last rows, first and last columns of each."""
        self._beside = [[j for j, other in enumerate(self.fields) if _touch(each, other)] for each in self.fields]
        self._looked_t: list[float | None] = [None] * len(self.fields)
        self._hand_left_t = [-np.inf] * len(self.fields)
        """When a look last showed that a hand had left."""
        self._was_moving = [False] * len(self.fields)
        """Whether something moved there at the last look, so that its result may not last."""
        self._last_seen: Picture = np.zeros((*grid.shape_hw, 3), np.float32)
        """The picture of each field at its last look."""
        self._grid = grid
        self._bare = BareCloth(grid)
        self.found = Detections.empty()
        """All objects on the cloth except hands, as of each field's last look."""
        self.hands: Mask = np.zeros(grid.shape_hw, bool)
        """(H, W) cells under a hand, as of each field's last look."""

    def stale_fields(self, change: Change, asked_mm: Iterable[NDArray[np.float64]] = ()) -> list[int]:
        """Return the fields that changed since their last look, came to rest after it, or hold one of the points.

        Args:
            change: The present small picture.
            asked_mm: Points, (2,) each, where something is not settled yet.
        """
        differs = largest(np.asarray(cv2.absdiff(change.picture, self._last_seen), np.float32)) > CHANGE_LEVELS
        may_differ = self._count(differs) >= CHANGED_CELLS
        stale = {i for i in range(len(self.fields)) if self._has_changed(i, change, may_differ=bool(may_differ[i]))}
        points = np.array(list(asked_mm)).reshape(-1, 1, 2)
        is_asked = (points >= self._boxes[:, :2]) & (points <= self._boxes[:, 2:])
        stale.update(np.flatnonzero(is_asked.all(axis=2).any(axis=0)).tolist())
        return sorted(stale)

    def boxes(self, fields: Iterable[int]) -> list[Rect]:
        """Return the fields' boxes in mm."""
        return [self.fields[i].box_mm for i in fields]

    def renew(self, fields: list[int], found: Detections, change: Change) -> None:
        """Replace the known hands and objects of some fields by those of the present look."""
        hands = self._bare.hands(found, change)
        for i in fields:
            cells = self.fields[i].cells
            if self.hands[cells].any() and not hands[cells].any():
                self._hand_left_t[i] = change.t
            self._looked_t[i] = change.t
            self._was_moving[i] = bool((change.still_s[cells] < CALM_S).any())
            self._last_seen[cells] = change.picture[cells]
            self.hands[cells] = hands[cells]
        self._bare.note(self.hands, change)
        boxes = self.boxes(fields)
        things = found.take(found.label != HAND)
        new = things.take(_within(things, boxes))
        self.found = concatenate([self.found.take(~_within(self.found, boxes) & ~_near(self.found, new)), new])

    def _count(self, cells: Mask) -> NDArray[np.int64]:
        """Return how many of the cells lie in each field, (fields,)."""
        below = cv2.integral(cells.astype(np.uint8)).astype(np.int64)
        top, bottom, left, right = self._edges
        return np.asarray(below[bottom, right] - below[top, right] - below[bottom, left] + below[top, left])

    def _has_changed(self, i: int, change: Change, *, may_differ: bool) -> bool:
        cells, looked_t = self.fields[i].cells, self._looked_t[i]
        if looked_t is None or (self._was_moving[i] and bool((change.still_s[cells] >= CALM_S).all())):
            return True
        if change.t - looked_t >= HAND_S and self._may_be_left(i, looked_t, change):
            return True
        if not may_differ:
            return False
        changed = difference(change.picture[cells], self._last_seen[cells]) > CHANGE_LEVELS
        return int(np.count_nonzero(changed)) >= CHANGED_CELLS

    def _may_be_left(self, i: int, looked_t: float, change: Change) -> bool:
        """Whether a hand lay in the field, and anything there or beside it looks different from the last look."""
        cells = self.fields[i].cells
        if not self.hands[cells].any():
            return False
        if any(self._hand_left_t[j] > looked_t for j in self._beside[i]):
            return True
        return bool((difference(change.picture[cells], self._last_seen[cells]) > NOISE_LEVELS).any())


def _divide(width_mm: float, height_mm: float) -> list[Rect]:
    columns, rows = int(np.ceil(width_mm / FIELD_MM)), int(np.ceil(height_mm / FIELD_MM))
    xs, ys = np.linspace(0.0, width_mm, columns + 1), np.linspace(0.0, height_mm, rows + 1)
    return [
        (float(xs[i]), float(ys[j]), float(xs[i + 1]), float(ys[j + 1])) for j in range(rows) for i in range(columns)
    ]


def _touch(one: ClothField, other: ClothField) -> bool:
    a, b = one.box_mm, other.box_mm
    return one is not other and max(a[0], b[0]) <= min(a[2], b[2]) and max(a[1], b[1]) <= min(a[3], b[3])


def _within(found: Detections, boxes: list[Rect]) -> NDArray[np.bool_]:
    centres = found.corners_mm.mean(axis=1)
    inside = np.zeros(len(centres), bool)
    for x0, y0, x1, y1 in boxes:
        inside |= (centres[:, 0] >= x0) & (centres[:, 0] < x1) & (centres[:, 1] >= y0) & (centres[:, 1] < y1)
    return inside


def _near(known: Detections, new: Detections) -> NDArray[np.bool_]:
    if not len(known.label) or not len(new.label):
        return np.zeros(len(known.label), bool)
    gaps = known.corners_mm.mean(axis=1)[:, None] - new.corners_mm.mean(axis=1)[None]
    return np.asarray((np.linalg.norm(gaps, axis=2) < SAME_MM).any(axis=1))
