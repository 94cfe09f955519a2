"""Watch the chips of all stack regions: who covered which, and what had changed when the cover lifted.

Assigns stacks to regions by the centre of their base. Distances are layout millimetres, durations seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.chips.change_direction import GrowthOptics
from thirdcard.vision.chips.stack_optics import StackOptics
from thirdcard.vision.chips.stack_region import NOBODY, RegionLook, StackModels, StackRegion
from thirdcard.vision.chips.standings import Standing
from thirdcard.vision.detections import Detections
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.stack_change import AS_TOLD, Judging
from thirdcard.vision.inference.stack_height import CropFrame, Gauging, HeightSureness
from thirdcard.vision.observations import Stack, StacksChanged
from thirdcard.vision.plane.change_gate import GridFrame, Mask
from thirdcard.vision.plane.occlusion import Cover

REGION_SLACK_MM = 14.0
"""How many mm outside its region the centre of a stack's base may lie: a third of a chip's width. A larger value
assigns a stack between two regions to the wrong one, a smaller one misses chips on a line. Chosen by hand."""
COVERED_SHARE = 0.04
"""Share of a region's cells that makes it covered: a finger over its edge does, a single noisy cell of a large
region does not. Chosen by hand."""
OLDEST_S = 3.0
"""A cover that lasts for more seconds than this is no longer waited for."""


Measure = Callable[[Sequence[NDArray[np.float64]]], Sequence[Gauging | None]]
"""Measures the stacks whose silhouettes have these centres, (2,) mm each, in the present picture."""
Cut = Callable[[Sequence[CropFrame]], Sequence[Image | None]]
"""Cuts places out of the present picture in the comparer's wide size; None where a place is outside it."""
NEAR_FOOT_MM = 15.0
"""A hand within this many mm of a stack's base may hide it."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The detections of one region."""

    standing: Standing
    centres_mm: tuple[NDArray[np.float64], ...]
    """The centre of each stack's silhouette."""


@dataclass(frozen=True, slots=True)
class _Measured:
    """One box of chips, measured."""

    stack: Stack
    length_mm: float
    centre_mm: NDArray[np.float64]
    """The centre of its silhouette."""
    region: str | None
    """The region in which it stands."""


_NONE_FOUND = _Found(Standing(stacks=(), lengths_mm=()), ())


def _found_in(measured: Sequence[_Measured]) -> _Found:
    standing = Standing(
        stacks=tuple(one.stack for one in measured), lengths_mm=tuple(one.length_mm for one in measured)
    )
    return _Found(standing, tuple(one.centre_mm for one in measured))


class StackWatch:
    """The chips of all stack regions."""

    def __init__(
        self,
        regions: Mapping[str, NDArray[np.float64]],
        grid: GridFrame,
        optics: StackOptics,
        *,
        sureness: HeightSureness | None = None,
        judging: Judging = AS_TOLD,
    ) -> None:
        """Take the regions, the gauge's reliability, and how the comparer's answers are judged.

        Without a gauge the reliability is None.
        """
        self._polygons = {region: polygon.astype(np.float32) for region, polygon in regions.items()}
        self._reaches = {region: (*polygon.min(axis=0), *polygon.max(axis=0)) for region, polygon in regions.items()}
        self._masks: dict[str, Mask] = {region: grid.mask_of(polygon) for region, polygon in regions.items()}
        cells = [np.flatnonzero(mask) for mask in self._masks.values()]
        self._cells: NDArray[np.int64] = np.concatenate([np.empty(0, np.int64), *cells])
        """The cells of all regions, one region after the other."""
        self._ends = np.cumsum([0, *map(len, cells)])
        self._grid, self._optics, self._sureness = grid, optics, sureness
        self._regions = {region: StackRegion(region, self._growth_optics(), judging) for region in regions}
        self._measured: dict[bytes, _Measured] = {}
        """The measures of each box at the last look: most boxes are the same again."""

    def recalibrate(self, calibration: Calibration) -> None:
        """Use another calibration: heights look different from now on."""
        self._optics = self._optics.seen_by(calibration)
        for region in self._regions.values():
            region.optics = self._growth_optics()
        self._measured.clear()

    def _growth_optics(self) -> GrowthOptics | None:
        """Return the meaning of height changes; None where it is unknown."""
        camera_mm, thickness_mm = self._optics.camera_mm, self._optics.thickness_mm
        if self._sureness is None or camera_mm is None:
            return None
        return GrowthOptics(camera_mm=camera_mm, thickness_mm=thickness_mm, sureness=self._sureness)

    def update(
        self,
        chips: Detections,
        cover: Cover,
        t: float,
        *,
        measure: Measure | None = None,
        cut: Cut | None = None,
        ask: StackModels = NOBODY,
    ) -> list[StacksChanged]:
        """Take one look and return what is new; `measure` and `cut` are called for stacks in plain sight."""
        found = self._found(chips)
        covered = dict(zip(self._regions, self._covered_by(cover), strict=True))
        looks = {
            region: self._look(region, found[region].standing, cover, t, covered=covered[region])
            for region in self._regions
        }
        if measure is not None:
            looks |= self._gauged(looks, found, measure)
        if cut is not None:
            looks |= self._cut_out(looks, cut)
        return [change for region, watched in self._regions.items() for change in watched.update(looks[region], ask)]

    def forget_print(self, print_mm: Sequence[NDArray[np.float64]], t: float) -> list[StacksChanged]:
        """Remove the stacks at these points, which turned out to be print."""
        if not print_mm:
            return []
        return [gone for watched in self._regions.values() for gone in watched.forget_print(print_mm, t)]

    def asked_mm(self) -> list[NDArray[np.float64]]:
        """Return points, (2,) mm each, where further looks would reveal more: all over regions that may have changed.

        What lies under a hand becomes visible as the hand moves, and everything that changes is examined then.
        """
        asked = []
        for region, watched in self._regions.items():
            if watched.is_covered:
                continue
            if watched.needs_looks:
                asked.append(self._polygons[region].astype(np.float64).mean(axis=0))
            if watched.unsettled_since_t is not None:
                asked += list(self._polygons[region].astype(np.float64))
        return asked

    def calm(self) -> list[str]:
        """Return the regions whose chips nothing has covered since they were reported."""
        return [
            region
            for region, watched in self._regions.items()
            if watched.settled is not None and watched.unsettled_since_t is None
        ]

    def waiting_since_t(self, t: float) -> float | None:
        """Return the earliest stream time about which something may still be reported; None when nothing is pending."""
        times = [watched.unsettled_since_t for watched in self._regions.values()]
        return min((since for since in times if since is not None and t - since <= OLDEST_S), default=None)

    def _covered_by(self, cover: Cover) -> list[bool]:
        """Return for each region whether something covers it."""
        count = np.diff(np.concatenate([[0], np.cumsum(cover.mask.ravel()[self._cells])])[self._ends])
        size = np.diff(self._ends)
        is_covered: list[bool] = ((size > 0) & (count >= COVERED_SHARE * size)).tolist()
        return is_covered

    def _look(self, region: str, standing: Standing, cover: Cover, t: float, *, covered: bool) -> RegionLook:
        arm = cover.arm_over(self._masks[region]) if covered else None
        is_in_sight = not covered or not any(self._is_under_hand(stack, cover) for stack in standing.stacks)
        return RegionLook(t=t, standing=standing, covered=covered, arm=arm, is_in_sight=is_in_sight)

    def _is_under_hand(self, stack: Stack, cover: Cover) -> bool:
        corners = np.array(stack.at_mm) + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * NEAR_FOOT_MM
        return bool((cover.hands & self._grid.mask_of(corners)).any())

    def _gauged(
        self, looks: Mapping[str, RegionLook], found: Mapping[str, _Found], measure: Measure
    ) -> dict[str, RegionLook]:
        """Return the looks for which measures are needed, with their stacks measured in one call."""
        wanted = [
            region
            for region, watched in self._regions.items()
            if watched.optics is not None and watched.needs_looks and not looks[region].covered
        ]
        centres = [centre for region in wanted for centre in found[region].centres_mm]
        told = iter(measure(centres) if centres else ())
        gauged = {}
        for region in wanted:
            row = [next(told) for _ in found[region].centres_mm]
            seen = tuple(gauging for gauging in row if gauging is not None)
            if row and len(seen) == len(row):
                standing = replace(found[region].standing, gaugings=seen)
                gauged[region] = replace(looks[region], standing=standing)
        return gauged

    def _cut_out(self, looks: Mapping[str, RegionLook], cut: Cut) -> dict[str, RegionLook]:
        """Return the looks at earlier stacks, with crops of their places cut out in one call."""
        frames = {region: watched.frames for region, watched in self._regions.items() if not looks[region].covered}
        wanted = [frame for each in frames.values() for frame in each]
        told = iter(cut(wanted) if wanted else ())
        seen = {}
        for region, each in frames.items():
            row = [next(told) for _ in each]
            crops = tuple(crop for crop in row if crop is not None)
            if row and len(crops) == len(row):
                seen[region] = replace(looks[region], crops=crops)
        return seen

    def _found(self, chips: Detections) -> dict[str, _Found]:
        keys = [corners.tobytes() for corners in chips.corners_mm]
        self._measured = {
            key: self._measured.get(key) or self._measure(corners)
            for key, corners in zip(keys, chips.corners_mm, strict=True)
        }
        rows: dict[str, list[_Measured]] = {region: [] for region in self._polygons}
        for key in keys:
            measured = self._measured[key]
            if measured.region is not None:
                rows[measured.region].append(measured)
        return {region: _found_in(measured) if measured else _NONE_FOUND for region, measured in rows.items()}

    def _measure(self, corners_mm: NDArray[np.float64]) -> _Measured:
        stack, length_mm = self._optics.measure(corners_mm)
        return _Measured(stack, length_mm, corners_mm.mean(axis=0), self._region_of(stack))

    def _region_of(self, stack: Stack) -> str | None:
        x, y = stack.at_mm
        near = [
            region
            for region, (x0, y0, x1, y1) in self._reaches.items()
            if x0 - REGION_SLACK_MM <= x <= x1 + REGION_SLACK_MM and y0 - REGION_SLACK_MM <= y <= y1 + REGION_SLACK_MM
        ]
        inside = {region: cv2.pointPolygonTest(self._polygons[region], stack.at_mm, True) for region in near}
        best = max(inside, key=lambda region: inside[region], default=None)
        return best if best is not None and inside[best] >= -REGION_SLACK_MM else None
