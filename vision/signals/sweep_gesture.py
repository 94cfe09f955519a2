"""Detect an arm that sweeps over a table's regions from the top edge and withdraws, as one gesture.

An arm is a hand, or a moving difference from the still table, that reaches in over the top edge; its tip is tracked
from look to look while it is among the regions. A sweep goes in one direction across a large share of them within a
second or two; an arm that puts or takes something goes to a place, stops, and comes back. Layout millimetres, seconds
of stream time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from thirdcard.vision.observations import RegionsSwept, StacksChanged
from thirdcard.vision.plane.change_gate import CELLS_PER_MM, MARGIN_MM, GridFrame, Mask
from thirdcard.vision.plane.occlusion import Cover

TOP_MM = 30.0
"""An arm that reaches within this many mm of the top edge enters over it."""
LEAST_CELLS = 12
"""An arm that covers fewer cells is not among the regions yet."""
NEAR_MM = 130.0
"""A sweeping arm may pass at this distance from the regions on its way."""
TIP_CELLS = 10
"""Length of an arm's tip, in cells."""
LOST_S = 0.3
"""Seconds without a sight after which an arm that was over the regions has withdrawn; one that had left them has at
the first look without it, and what comes next is another arm."""
STEP_MM_S = 3200.0
"""Largest speed: three times that of hands in drawn recordings (950 mm/s). A lower limit misses fast sweeps, a
higher one joins two arms. Chosen by hand."""
STEP_MM = 60.0
"""Largest step of an arm's tip between two looks, in addition to STEP_MM_S."""
BEYOND_MM = 1e6
"""Stands for "impossible": farther than any table is wide."""
DURATION_S = (0.3, 2.6)
LEAST_SHARE = 0.4
"""Least share of the regions' width that a sweep crosses."""
LEAST_STRAIGHTNESS = 0.85
"""Least ratio of the distance between the ends to the path between them."""
LEAST_STRAIGHTNESS_OF_STAY = 0.65
"""The same including the ways in and out: an arm that goes there and back came for something."""
SLOW_SHARE = 0.45
"""An arm that stands still for more than this share of the time did something there."""
SLOW_MM_S = 250.0
"""Below this speed an arm stands still: a quarter of the speed of hands in drawn recordings. Chosen by hand."""
STARTED_S = 0.7
"""Seconds within which a sweep has crossed STARTED_SHARE: one that takes 2.6 s for all of the regions needs 0.31 s
at a steady pace. Chosen by hand."""
STARTED_SHARE = 0.12
"""An arm that stays longer and has crossed a smaller share of the regions came for something else."""
CALM_LOOKS_S = 3.0
"""Most seconds to wait until it is known what lies under the path of a sweep."""
FROM_TOP_SHARE = 0.8
"""Share of a change's visible arms that must come from the top, as the sweep did. Chosen by hand."""
TOP_DEPTH = 0.25
"""An arm that enters over a side within this share of the cloth's depth from the top also comes from the top."""


@dataclass(slots=True, eq=False)
class _Crossing:
    """What one arm did over the regions, or several together that met: where they overlap, either may go on as the
    other."""

    t_began: float
    over_mm: list[float] = field(default_factory=list)
    """Where the tips were while over a region."""
    has_swept: bool = False
    """Whether one of them swept for sure."""


@dataclass(slots=True, eq=False)
class _Stay:
    """One arm over the regions, look by look."""

    crossing: _Crossing
    t: list[float] = field(default_factory=list)
    x_mm: list[float] = field(default_factory=list)
    over_mm: list[float] = field(default_factory=list)
    """Where the tip was while over a region."""
    is_over: bool = False
    """Whether it was over a region when last seen."""

    def add(self, t: float, x_mm: float, *, is_over: bool) -> None:
        self.t.append(t)
        self.x_mm.append(x_mm)
        self.over_mm += [x_mm] * is_over
        self.crossing.over_mm += [x_mm] * is_over
        self.is_over = is_over

    def has_withdrawn(self, t: float) -> bool:
        """Whether it is gone at a look at which it may have been seen."""
        return t - self.t[-1] > (LOST_S if self.is_over else 0.0)

    def miss_mm(self, t: float, x_mm: float) -> float:
        """Return how far, in mm, a point is from where this arm would be; BEYOND_MM if it cannot be there."""
        waited_s = t - self.t[-1]
        if abs(x_mm - self.x_mm[-1]) > STEP_MM + STEP_MM_S * waited_s:
            return BEYOND_MM
        speed = (self.x_mm[-1] - self.x_mm[-2]) / (self.t[-1] - self.t[-2]) if len(self.t) > 1 else 0.0
        return abs(x_mm - self.x_mm[-1] - speed * waited_s)

    def may_sweep(self, width_mm: float) -> bool:
        """Whether it may still become a sweep: it just came, or it is on its way."""
        lasted_s = self.t[-1] - self.t[0]
        is_under_way = max(self.x_mm) - min(self.x_mm) > STARTED_SHARE * width_mm
        return lasted_s < DURATION_S[1] and (is_under_way or lasted_s < STARTED_S)


class SweepWatch:
    """Tracks every arm from the top edge over the regions."""

    def __init__(
        self, regions: Mapping[str, NDArray[np.float64]], grid: GridFrame, size_mm: tuple[float, float]
    ) -> None:
        self._grid, self._depth_mm = grid, size_mm[1]
        self._cells: Mask = np.zeros(grid.shape_hw, bool)
        """Cells under the regions."""
        self._among: Mask = np.zeros(grid.shape_hw, bool)
        """Cells under or near the regions."""
        for polygon in regions.values():
            self._cells |= grid.mask_of(polygon)
            self._among |= grid.mask_of(polygon, NEAR_MM)
        corners = np.concatenate(list(regions.values())) if regions else np.zeros((1, 2))
        self._width_mm = float(np.ptp(corners[:, 0]))
        self._stays: list[_Stay] = []
        self._apart: list[_Crossing] = []
        """What arms did that left the regions a moment ago, while one has reached in over the top edge ever since."""
        self._looked_t = -np.inf
        """The time of the look before."""
        self._swept: list[RegionsSwept] = []
        """Sure sweeps of which it is not known yet whether something changed under them."""
        self._changes: list[StacksChanged] = []

    def update(
        self, cover: Cover, changes: Sequence[StacksChanged], *, calm_since_t: float | None
    ) -> list[RegionsSwept]:
        """Take one look and return the finished sweeps, also those that are not sure.

        Args:
            cover: What covers the cloth.
            changes: The changes of stacks that were reported at this look.
            calm_since_t: The earliest moment about which a change of stacks may still be reported; None for none.
        """
        if not self._cells.any():
            return []
        t = cover.change.t
        doubtful = self._follow(cover, t)
        self._changes = [one for one in (*self._changes, *changes) if one.t_latest > t - 2 * CALM_LOOKS_S]
        known_t = min([t if calm_since_t is None else calm_since_t, *(stay.t[0] for stay in self._stays)])
        ripe = [one for one in self._swept if one.t_ended < known_t or t - one.t_ended > CALM_LOOKS_S]
        self._swept = [one for one in self._swept if one not in ripe]
        return [*doubtful, *(_in_doubt(one) if self._left_something(one) else one for one in ripe)]

    def waiting_since_t(self) -> float | None:
        """Return the earliest beginning of a sweep that may still be reported; None for none."""
        times = [stay.t[0] for stay in self._stays if stay.may_sweep(self._width_mm)]
        return min([*times, *(one.t_began for one in self._swept)], default=None)

    def _follow(self, cover: Cover, t: float) -> list[RegionsSwept]:
        """Continue the arms' tracks; keep the sweeps of those that withdrew, and return those that are not sure."""
        arms = self._arms_from_top(cover)
        tips = self._tips_mm(arms)
        is_any = np.count_nonzero(arms) >= LEAST_CELLS
        self._apart = [one for one in self._apart if is_any and t - one.t_began <= DURATION_S[1]]
        misses = np.array([[stay.miss_mm(t, x_mm) for x_mm, _ in tips] for stay in self._stays])
        may_be = misses < BEYOND_MM
        pairs = list(zip(*linear_sum_assignment(misses), strict=True)) if misses.size else []
        known = {int(j): self._stays[int(i)] for i, j in pairs if may_be[i, j]}
        stays = [known.get(j) or self._come(t) for j in range(len(tips))]
        for i, j in np.argwhere(may_be) if misses.size else ():
            is_near = self._stays[i].t[-1] >= self._looked_t
            if is_near and (j not in known or all(self._stays[i] is not stay for stay in known.values())):
                self._meet(self._stays[i].crossing, stays[j])
        self._looked_t = t
        self._stays += [stay for j, stay in enumerate(stays) if j not in known]
        for stay, (x_mm, is_over) in zip(stays, tips, strict=True):
            stay.add(t, x_mm, is_over=is_over)
        return self._end(t)

    def _come(self, t: float) -> _Stay:
        """An arm that comes to the regions. It may be one that left them elsewhere: those along an arc are far from the
        straight way between two of them."""
        stay = _Stay(_Crossing(t))
        for crossing in self._apart:
            self._meet(crossing, stay)
        return stay

    def _meet(self, crossing: _Crossing, stay: _Stay) -> None:
        """Join what an arm does to what another did: either may be the other from now on."""
        other = stay.crossing
        if other is crossing:
            return
        crossing.t_began = min(crossing.t_began, other.t_began)
        crossing.over_mm += other.over_mm
        crossing.has_swept |= other.has_swept
        for each in (stay, *self._stays):
            if each.crossing is other:
                each.crossing = crossing

    def _end(self, t: float) -> list[RegionsSwept]:
        """Keep the sweeps of the arms that have withdrawn, and return those that are not sure."""
        gone = [stay for stay in self._stays if stay.has_withdrawn(t)]
        self._stays = [stay for stay in self._stays if stay not in gone]
        swept = []
        for stay in gone:
            if (one := _sweep_of(stay, self._width_mm)) is not None:
                stay.crossing.has_swept = True
                swept.append(one)
        self._swept = _longest((*self._swept, *swept))
        running = {id(stay.crossing) for stay in self._stays}
        ended = {id(stay.crossing): stay for stay in gone if id(stay.crossing) not in running}
        self._apart += [stay.crossing for stay in ended.values()]
        return [one for stay in ended.values() if (one := _doubtful(stay, self._width_mm)) is not None]

    def _arms_from_top(self, cover: Cover) -> Mask:
        """Return the cells under arms that reach in over the top edge; none while that does not matter."""
        mask = cover.hands | (cover.change.moving & cover.change.strange)
        if not self._apart and np.count_nonzero(mask & self._among) < LEAST_CELLS:
            return np.zeros_like(mask)
        pieces = _connected(mask)
        from_top = np.unique(pieces[: round((MARGIN_MM + TOP_MM) * CELLS_PER_MM)])
        return np.isin(pieces, from_top[from_top > 0])

    def _tips_mm(self, from_top: Mask) -> list[tuple[float, bool]]:
        """Return x in mm of the tip of each arm from the top edge, and whether the arm is over a region."""
        if np.count_nonzero(from_top & self._among) < LEAST_CELLS:
            return []
        arms = _connected(from_top & self._among)
        tips = []
        for arm in range(1, int(arms.max()) + 1):
            rows, columns = np.nonzero(arms == arm)
            if len(rows) >= LEAST_CELLS:
                tip = columns[rows > rows.max() - TIP_CELLS]
                x_mm = float((tip.mean() + 0.5) / CELLS_PER_MM + self._grid.origin_mm[0])
                tips.append((x_mm, bool(self._cells[rows, columns].any())))
        return tips

    def _left_something(self, swept: RegionsSwept) -> bool:
        """Whether an arm from the top edge changed a stack during the sweep."""
        return any(
            one.growth != 0
            and one.t_earliest <= swept.t_ended
            and one.t_latest >= swept.t_began
            and self._is_from_top(one)
            for one in self._changes
        )

    def _is_from_top(self, change: StacksChanged) -> bool:
        known = [entry for entry in change.entries_mm if entry is not None]
        from_top = sum(y < TOP_DEPTH * self._depth_mm for _, y in known)
        return bool(known) and from_top >= FROM_TOP_SHARE * len(known)


def _connected(mask: Mask) -> NDArray[np.int32]:
    """Return the number of the connected piece that each cell belongs to, 0 for none."""
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    return np.asarray(cv2.connectedComponents(closed)[1], np.int32)


def _longest(swept: Sequence[RegionsSwept]) -> list[RegionsSwept]:
    """Of simultaneous sweeps, which are one arm seen as two, keep the one that crossed most."""
    kept: list[RegionsSwept] = []
    for one in sorted(swept, key=lambda each: -each.share):
        if all(one.t_ended < other.t_began or one.t_began > other.t_ended for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda each: each.t)


def _sweep_of(stay: _Stay, width_mm: float) -> RegionsSwept | None:
    """Return the sweep between the ends of a stay; None where it was something else, or is not sure.

    How the arm came in and how it withdrew does not matter.
    """
    t, x = np.array(stay.t), np.array(stay.x_mm)
    if np.ptp(x) < LEAST_STRAIGHTNESS_OF_STAY * float(np.abs(np.diff(x)).sum()):
        return None
    first, last = sorted((int(x.argmin()), int(x.argmax())))
    t, x = t[first : last + 1], x[first : last + 1]
    if len(t) < 3 or not DURATION_S[0] <= t[-1] - t[0] <= DURATION_S[1]:
        return None
    steps, times = np.abs(np.diff(x)), np.diff(t)
    low, high = float(x.min()), float(x.max())
    share = _share(stay.over_mm, width_mm)
    if share < LEAST_SHARE or high - low < LEAST_STRAIGHTNESS * float(steps.sum()):
        return None
    if float(times[steps < SLOW_MM_S * times].sum()) > SLOW_SHARE * float(times.sum()):
        return None
    halfway = 0.5 * (low + high)
    after = int(np.argmax(x >= halfway) if x[0] < x[-1] else np.argmax(x <= halfway))
    before = max(0, after - 1)
    way = x[after] - x[before]
    part = 0.0 if way == 0 else (halfway - x[before]) / way
    return RegionsSwept(
        t=float(t[before] + part * (t[after] - t[before])), t_began=float(t[0]), t_ended=float(t[-1]), share=share
    )


def _in_doubt(swept: RegionsSwept) -> RegionsSwept:
    """The sweep as one that is not sure: the arm may have come for chips, or the stack only seems to have changed."""
    return replace(swept, is_sure=False)


def _doubtful(last: _Stay, width_mm: float) -> RegionsSwept | None:
    """Return what arms did, given the last of them, as a sweep that is not sure; None for a sure or too short one."""
    share, began, ended = _share(last.crossing.over_mm, width_mm), last.crossing.t_began, last.t[-1]
    if last.crossing.has_swept or share < LEAST_SHARE:
        return None
    return RegionsSwept(t=0.5 * (began + ended), t_began=began, t_ended=ended, share=share, is_sure=False)


def _share(over_mm: Sequence[float], width_mm: float) -> float:
    return float(np.ptp(over_mm)) / width_mm if over_mm else 0.0
