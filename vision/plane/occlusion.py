"""Find which parts of the cloth are covered, where the cover reaches in, and how long each part was covered.

A part is covered where a hand was detected or where the picture moves. What is first seen when a long cover lifts may
have happened at any time under it. Masks are in the change gate's cells.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.observations import Point
from thirdcard.vision.plane.change_gate import CELLS_PER_MM, MARGIN_MM, Change, GridFrame, Mask

GAP_S = 0.35
"""A cover that lifts for fewer seconds counts as continuous; so does one that no look saw lifted, however long the
interval between looks."""
JUST_NOW_S = 0.7
"""Seconds for which a lifted cover still explains why something was not seen: longer than cards and chips take to
come to rest after it (0.2 to 0.6 s)."""
NEVER_T = -1e6
"""A time before any stream. Finite, since one such time is subtracted from another."""


class CoverMemory:
    """When each cell's last cover began and ended."""

    def __init__(self, grid: GridFrame) -> None:
        self._grid = grid
        self._began_t: NDArray[np.float64] = np.full(grid.shape_hw, NEVER_T)
        self._ended_t: NDArray[np.float64] = np.full(grid.shape_hw, NEVER_T)
        self._last: Mask = np.zeros(grid.shape_hw, bool)
        """What was covered at the last look."""

    def update(self, covered: Mask, t: float) -> None:
        """Take what is covered at `t`."""
        anew = covered & ~self._last & (t - self._ended_t > GAP_S)
        self._began_t[anew] = t
        self._ended_t[covered] = t
        self._last = covered.copy()

    def hidden_s(self, polygon_mm: NDArray[np.float64], t: float) -> float:
        """Return for how many seconds the cells of a polygon were covered until just now (median); 0 if visible."""
        cells = self._grid.mask_of(polygon_mm)
        ended = self._ended_t[cells]
        lengths = np.where(t - ended <= JUST_NOW_S, ended - self._began_t[cells], 0.0)
        return float(np.median(lengths)) if len(lengths) else 0.0


MOTION_S = 0.22
"""A cell that moved less than this many seconds ago is still covered."""
USUAL_GAP_S = 0.2
"""What is first seen after a longer interval without a look may have come at any moment of it."""
RIM_MM = 25.0
"""How far inside the cloth's edge an arm that reaches in over it may begin to be visible: two or three cells. Chosen
by hand."""
ENTRY_CELLS = 3
"""Least number of cells of an arm near the cloth's edge."""


@dataclass(frozen=True, slots=True)
class Arm:
    """Something that reaches in over the cloth's edge."""

    entry_mm: Point
    tip_mm: Point
    """The point of it that is farthest from its entry."""


@dataclass(slots=True)
class Cover:
    """What covers the cloth at one moment."""

    grid: GridFrame
    change: Change
    hands: Mask
    """(H, W) cells under a hand."""
    mask: Mask = field(init=False)
    """(H, W) cells under a hand or in motion."""
    _pieces: NDArray[np.int32] | None = field(default=None)
    _arms: dict[int, Arm | None] = field(default_factory=dict)
    """Arms of the connected pieces that were asked about."""

    def __post_init__(self) -> None:
        self.mask = self.hands | (self.change.still_s < MOTION_S)

    def share_of(self, region: Mask) -> float:
        """Return the share of a region's cells that is covered, 0 to 1."""
        covered = self.mask[region]
        return float(np.count_nonzero(covered) / len(covered)) if len(covered) else 0.0

    def entry_of(self, region: Mask) -> Point | None:
        """Return where the arm over a region enters over the cloth's edge, in mm; None where none does."""
        arm = self.arm_over(region)
        return None if arm is None else arm.entry_mm

    def arm_over(self, region: Mask) -> Arm | None:
        """Return the arm that covers most of a region; None if the cover does not reach in over the cloth's edge."""
        pieces = self._connected()
        over = pieces[region]
        weights = np.bincount(over[over > 0]) if (over > 0).any() else np.zeros(0)
        arms = (self._arm_of(int(piece)) for piece in np.argsort(-weights) if weights[piece])
        return next((arm for arm in arms if arm is not None), None)

    def _arm_of(self, number: int) -> Arm | None:
        if number not in self._arms:
            piece = self._connected() == number
            entry = self._entry_of_piece(piece)
            self._arms[number] = None if entry is None else Arm(entry, self._tip_of_piece(piece, entry))
        return self._arms[number]

    def _connected(self) -> NDArray[np.int32]:
        if self._pieces is None:
            solid = (self.change.foreground | self.mask).astype(np.uint8)
            closed = cv2.morphologyEx(solid, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
            self._pieces = np.asarray(cv2.connectedComponents(closed)[1], np.int32)
        return self._pieces

    def _entry_of_piece(self, piece: Mask) -> Point | None:
        """Return the centre of the piece's part at the cloth's edge.

        None where it does not reach the edge, or reaches both the top and another edge.
        """
        rim = round((MARGIN_MM + RIM_MM) * CELLS_PER_MM)
        inner = np.zeros_like(piece)
        inner[rim:-rim, rim:-rim] = True
        rows, columns = np.nonzero(piece & ~inner)
        at_top = rows < rim
        if len(rows) < ENTRY_CELLS or min(at_top.sum(), (~at_top).sum()) >= ENTRY_CELLS:
            return None
        x = float(np.median(columns) / CELLS_PER_MM + self.grid.origin_mm[0])
        y = float(np.median(rows) / CELLS_PER_MM + self.grid.origin_mm[1])
        return (x, y)

    def _tip_of_piece(self, piece: Mask, entry_mm: Point) -> Point:
        rows, columns = np.nonzero(piece)
        points_mm = np.column_stack([columns, rows]) / CELLS_PER_MM + np.asarray(self.grid.origin_mm)
        x, y = points_mm[np.linalg.norm(points_mm - entry_mm, axis=1).argmax()]
        return (float(x), float(y))


def everything_covered(grid: GridFrame, t: float) -> Cover:
    """Return the cover of a moment in which the camera cannot see."""
    moving, still_s = np.ones(grid.shape_hw, bool), np.zeros(grid.shape_hw)
    picture = np.zeros((*grid.shape_hw, 3), np.float32)
    change = Change(t=t, picture=picture, moving=moving, foreground=moving, strange=moving, still_s=still_s)
    return Cover(grid, change, np.zeros(grid.shape_hw, bool))
