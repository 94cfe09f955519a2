"""Watch the chips of all stack regions: who covered which, and what had changed when the cover lifted.

Assigns stacks to regions by the centre of their foot. Distances are layout millimetres, durations seconds.
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cover import Cover
from vision.detections import Detections
from vision.gate import GridFrame, Mask
from vision.observations import Stack, StacksChanged
from vision.stacks import RegionLook, StackOptics, StackRegion, Standing

REGION_SLACK_MM = 14.0
COVERED_SHARE = 0.04
OLDEST_S = 3.0
"""A cover that lasts longer than this is no longer waited for."""


class StackWatch:
    """The chips of all stack regions."""

    def __init__(self, regions: Mapping[str, NDArray[np.float64]], grid: GridFrame, optics: StackOptics) -> None:
        self._polygons = {region: polygon.astype(np.float32) for region, polygon in regions.items()}
        self._masks: dict[str, Mask] = {region: grid.mask_of(polygon) for region, polygon in regions.items()}
        self._regions = {region: StackRegion(region) for region in regions}
        self._optics = optics

    def update(self, chips: Detections, cover: Cover, t: float) -> list[StacksChanged]:
        """Take one look in and say what is new."""
        standing = self._standing(chips)
        changes = []
        for region, watched in self._regions.items():
            change = watched.update(self._look(region, standing[region], cover, t))
            if change is not None:
                changes.append(change)
        return changes

    def asked_mm(self) -> list[NDArray[np.float64]]:
        """Where further looks would tell more."""
        return [
            self._polygons[region].mean(axis=0).astype(np.float64)
            for region, watched in self._regions.items()
            if watched.needs_looks
        ]

    def waiting_since_t(self, t: float) -> float | None:
        """The earliest moment of which something may still be told."""
        times = [watched.unsettled_since_t for watched in self._regions.values()]
        return min((since for since in times if since is not None and t - since <= OLDEST_S), default=None)

    def _look(self, region: str, standing: Standing, cover: Cover, t: float) -> RegionLook:
        mask = self._masks[region]
        covered = cover.share_of(mask) >= COVERED_SHARE
        entry = cover.entry_of(mask) if covered else None
        return RegionLook(t=t, standing=standing, covered=covered, entry_mm=entry)

    def _standing(self, chips: Detections) -> dict[str, Standing]:
        found: dict[str, list[tuple[Stack, float]]] = {region: [] for region in self._polygons}
        for corners in chips.corners_mm:
            stack, length_mm = self._optics.measure(corners)
            region = self._region_of(stack)
            if region is not None:
                found[region].append((stack, length_mm))
        return {
            region: Standing(
                stacks=tuple(stack for stack, _ in stacks), lengths_mm=tuple(length for _, length in stacks)
            )
            for region, stacks in found.items()
        }

    def _region_of(self, stack: Stack) -> str | None:
        inside = {
            region: cv2.pointPolygonTest(polygon, stack.at_mm, True) for region, polygon in self._polygons.items()
        }
        best = max(inside, key=lambda region: inside[region], default=None)
        return best if best is not None and inside[best] >= -REGION_SLACK_MM else None
