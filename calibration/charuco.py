"""Measure a lens from pictures of a ChArUco board held in several ways before the camera.

The board has 11 by 8 squares, with a marker of DICT_4X4_100 in every other one, three quarters of a square wide. The
printed size of a square does not matter for the lens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera_problem import KnownLens
from thirdcard.calibration.errors import FitError

Image = NDArray[np.uint8]

SQUARES = (11, 8)
MARKER_SHARE = 0.75
DICTIONARY = cv2.aruco.DICT_4X4_100
FEWEST_VIEWS = 5
FEWEST_CORNERS = 12
"""Least number of corners in a view that is used."""
_WORST_RESIDUAL_PX = 2.0
_SPREAD = 0.01
"""Largest standard deviation of the focal length, as a share of it; above it the views were too similar."""
_LEAST_TILT_DEG = 15.0
"""Least angle between two views of the board. With less, focal length and distance cannot be separated (Z. Zhang, "A
Flexible New Technique for Camera Calibration", 2000, figure 3: the error falls until 45°)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LensFit:
    """A measured lens, with the quality of the measurement."""

    lens: KnownLens
    residual_px: float
    """RMS distance in px over all corners."""
    focal_spread: float
    """Standard deviation of the focal length, as a share of it."""
    views: int
    """Number of views that were used."""


def charuco_board() -> cv2.aruco.CharucoBoard:
    """Return the board, with squares of one unit."""
    return cv2.aruco.CharucoBoard(SQUARES, 1.0, MARKER_SHARE, cv2.aruco.getPredefinedDictionary(DICTIONARY))


def draw_board(square_px: int) -> Image:
    """Draw the board as a picture to print, (H, W) uint8, with a margin of half a square."""
    size = (SQUARES[0] * square_px + square_px, SQUARES[1] * square_px + square_px)
    return np.asarray(charuco_board().generateImage(size, marginSize=square_px // 2), dtype=np.uint8)


def shows_board(image_hw3: Image) -> bool:
    """Whether a picture, BGR, shows enough of the board to count as a view."""
    return _corners_in(image_hw3) is not None


def measure_lens(views: Mapping[str, Image]) -> LensFit:
    """Fit focal length, principal point and distortion to views of the board.

    Args:
        views: Pictures by name, BGR, all of one size.

    Raises:
        FitError: Too few of them show the board, they differ in size, or they do not determine a lens.
    """
    sizes = {name: (image.shape[1], image.shape[0]) for name, image in views.items()}
    if len(set(sizes.values())) > 1:
        name, size = next((name, size) for name, size in sizes.items() if size != next(iter(sizes.values())))
        allowed = f"must be of the first view's size, {list(next(iter(sizes.values())))}"
        raise FitError("views", name, value=list(size), allowed=allowed)
    board, seen = charuco_board(), {name: _corners_in(image) for name, image in views.items()}
    used = {name: found for name, found in seen.items() if found is not None}
    if len(used) < FEWEST_VIEWS:
        unread = ", ".join(name for name in views if name not in used)
        allowed = f"the board must be seen in at least {FEWEST_VIEWS} views; it is not found in {unread or 'none'}"
        raise FitError("views", "count", value=len(used), allowed=allowed)
    corners_px = [corners for corners, _ in used.values()]
    points = np.asarray(board.getChessboardCorners(), dtype=np.float32)
    points_mm = [points[numbers.ravel()] for _, numbers in used.values()]
    size = next(iter(sizes.values()))
    residual, matrix, distortion, turns, _, spreads, _, _ = cv2.calibrateCameraExtended(
        points_mm, corners_px, size, np.eye(3), np.zeros(5), flags=cv2.CALIB_FIX_K3 | cv2.CALIB_FIX_ASPECT_RATIO
    )
    spread = float(spreads.ravel()[1] / matrix[1, 1])
    if residual > _WORST_RESIDUAL_PX:
        allowed = f"must be at most {_WORST_RESIDUAL_PX:g} px: is the print flat, and the focus the same in all views?"
        raise FitError("views", "residual", value=f"{residual:.1f} px", allowed=allowed)
    tilt_deg = _most_tilt_deg([np.asarray(turn, dtype=np.float64) for turn in turns])
    if not spread <= _SPREAD or tilt_deg < _LEAST_TILT_DEG:
        allowed = (
            f"is not measured: the views differ by {tilt_deg:.0f}° at most; tilt the board more, to different sides"
        )
        raise FitError("views", "focal length", value=f"{matrix[0, 0]:.0f} px", allowed=allowed)
    lens = KnownLens(camera_matrix=np.asarray(matrix, float), distortion=np.ravel(distortion)[:5].astype(float))
    return LensFit(lens=lens, residual_px=float(residual), focal_spread=spread, views=len(used))


def _most_tilt_deg(turns: Sequence[NDArray[np.float64]]) -> float:
    """Return the largest angle between the board's normals in two views."""
    normals = np.array([cv2.Rodrigues(turn)[0][:, 2] for turn in turns])
    return float(np.degrees(np.arccos(np.clip(normals @ normals.T, -1.0, 1.0))).max())


def _corners_in(image_hw3: Image) -> tuple[NDArray[np.float32], NDArray[np.int32]] | None:
    """Return the corners in a view and their numbers; None where too few are seen."""
    corners, numbers, _, _ = cv2.aruco.CharucoDetector(charuco_board()).detectBoard(image_hw3)
    if numbers is None or len(numbers) < FEWEST_CORNERS:
        return None
    return np.asarray(corners, dtype=np.float32), np.asarray(numbers, dtype=np.int32)
