"""Find a camera's pose, and its lens where the points allow, from printed points or markers seen in one picture.

Knows nothing of files. The model has square pixels and its principal point in the middle of the picture; a lens known
otherwise can be given. Image points: distorted pixels. Layout points: millimetres on the cloth.

One picture of a plane says little about the focal length when the camera looks straight down: distance and focal
length then trade against each other. A wide prior keeps the fit sane there; the map between picture and cloth is good
either way, and `Fit.lens` tells whether the focal length was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.errors import CameraError, FitError
from thirdcard.calibration.layout import Layout
from thirdcard.calibration.markers import find_markers, marker_corners_mm

FloatArray = NDArray[np.float64]
Point = tuple[float, float]

FEWEST_POINTS = 4
POINTS_FOR_K1 = 6
POINTS_FOR_K2 = 12

_FOCAL_STARTS = (0.7, 1.1, 1.8)
"""First guesses of the focal length, in picture widths."""
_PRIOR_FOCAL = 1.1
_PRIOR_FOCAL_SPREAD = 0.5
"""Of the logarithm."""
_PRIOR_K1_SPREAD = 0.3
_PRIOR_K2_SPREAD = 0.1
_CLICK_PX = 1.0
"""How exact a point is taken to be, against the priors."""
_LEAST_NOISE = 0.5
"""Of a click; a smaller residual over few points is luck."""
_MEASURED_FOCAL_SPREAD = 0.04
_WORST_RESIDUAL = 0.02
"""Of the picture's diagonal; beyond it the points do not belong to the layout."""


class LensSource(StrEnum):
    """How the focal length is known."""

    GIVEN = "given"
    MEASURED = "measured"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownLens:
    """A lens that is known beforehand, in OpenCV's model."""

    camera_matrix: FloatArray
    distortion: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fit:
    """A calibration and how well it fits."""

    calibration: Calibration
    errors_px: Mapping[str, float]
    """Distance between each point as seen and as mapped, by name."""
    lens: LensSource

    @property
    def worst(self) -> str:
        """The name of the point that fits worst."""
        return max(self.errors_px, key=self.errors_px.__getitem__)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Problem:
    """What is solved: points on the cloth, where they were seen, what is known of the lens."""

    names: tuple[str, ...]
    points_mm: FloatArray
    """(N, 2)."""
    points_px: FloatArray
    """(N, 2), distorted."""
    image_size_wh_px: tuple[int, int]
    lens: KnownLens | None

    @property
    def distortion_terms(self) -> int:
        """How many of k1, k2 are sought."""
        if self.lens is not None:
            return 0
        return (len(self.names) >= POINTS_FOR_K1) + (len(self.names) >= POINTS_FOR_K2)

    def camera(self, unknowns: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Camera matrix and distortion; unknowns are rvec, tvec / 1000, and without a given lens log f, k1, k2."""
        if self.lens is not None:
            return self.lens.camera_matrix, self.lens.distortion
        width, height = self.image_size_wh_px
        focal = float(np.exp(unknowns[6])) * width
        matrix = np.array([[focal, 0.0, (width - 1) / 2], [0.0, focal, (height - 1) / 2], [0.0, 0.0, 1.0]])
        distortion = np.zeros(5)
        distortion[: self.distortion_terms] = unknowns[7:]
        return matrix, distortion

    def offsets_px(self, unknowns: FloatArray) -> FloatArray:
        """(N, 2): mapped minus seen."""
        matrix, distortion = self.camera(unknowns)
        flat = np.column_stack([self.points_mm, np.zeros(len(self.points_mm))])
        mapped = cv2.projectPoints(flat, unknowns[:3], unknowns[3:6] * 1000.0, matrix, distortion)[0][:, 0]
        offsets: FloatArray = np.asarray(mapped, dtype=np.float64) - self.points_px
        return offsets

    def residuals(self, unknowns: FloatArray) -> FloatArray:
        """Offsets in clicks, then the priors."""
        priors: list[float] = []
        if self.lens is None:
            priors.append((unknowns[6] - np.log(_PRIOR_FOCAL)) / _PRIOR_FOCAL_SPREAD)
            priors += [
                term / spread for term, spread in zip(unknowns[7:], (_PRIOR_K1_SPREAD, _PRIOR_K2_SPREAD), strict=False)
            ]
        return np.concatenate([self.offsets_px(unknowns).ravel() / _CLICK_PX, priors])


def fit_from_points(
    points_px: Mapping[str, Point], layout: Layout, *, image_size_wh_px: tuple[int, int], lens: KnownLens | None = None
) -> Fit:
    """Fit a camera to reference points of the layout that a person found in the picture.

    Args:
        points_px: Distorted pixels by the reference point's name.
        layout: The cloth.
        image_size_wh_px: The picture's size.
        lens: Where it is known; otherwise focal length and up to two terms of distortion are fitted.

    Raises:
        FitError: Names that the layout lacks, too few points, points on one line, mirrored points, or points that
            no camera could see so.
    """
    for name in points_px:
        if name not in layout.reference_points:
            allowed = (
                f"must be a reference point of {layout.name}: {', '.join(layout.reference_points) or 'it has none'}"
            )
            raise FitError("points", name, value=list(points_px[name]), allowed=allowed)
    points_mm = {name: layout.reference_points[name] for name in points_px}
    return fit_camera(points_px, points_mm, image_size_wh_px=image_size_wh_px, lens=lens)


def fit_from_markers(image_hw3: NDArray[np.uint8], layout: Layout, *, lens: KnownLens | None = None) -> Fit:
    """Fit a camera to the ArUco markers that lie on the cloth.

    The markers may have been laid any way up, all of them the same way.

    Args:
        image_hw3: The picture, BGR.
        layout: The cloth; it has to have markers.
        lens: Where it is known.

    Raises:
        FitError: The layout has no markers, or fewer than two of them are seen.
    """
    if layout.markers is None:
        raise FitError("layout", "markers", allowed=f"{layout.name} has none")
    seen = find_markers(image_hw3, layout.markers)
    if len(seen) < 2:
        allowed = f"at least 2 of {', '.join(map(str, layout.markers.at))} must be seen"
        raise FitError("picture", "markers", value=sorted(seen), allowed=allowed)
    height, width = image_hw3.shape[:2]
    points_px = {
        f"{number}.{i}": (float(x), float(y)) for number, corners in seen.items() for i, (x, y) in enumerate(corners)
    }
    fits = []
    complaints = []
    for turns in range(4):
        points_mm = {
            f"{number}.{i}": (float(x), float(y))
            for number in seen
            for i, (x, y) in enumerate(marker_corners_mm(layout.markers, number, turns=turns))
        }
        try:
            fits.append(fit_camera(points_px, points_mm, image_size_wh_px=(width, height), lens=lens))
        except FitError as error:
            complaints.append(error)
    if not fits:
        raise complaints[0]
    return min(fits, key=lambda fit: fit.calibration.residual_px or 0.0)


def fit_camera(
    points_px: Mapping[str, Point],
    points_mm: Mapping[str, Point],
    *,
    image_size_wh_px: tuple[int, int],
    lens: KnownLens | None = None,
) -> Fit:
    """Fit a camera to named points of the cloth.

    Minimises the squared distances |project(K, d, R, t, p_mm) - p_px| over R, t and, without a given lens, the focal
    length, k1 (from 6 points) and k2 (from 12).

    Raises:
        FitError: The points do not determine a camera.
    """
    names = tuple(points_px)
    problem = _Problem(
        names=names,
        points_mm=np.array([points_mm[name] for name in names], dtype=np.float64).reshape(-1, 2),
        points_px=np.array([points_px[name] for name in names], dtype=np.float64).reshape(-1, 2),
        image_size_wh_px=image_size_wh_px,
        lens=lens,
    )
    _check_points(problem)
    unknowns, jacobian = _solve(problem)
    return _build_fit(problem, unknowns, jacobian)


def _check_points(problem: _Problem) -> None:
    if len(problem.names) < FEWEST_POINTS:
        allowed = f"at least {FEWEST_POINTS} are needed"
        raise FitError("points", "count", value=len(problem.names), allowed=allowed)
    width, height = problem.image_size_wh_px
    for name, (x, y) in zip(problem.names, problem.points_px, strict=True):
        if not (-0.5 <= x <= width - 0.5 and -0.5 <= y <= height - 0.5):
            raise FitError("points", name, value=[x, y], allowed=f"must lie in the picture of {width} x {height} px")
    for points in (problem.points_mm, problem.points_px):
        spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
        if spread[1] < 0.02 * spread[0]:
            raise FitError("points", "spread", value=", ".join(problem.names), allowed="must not lie on one line")


def _solve(problem: _Problem) -> tuple[FloatArray, FloatArray]:
    """The best of a few starts: unknowns and the Jacobian there."""
    best = None
    for focal in _FOCAL_STARTS if problem.lens is None else (0.0,):
        for start in _starts(problem, focal):
            found = least_squares(problem.residuals, start, method="trf", x_scale="jac", max_nfev=200)
            is_better = best is None or found.cost < best.cost
            if is_better and _is_above(found.x[:3], found.x[3:6]):
                best = found
    if best is None:
        allowed = "no camera above the cloth sees these points so; are two swapped, or all but one on a line?"
        raise FitError("points", "order", value=", ".join(problem.names), allowed=allowed)
    return np.asarray(best.x, dtype=np.float64), np.asarray(best.jac, dtype=np.float64)


def _starts(problem: _Problem, focal: float) -> list[FloatArray]:
    """Poses from the flat points alone, those with the camera above the cloth."""
    lens_unknowns = [] if problem.lens is not None else [np.log(focal), *[0.0] * problem.distortion_terms]
    matrix, distortion = problem.camera(np.array([0.0] * 6 + lens_unknowns))
    flat = np.column_stack([problem.points_mm, np.zeros(len(problem.points_mm))])
    solved = cv2.solvePnPGeneric(flat, problem.points_px, matrix, distortion, flags=cv2.SOLVEPNP_IPPE)
    starts = []
    for rvec, tvec in zip(solved[1], solved[2], strict=True):
        if _is_above(rvec, tvec):
            starts.append(np.concatenate([rvec.ravel(), tvec.ravel() / 1000.0, lens_unknowns]))
    return starts


def _is_above(rvec: ArrayLike, tvec: ArrayLike) -> bool:
    """Whether a pose has its camera above the cloth."""
    rotation = cv2.Rodrigues(np.asarray(rvec, dtype=np.float64).ravel())[0]
    return bool((-rotation.T @ np.ravel(tvec))[2] < 0.0)


def _build_fit(problem: _Problem, unknowns: FloatArray, jacobian: FloatArray) -> Fit:
    errors = np.linalg.norm(problem.offsets_px(unknowns), axis=1)
    residual_px = float(np.sqrt(np.mean(errors**2)))
    worst = problem.names[int(errors.argmax())]
    limit_px = _WORST_RESIDUAL * float(np.hypot(*problem.image_size_wh_px))
    if residual_px > limit_px:
        allowed = f"is off by {errors.max():.0f} px; the points do not fit the layout, are names mixed up?"
        raise FitError("points", worst, value=problem.points_px[errors.argmax()].tolist(), allowed=allowed)
    matrix, distortion = problem.camera(unknowns)
    try:
        calibration = Calibration(
            image_size_wh_px=problem.image_size_wh_px,
            camera_matrix=matrix,
            distortion=distortion,
            rvec=unknowns[:3],
            tvec=unknowns[3:6] * 1000.0,
            residual_px=residual_px,
        )
    except CameraError as error:
        raise FitError("points", worst, allowed=f"no camera sees the points so: {error.allowed}") from error
    return Fit(
        calibration=calibration,
        errors_px=MappingProxyType(dict(zip(problem.names, errors.tolist(), strict=True))),
        lens=_lens_source(problem, jacobian, residual_px),
    )


def _lens_source(problem: _Problem, jacobian: FloatArray, residual_px: float) -> LensSource:
    """Measured where the points alone fix the focal length; its variance: diagonal of (J^T J)^-1 times the noise's."""
    if problem.lens is not None:
        return LensSource.GIVEN
    of_points = jacobian[: 2 * len(problem.names)]
    spare = of_points.shape[0] - of_points.shape[1]
    if spare < 1:
        return LensSource.ASSUMED
    noise = max(residual_px / _CLICK_PX, _LEAST_NOISE) ** 2
    normal = of_points.T @ of_points
    variance = np.linalg.inv(normal + 1e-10 * np.diag(np.diag(normal)))[6, 6] * noise
    spread = float(np.sqrt(max(variance, 0.0)))
    return LensSource.MEASURED if 0 < spread < _MEASURED_FOCAL_SPREAD else LensSource.ASSUMED
