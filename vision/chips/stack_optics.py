"""Estimate a stack's height from the length of its silhouette on the cloth plane. Layout millimetres."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.observations import Stack

LEAST_CHIP_MM = 0.7
"""Where one more chip lengthens the silhouette by fewer mm than this, no count is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackOptics:
    """Relates a stack's height to its silhouette on the cloth plane.

    A disc of radius r at height h, seen from height H above the cloth and d mm off the nadir, is projected onto the
    cloth plane enlarged by H / (H - h) about the nadir. Base and top together are 2 r + q (d + r) long, with q = h / (H
    - h).
    """

    camera_mm: tuple[float, float, float] | None
    """Camera centre in layout coordinates (z is negative above the cloth); None where it is unknown."""
    diameter_mm: float
    thickness_mm: float

    @classmethod
    def of(cls, calibration: Calibration, *, diameter_mm: float, thickness_mm: float) -> StackOptics:
        """Return the optics of a calibrated camera and chips of this size."""
        return cls(camera_mm=_place_of(calibration), diameter_mm=diameter_mm, thickness_mm=thickness_mm)

    def seen_by(self, calibration: Calibration) -> StackOptics:
        """Return the optics of the same chips with another calibration."""
        return replace(self, camera_mm=_place_of(calibration))

    def measure(self, corners_mm: NDArray[np.float64]) -> tuple[Stack, float]:
        """Return a stack and the length of its silhouette in mm, given the (4, 2) rectangle round the silhouette."""
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


def _place_of(calibration: Calibration) -> tuple[float, float, float] | None:
    """Return the camera's position in layout millimetres; None where it is unknown."""
    centre = calibration.camera_centre_mm
    return None if centre is None else (float(centre[0]), float(centre[1]), float(centre[2]))
