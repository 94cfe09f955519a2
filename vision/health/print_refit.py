"""Fit a camera that was moved anew, from where the printed cloth was in its picture and where it is now.

What the calibration knows of the cloth at each place of the old picture is true of the same print in the new one.
Places are found again by phase correlation of patches of the full picture, after the whole was brought near; what
chips, cards and arms hide or what lies higher than the cloth does not fit the plane and falls out (M. Fischler, R.
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
"""The whole is compared in pictures of this width."""
PATCH_PX = 96
"""Side of what is found again, in pixels of the full picture: print of a few centimetres."""
PLACES = (17, 11)
"""So many places along the cloth and across it are looked for."""
LEAST_RESPONSE = 0.12
"""A correlation peak that holds less of the energy says nothing: as in `calibration_drift`."""
ROUNDS = 3
"""The picture is brought near so often, each time by what was found before: the shifts are a part of a pixel then."""
AGREE_PX = 1.0
"""Places that agree with the plane to so many pixels are on it."""
LEAST_PLACES = 16
"""Places that must agree: eight unknowns of a plane's picture, twice over."""
FOUND_PX = 0.25
"""How exactly a place is found again, standard deviation along each axis, before the fit says otherwise."""

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Refit:
    """A camera fitted anew."""

    fit: Fit
    moved_mm: float
    """By how much the old calibration misses the cloth where it misses it most."""
    places: int
    """How many places of the print agree."""


def refit(then: Image, now: Image, calibration: Calibration, size_mm: tuple[float, float]) -> Refit | None:
    """The camera as it is now; None where too little of the print is found again, or its place was never known.

    Args:
        then: (H, W) uint8, grey, from when the calibration held.
        now: one of the same size.
        calibration: as it was.
        size_mm: the cloth's.
    """
    if not calibration.has_pose:
        return None
    affine = _near(then, now, calibration, size_mm)
    if affine is None:
        return None
    at_mm, before_px = _places(calibration, size_mm)
    plane = np.vstack([affine, [0.0, 0.0, 1.0]])
    kept = np.zeros(len(at_mm), bool)
    seen_px = before_px
    for _ in range(ROUNDS):
        found = _found_again(then, now, plane, before_px)
        if found is None:
            return None
        seen_px, is_found = found
        mapped, agree = cv2.findHomography(before_px[is_found], seen_px[is_found], cv2.RANSAC, AGREE_PX)
        kept = np.zeros(len(at_mm), bool)
        kept[np.flatnonzero(is_found)[agree.ravel() > 0]] = True
        if int(kept.sum()) < LEAST_PLACES:
            return None
        plane = np.asarray(mapped, np.float64)
    return _fitted(calibration, at_mm, seen_px, kept)


def _near(then: Image, now: Image, calibration: Calibration, size_mm: tuple[float, float]) -> Affine | None:
    """The map of the full picture, from the small ones."""
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
    """(N, 2) places of the cloth, mm, and where the old picture shows them; those at its edge are left out."""
    x, y = (np.linspace(0.02, 0.98, count) * side for count, side in zip(PLACES, size_mm, strict=True))
    at_mm = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    seen = calibration.image_from_layout(at_mm)
    inside = (seen > PATCH_PX / 2).all(axis=1)
    inside &= (seen < np.array(calibration.image_size_wh_px) - PATCH_PX / 2).all(axis=1)
    return at_mm[inside], seen[inside]


def _found_again(then: Image, now: Image, plane: Points, before_px: Points) -> tuple[Points, NDArray[np.bool_]] | None:
    """(N, 2) where the places are now, and which were found."""
    size = (then.shape[1], then.shape[0])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    near = cv2.warpPerspective(now, plane, size, flags=flags, borderMode=cv2.BORDER_CONSTANT, borderValue=0)
    is_seen = cv2.warpPerspective(np.full_like(now, 255), plane, size, flags=flags)
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
    moved = cv2.perspectiveTransform((before_px + shifts)[:, None], plane)[:, 0]
    return np.asarray(moved, np.float64), is_found


def _edged(levels: NDArray[np.generic]) -> NDArray[np.float32]:
    """A patch without its slow changes of brightness."""
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
