"""Refit a camera that was moved, from where the printed cloth was in its picture and where it is now.

The calibration gives the place on the cloth for each pixel of the old picture; the same print has the same place in the
new one. Places are found again by phase correlation of patches of the full picture, after a coarse alignment. What is
hidden by chips, cards and arms, or lies higher than the cloth, does not fit the plane and is rejected (M. Fischler, R.
Bolles, 1981). The lens is kept. Knows nothing of layouts: any print will do.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.camera_problem import KnownLens
from thirdcard.calibration.errors import FitError
from thirdcard.calibration.fit import Fit, fit_camera
from thirdcard.vision.frames import Image
from thirdcard.vision.health.calibration_drift import Affine, picture_map
from thirdcard.vision.health.print_blocks import block_grid

SMALL_WIDTH_PX = 480
"""Width of the pictures in which the coarse alignment is made."""
PATCH_PX = 96
"""Side of a patch, in pixels of the full picture: print of a few centimetres."""
PLACES = (17, 11)
"""Number of places along the cloth and across it."""
LEAST_RESPONSE = 0.12
"""A correlation peak with a smaller share of the energy is ignored, as in `calibration_drift`."""
ROUNDS = 3
"""How often the picture is aligned by the previous result: the remaining shifts are then a fraction of a pixel."""
AGREE_PX = 1.0
"""Places within this many pixels of the plane belong to it."""
MAP_STEP_PX = 16
"""Distance of the map's computed points: between them a lens bends lines by less than a hundredth of a pixel."""
LEAST_PLACES = 16
"""Least number of agreeing places: the eight unknowns of a plane's picture, twice over."""
FOUND_PX = 0.25
"""Assumed standard deviation of a place along each axis, before the fit gives its own."""

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Refit:
    """A refitted camera."""

    fit: Fit
    moved_mm: float
    """Largest error of the old calibration on the cloth, in mm."""
    places: int
    """How many places of the print agree."""


def refit(then: Image, now: Image, calibration: Calibration, size_mm: tuple[float, float]) -> Refit | None:
    """Return the camera as it is now; None where too little of the print is found again, or the pose was never known.

    Args:
        then: (H, W) uint8, grey, from when the calibration was valid.
        now: One of the same size.
        calibration: The old one.
        size_mm: The cloth's width and height.
    """
    if not calibration.has_pose:
        return None
    affine = _near(then, now, calibration, size_mm)
    if affine is None:
        return None
    at_mm, before_px = _places(calibration, size_mm)
    kept = np.ones(len(at_mm), bool)
    seen_px = before_px @ affine[:, :2].T + affine[:, 2]
    for _ in range(ROUNDS):
        plane, _ = _plane(calibration, at_mm, seen_px, kept)
        found = None if plane is None else _found_again(then, now, _Warp(calibration, plane), before_px)
        if found is None:
            return None
        seen_px, is_found = found
        plane, kept = _plane(calibration, at_mm, seen_px, is_found)
        if plane is None or int(kept.sum()) < LEAST_PLACES:
            return None
    return _fitted(calibration, at_mm, seen_px, kept)


def _plane(
    calibration: Calibration, at_mm: Points, seen_px: Points, among: NDArray[np.bool_]
) -> tuple[Points | None, NDArray[np.bool_]]:
    """Return the map from the cloth to where the old calibration places it now, and a mask of the agreeing places.

    Seen through the old lens, the map of a plane between two pictures is a homography, whatever the lens distorts.
    """
    taken_mm = calibration.layout_from_image(seen_px)
    numbers = np.flatnonzero(among & np.isfinite(taken_mm).all(axis=1))
    kept = np.zeros(len(at_mm), bool)
    if len(numbers) < LEAST_PLACES:
        return None, kept
    agree_mm = AGREE_PX * _mm_per_px(calibration, at_mm)
    found, agree = cv2.findHomography(at_mm[numbers], taken_mm[numbers], cv2.RANSAC, agree_mm)
    plane = np.asarray(found, np.float64)
    if plane.shape != (3, 3):
        return None, kept
    kept[numbers[agree.ravel() > 0]] = True
    return plane, kept


def _mm_per_px(calibration: Calibration, at_mm: Points) -> float:
    """Return the median scale at the places, in mm per px."""
    beside = calibration.layout_from_image(calibration.image_from_layout(at_mm) + np.array([1.0, 0.0]))
    return float(np.nanmedian(np.linalg.norm(beside - at_mm, axis=1)))


@dataclass(frozen=True, slots=True)
class _Warp:
    """Warps the new picture so that it shows the cloth where the old one did."""

    calibration: Calibration
    plane: Points

    def now_px(self, then_px: Points) -> Points:
        """Return where the new picture shows what the old one showed at these points, (N, 2)."""
        at_mm = self.calibration.layout_from_image(then_px)
        return self.calibration.image_from_layout(cv2.perspectiveTransform(at_mm[:, None], self.plane)[:, 0])

    def maps(self, size_wh_px: tuple[int, int]) -> NDArray[np.float32]:
        """Return the same for all pixels, (H, W, 2), interpolated linearly from a coarse grid."""
        width, height = size_wh_px
        x, y = (np.arange(0, side + MAP_STEP_PX, MAP_STEP_PX, dtype=np.float64) for side in (width, height))
        grid = np.stack(np.meshgrid(x, y), axis=-1)
        coarse = self.now_px(grid.reshape(-1, 2)).reshape(grid.shape).astype(np.float32)
        rows, columns = (np.arange(side, dtype=np.float32) / MAP_STEP_PX for side in (height, width))
        across, down = np.meshgrid(columns, rows)
        return np.asarray(cv2.remap(coarse, across, down, cv2.INTER_LINEAR), np.float32)


def _near(then: Image, now: Image, calibration: Calibration, size_mm: tuple[float, float]) -> Affine | None:
    """Return the coarse map of the full picture, found in the small ones."""
    height, width = then.shape
    small_wh = SMALL_WIDTH_PX, round(SMALL_WIDTH_PX * height / width)
    small = [np.asarray(cv2.resize(each, small_wh, interpolation=cv2.INTER_AREA), np.uint8) for each in (then, now)]
    affine = picture_map(small[0], small[1], block_grid(calibration, size_mm).on_cloth)
    if affine is None:
        return None
    scale = np.array([width / small_wh[0], height / small_wh[1]])
    linear = affine[:, :2] * scale[:, None] / scale[None]
    shift = scale * (affine[:, 2] + 0.5) - 0.5 + linear @ (np.full(2, 0.5) - 0.5 * scale)
    return np.column_stack([linear, shift])


def _places(calibration: Calibration, size_mm: tuple[float, float]) -> tuple[Points, Points]:
    """Return places of the cloth, (N, 2) mm, and where the old picture shows them, (N, 2) px.

    Those at the picture's edge are left out.
    """
    x, y = (np.linspace(0.02, 0.98, count) * side for count, side in zip(PLACES, size_mm, strict=True))
    at_mm = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    seen = calibration.image_from_layout(at_mm)
    inside = (seen > PATCH_PX / 2).all(axis=1)
    inside &= (seen < np.array(calibration.image_size_wh_px) - PATCH_PX / 2).all(axis=1)
    return at_mm[inside], seen[inside]


def _found_again(then: Image, now: Image, warp: _Warp, before_px: Points) -> tuple[Points, NDArray[np.bool_]] | None:
    """Return where the places are now, (N, 2) px, and a mask of those that were found; None for too few."""
    maps = warp.maps((then.shape[1], then.shape[0]))
    near = cv2.remap(now, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    is_seen = (maps >= 0).all(axis=-1) & (maps[..., 0] < now.shape[1] - 1) & (maps[..., 1] < now.shape[0] - 1)
    window = cv2.createHanningWindow((PATCH_PX, PATCH_PX), cv2.CV_32F)
    shifts, is_found = np.zeros((len(before_px), 2)), np.zeros(len(before_px), bool)
    for i, place in enumerate(before_px):
        here = tuple(np.round(place - PATCH_PX / 2).astype(int))
        rows, columns = slice(here[1], here[1] + PATCH_PX), slice(here[0], here[0] + PATCH_PX)
        if not is_seen[rows, columns].all():
            continue
        shift, response = cv2.phaseCorrelate(_edged(then[rows, columns]), _edged(near[rows, columns]), window)
        shifts[i], is_found[i] = shift, response >= LEAST_RESPONSE
    if int(is_found.sum()) < LEAST_PLACES:
        return None
    return warp.now_px(before_px + shifts), is_found


def _edged(levels: NDArray[np.generic]) -> NDArray[np.float32]:
    """Return a patch without its slow changes of brightness."""
    plain = levels.astype(np.float32)
    return np.asarray(plain - cv2.blur(plain, (31, 31)), np.float32)


def _fitted(calibration: Calibration, at_mm: Points, seen_px: Points, kept: NDArray[np.bool_]) -> Refit | None:
    numbers = np.flatnonzero(kept)
    lens = KnownLens(camera_matrix=calibration.camera_matrix, distortion=calibration.distortion)
    try:
        fit = fit_camera(
            {f"{i}": (float(seen_px[i, 0]), float(seen_px[i, 1])) for i in numbers},
            {f"{i}": (float(at_mm[i, 0]), float(at_mm[i, 1])) for i in numbers},
            image_size_wh_px=calibration.image_size_wh_px,
            lens=lens,
            noise_px=FOUND_PX,
        )
    except FitError:
        return None
    old = calibration.layout_from_image(seen_px[kept])
    moved = np.nan_to_num(np.linalg.norm(old - at_mm[kept], axis=1), nan=1e4)
    return Refit(fit=fit, moved_mm=float(moved.max()), places=len(fit.errors_px))
