"""Measure stacks of chips, and notice when those of a region changed under a cover.

A region reports nothing while something lies over it or moves in it. When it is in plain sight again, what stands
there is compared with what stood there before. Distances are layout millimetres, durations seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from vision.comparer import pooled
from vision.gauge import Gauging, StackView
from vision.growth import GAUGED_SURENESS, Growth, GrowthOptics, averaged, compared_growth, growth_of, matching
from vision.observations import Point, Stack, StacksChanged

SETTLE_LOOKS = 3
SETTLE_S = 0.25
MOVED_MM = 14.0
"""A stack whose foot moved less than this stands where it stood."""
COMPARED_MM = 12.0
"""A stack that moved by less than this is held against how it looked."""
GROWN_MM = 3.2
"""A silhouette that grew by more than this has more chips."""
MEASURE_LOOKS = 8
"""Looks that a settled measurement is averaged over."""
VIEWS = 3
"""So many of them are what a stack is held against later."""
LEAST_CHIP_MM = 0.7
"""Where one more chip shows as less than this the count is not told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackOptics:
    """What is needed to tell a stack's height from its silhouette on the cloth plane.

    A disc of radius r at height h, seen from height H above the cloth and d mm off the nadir, is drawn on the cloth
    plane enlarged by H / (H - h) about the nadir. Foot and top together are 2 r + q (d + r) long, q = h / (H - h).
    """

    camera_mm: tuple[float, float, float] | None
    """Camera centre in layout coordinates (z negative above the cloth)."""
    diameter_mm: float
    thickness_mm: float

    def measure(self, corners_mm: NDArray[np.float64]) -> tuple[Stack, float]:
        """A stack and its silhouette's length in mm, from the (4, 2) rectangle round the silhouette."""
        sides = np.linalg.norm(corners_mm - np.roll(corners_mm, 1, axis=0), axis=1)
        length_mm = float(max(sides[0] + sides[2], sides[1] + sides[3]) / 2)
        centre = corners_mm.mean(axis=0)
        if self.camera_mm is None:
            return Stack(at_mm=(float(centre[0]), float(centre[1])), height_mm=None, count=None), length_mm
        radius = self.diameter_mm / 2
        away = centre - np.array(self.camera_mm[:2])
        distance = float(np.linalg.norm(away))
        foot = centre - away / max(distance, 1.0) * max(length_mm / 2 - radius, 0.0)
        reach = float(np.linalg.norm(foot - np.array(self.camera_mm[:2]))) + radius
        ratio = max(length_mm - self.diameter_mm, 0.0) / reach
        height = -self.camera_mm[2] * ratio / (1.0 + ratio)
        told = reach * self.thickness_mm / -self.camera_mm[2] >= LEAST_CHIP_MM
        return Stack(
            at_mm=(float(foot[0]), float(foot[1])),
            height_mm=height,
            count=max(height / self.thickness_mm, 1.0) if told else None,
        ), length_mm


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The chips of one region at one moment."""

    stacks: tuple[Stack, ...]
    lengths_mm: tuple[float, ...]
    gaugings: tuple[Gauging, ...] = ()
    """One a stack where a gauge measured them all, else none."""

    def matches(self, other: Standing, *, within_mm: float = MOVED_MM) -> bool:
        """Whether both show as many stacks at the same places."""
        if len(self.stacks) != len(other.stacks):
            return False
        return all(
            min(np.hypot(a.at_mm[0] - b.at_mm[0], a.at_mm[1] - b.at_mm[1]) for b in other.stacks) < within_mm
            for a in self.stacks
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionLook:
    """What one look shows of one region."""

    t: float
    standing: Standing
    covered: bool
    entry_mm: Point | None = None
    """Where the thing that covers it comes in over the table's edge."""
    fates: tuple[NDArray[np.float64], ...] = ()
    """What the comparer says of `StackRegion.earlier`, logarithms of probabilities; none where it was not asked."""


@dataclass(slots=True)
class StackRegion:
    """One region's chips over time."""

    region: str
    optics: GrowthOptics | None = None
    """What the gauge's measures mean; None without a gauge or a pose."""
    least_same: float = 0.0
    """The comparer's."""
    settled: Standing | None = None
    _looks: list[RegionLook] = field(default_factory=list)
    """Looks in plain sight since the last cover, of one and the same standing."""
    _measures: list[Standing] = field(default_factory=list)
    """Looks at what is settled, some of the first."""
    _cover_began_t: float | None = None
    _cover_ended_t: float | None = None
    _entries: list[Point | None] = field(default_factory=list)

    @property
    def unsettled_since_t(self) -> float | None:
        """Since when something may have changed here that was not told yet."""
        return self._cover_began_t

    @property
    def needs_looks(self) -> bool:
        """Whether more looks would tell more."""
        return self._cover_began_t is not None or self.settled is None or len(self._measures) < MEASURE_LOOKS

    @property
    def earlier(self) -> tuple[StackView, ...]:
        """How each stack looked before the cover, for the next look to be held against; another look every time."""
        looks = [standing.gaugings for standing in self._measures if standing.gaugings][-VIEWS:]
        if self._cover_began_t is None or not looks:
            return ()
        chosen = looks[len(self._looks) % len(looks)]
        views = [chosen[i].view for i in matching(looks[0], chosen)]
        return tuple(view for view in views if view is not None)

    def update(self, look: RegionLook) -> StacksChanged | None:
        """Take one look in; returns the change once it is sure."""
        if look.covered:
            self._cover(look)
            return None
        if self.settled is not None and self._cover_began_t is None:
            self._refine(look)
            return None
        if self._looks and not look.standing.matches(self._looks[0].standing):
            self._looks = []
        self._looks.append(look)
        if len(self._looks) < SETTLE_LOOKS or look.t - self._looks[0].t < SETTLE_S:
            return None
        return self._settle()

    def _cover(self, look: RegionLook) -> None:
        if self._cover_began_t is None:
            self._cover_began_t = look.t
            self._entries = []
        self._cover_ended_t = look.t
        self._looks = []
        self._entries.append(look.entry_mm)

    def _refine(self, look: RegionLook) -> None:
        assert self.settled is not None
        if len(self._measures) < MEASURE_LOOKS and look.standing.matches(self.settled):
            self._measures.append(look.standing)

    def _settle(self) -> StacksChanged | None:
        before, measures_before = self.settled, self._measures
        first, after = self._looks[0], self._looks[-1].standing
        self._measures = [look.standing for look in self._looks]
        fates = _pooled([look.fates for look in self._looks])
        began = self._cover_began_t
        ended = self._cover_ended_t
        entries, self._cover_began_t, self._entries = self._entries, None, []
        self.settled, self._looks = after, []
        if before is not None and fates and before.matches(after, within_mm=COMPARED_MM):
            growth = compared_growth(fates, least_same=self.least_same)
        else:
            growth = _growth(before, measures_before, after, self._measures, optics=self.optics)
        if before is None and not after.stacks:
            return None
        if before is not None and before.matches(after) and not growth.is_seen:
            if not after.stacks or not entries:
                return None
            growth = Growth(is_seen=False, direction=0)
        has_grown = before is not None and bool(before.stacks and after.stacks and growth.direction)
        least_mm = 0.0 if has_grown else LEAST_CHIP_MM
        told_before = _measured(before, measures_before, self.optics, least_mm) if before is not None else None
        told_after = _measured(after, self._measures, self.optics, least_mm)
        if growth.direction is None and told_before:
            told_before, told_after = _uncounted(told_before), _uncounted(told_after)
        began = began if began is not None else first.t
        moment = (began + ended) / 2 if ended is not None else first.t
        return StacksChanged(
            region=self.region,
            t=moment,
            t_earliest=began,
            t_latest=first.t,
            before=told_before,
            after=told_after,
            growth=growth.direction,
            sureness=growth.sureness,
            entries_mm=tuple(entries),
        )


def _measured(
    standing: Standing, measures: Sequence[Standing], optics: GrowthOptics | None, least_mm: float
) -> tuple[Stack, ...]:
    """The stacks as the gauge sees them on average, or as one look's boxes tell; counts where a chip shows as much."""
    gaugings = _gaugings(measures)
    if optics is None or not gaugings:
        return standing.stacks
    return tuple(optics.stack(gauging, least_chip_mm=least_mm) for gauging in gaugings)


def _gaugings(measures: Sequence[Standing]) -> tuple[Gauging, ...]:
    return averaged([standing.gaugings for standing in measures if standing.gaugings])


def _pooled(looks: Sequence[tuple[NDArray[np.float64], ...]]) -> list[NDArray[np.float64]]:
    """What all looks together say of each stack: probabilities."""
    asked = [look for look in looks if look]
    return [pooled([look[i] for look in asked]) for i in range(len(asked[0]))] if asked else []


def _growth(
    before: Standing | None,
    measures_before: Sequence[Standing],
    after: Standing,
    measures_after: Sequence[Standing],
    *,
    optics: GrowthOptics | None,
) -> Growth:
    """By the number of stacks, else by their measures."""
    if before is None:
        return Growth(is_seen=bool(after.stacks), direction=None)
    if len(before.stacks) != len(after.stacks):
        return Growth(is_seen=True, direction=1 if len(after.stacks) > len(before.stacks) else -1)
    if not after.stacks or not measures_before or not measures_after:
        return Growth(is_seen=False, direction=0)
    gauged_before, gauged_after = _gaugings(measures_before), _gaugings(measures_after)
    if optics is not None and gauged_before and gauged_after:
        return growth_of(gauged_before, gauged_after, optics)
    change = _mean_length_mm(measures_after) - _mean_length_mm(measures_before)
    if abs(change) >= GROWN_MM:
        return Growth(is_seen=True, direction=1 if change > 0 else -1, sureness=GAUGED_SURENESS)
    return Growth(is_seen=False, direction=0)


def _uncounted(stacks: tuple[Stack, ...]) -> tuple[Stack, ...]:
    """Without counts, which would claim to tell a direction that is not known."""
    return tuple(replace(stack, count=None) for stack in stacks)


def _mean_length_mm(measures: Sequence[Standing]) -> float:
    """Length of all silhouettes together, averaged over looks."""
    return float(np.mean([sum(standing.lengths_mm) for standing in measures]))
