"""The least-squares problem behind a fit: the camera's unknowns, the prior knowledge, and the solution.

Knows nothing of files or layouts. The model has square pixels and its principal point at the centre of the picture.
Image points: distorted pixels. Layout points: millimetres on the cloth.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares

FloatArray = NDArray[np.float64]

POSE_TERMS = 6
FOCAL = POSE_TERMS
"""Index of the focal length among the unknowns."""
_FOCAL_STARTS = (0.7, 1.1, 1.8)
"""Initial values of the focal length, in picture widths."""
_PRIOR_LENS = np.array([np.log(1.1), -0.1, 0.0, 0.0, 0.0])
_PRIOR_SPREADS = np.array([0.5, 0.15, 0.1, 1e-3, 1e-3])
"""Standard deviations of the prior about _PRIOR_LENS: logarithm of the focal length in picture widths, k1, k2, p1,
p2. It covers lenses from telephoto to nearly fisheye, most of them with barrel distortion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownLens:
    """A lens that is known beforehand, in OpenCV's model."""

    camera_matrix: FloatArray
    distortion: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CameraProblem:
    """Points on the cloth, where they were seen, and what is known of the lens."""

    names: tuple[str, ...]
    points_mm: FloatArray
    """(N, 2) on the cloth."""
    points_px: FloatArray
    """(N, 2), distorted pixels."""
    image_size_wh_px: tuple[int, int]
    lens: KnownLens | None
    noise_px: float
    """Assumed standard deviation of a seen point along each axis, before the fit gives its own."""

    @property
    def things(self) -> list[frozenset[str]]:
        """Groups of points that are right or wrong together: the part of a name before a full stop names the group."""
        things: dict[str, set[str]] = {}
        for name in self.names:
            things.setdefault(name.split(".")[0], set()).add(name)
        return [frozenset(each) for each in things.values()]

    def camera(self, unknowns: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return camera matrix and distortion.

        Args:
            unknowns: rvec, tvec / 1000, and without a given lens log f, k1, k2, p1, p2.
        """
        if self.lens is not None:
            return self.lens.camera_matrix, self.lens.distortion
        width, height = self.image_size_wh_px
        focal = float(np.exp(unknowns[FOCAL])) * width
        matrix = np.array([[focal, 0.0, (width - 1) / 2], [0.0, focal, (height - 1) / 2], [0.0, 0.0, 1.0]])
        return matrix, np.append(unknowns[FOCAL + 1 :], 0.0)

    def seen_px(self, unknowns: FloatArray, points_mm: FloatArray) -> FloatArray:
        """Return where the camera of these unknowns sees points of the cloth, (N, 2) px."""
        matrix, distortion = self.camera(unknowns)
        flat = np.column_stack([points_mm, np.zeros(len(points_mm))])
        mapped = cv2.projectPoints(flat, unknowns[:3], unknowns[3:6] * 1000.0, matrix, distortion)[0][:, 0]
        return np.asarray(mapped, dtype=np.float64)

    def offsets_px(self, unknowns: FloatArray) -> FloatArray:
        """Return the mapped minus the seen points, (N, 2) px."""
        return self.seen_px(unknowns, self.points_mm) - self.points_px

    def residuals(self, unknowns: FloatArray) -> FloatArray:
        """Return the offsets, and the lens's deviation from the prior, both in standard deviations."""
        offsets = self.offsets_px(unknowns).ravel() / self.noise_px
        if self.lens is not None:
            return offsets
        return np.concatenate([offsets, (unknowns[FOCAL:] - _PRIOR_LENS) / _PRIOR_SPREADS])

    def without(self, names: frozenset[str]) -> CameraProblem:
        """Return the same problem without some of its points."""
        kept = [i for i, name in enumerate(self.names) if name not in names]
        return CameraProblem(
            names=tuple(self.names[i] for i in kept),
            points_mm=self.points_mm[kept],
            points_px=self.points_px[kept],
            image_size_wh_px=self.image_size_wh_px,
            lens=self.lens,
            noise_px=self.noise_px,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """The most likely camera of a problem."""

    problem: CameraProblem
    unknowns: FloatArray
    jacobian: FloatArray
    """(2 N + priors, unknowns), derivative of `CameraProblem.residuals`."""
    cost: float
    """Half the sum of the squared residuals."""

    @property
    def spare(self) -> int:
        """The degrees of freedom of the fit: residuals minus unknowns."""
        return int(self.jacobian.shape[0] - self.jacobian.shape[1])


def solve(problem: CameraProblem) -> Solution | None:
    """Solve from several starts and return the best; None where no camera above the cloth sees the points so."""
    best = None
    for focal in _FOCAL_STARTS if problem.lens is None else (0.0,):
        for start in _starts(problem, focal):
            found = least_squares(problem.residuals, start, method="trf", x_scale="jac", max_nfev=200)
            is_better = best is None or found.cost < best.cost
            if is_better and _is_above(found.x[:3], found.x[3:6]):
                best = found
    if best is None:
        return None
    return Solution(
        problem=problem,
        unknowns=np.asarray(best.x, dtype=np.float64),
        jacobian=np.asarray(best.jac, dtype=np.float64),
        cost=float(best.cost),
    )


def _starts(problem: CameraProblem, focal: float) -> list[FloatArray]:
    """Return initial poses from the flat points alone, only those with the camera above the cloth."""
    lens_unknowns = [] if problem.lens is not None else [np.log(focal), 0.0, 0.0, 0.0, 0.0]
    matrix, distortion = problem.camera(np.array([0.0] * POSE_TERMS + lens_unknowns))
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
