"""The uncertainty of a fit's map from pixels to the cloth, derived from the points that it was fitted to.

The covariance of the camera's unknowns is propagated to the cloth to first order (R. Hartley, A. Zisserman, "Multiple
View Geometry", 2nd ed., 5.2.6 and 5.2.4). The noise of the points is estimated from the fit's own residuals together
with a scaled inverse chi-square prior of the usual noise: a small residual over few points may be luck.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri

from thirdcard.calibration.camera_problem import CameraProblem, Solution

FloatArray = NDArray[np.float64]

SHARE = 0.9
"""Share of all cases in which the true place is within the given radius."""
USUAL_NOISE_WEIGHT = 4.0
"""Weight of the usual noise, in residuals."""
_STEP = 1e-5
_STEP_MM = 0.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MapUncertainty:
    """The uncertainty of one fit's map from picture to cloth."""

    problem: CameraProblem
    unknowns: FloatArray
    covariance: FloatArray
    """(unknowns, unknowns), covariance of the camera's unknowns."""
    freedom: float
    """The degrees of freedom of the noise estimate."""

    def radius_mm(self, points_mm: FloatArray) -> FloatArray:
        """Return the radius within which the true place of each point lies in 90 % of cases.

        Args:
            points_mm: (N, 2).

        Returns:
            (N,) mm.
        """
        points = np.asarray(points_mm, dtype=np.float64).reshape(-1, 2)
        by_unknown = np.stack([self._change(points, i) for i in range(len(self.unknowns))], axis=-1)
        by_place = np.stack([self._slope(points, axis) for axis in (0, 1)], axis=-1)
        to_place = np.linalg.solve(by_place, by_unknown)
        spread = to_place @ self.covariance @ np.swapaxes(to_place, 1, 2)
        first = np.trace(spread, axis1=1, axis2=2)
        second = np.maximum((spread**2).sum(axis=(1, 2)), np.finfo(float).tiny)
        # A weighted sum of chi-squares, as one with as many degrees of freedom as fit (F. E. Satterthwaite, 1946)
        like = first**2 / second
        radius: FloatArray = np.sqrt(first * fdtri(like, self.freedom, SHARE))
        return radius

    def with_point(self, point_mm: tuple[float, float]) -> MapUncertainty:
        """Return the uncertainty after one more point is seen there with the usual accuracy."""
        slope = np.stack([self._change(np.array([point_mm]), i)[0] for i in range(len(self.unknowns))], axis=-1)
        seen = slope @ self.covariance @ slope.T + np.eye(2) * self.problem.noise_px**2
        known = self.covariance @ slope.T @ np.linalg.solve(seen, slope @ self.covariance)
        return replace(self, covariance=self.covariance - known)

    def _change(self, points_mm: FloatArray, unknown: int) -> FloatArray:
        """Return the derivative of the seen points by an unknown, (N, 2) px per unit."""
        step = np.zeros(len(self.unknowns))
        step[unknown] = _STEP
        after, before = (self.problem.seen_px(self.unknowns + sign * step, points_mm) for sign in (1.0, -1.0))
        return (after - before) / (2 * _STEP)

    def _slope(self, points_mm: FloatArray, axis: int) -> FloatArray:
        """Return the derivative of the seen points along an axis of the cloth, (N, 2) px per mm."""
        step = np.zeros(2)
        step[axis] = _STEP_MM
        after, before = (self.problem.seen_px(self.unknowns, points_mm + sign * step) for sign in (1.0, -1.0))
        return (after - before) / (2 * _STEP_MM)


def uncertainty_of(solution: Solution) -> MapUncertainty:
    """Return the uncertainty of a solution's map.

    Points of one group, such as a marker's corners, are assumed to be off in the same way: they count as one point.
    """
    problem, count = solution.problem, 2 * len(solution.problem.names)
    of_points, of_priors = solution.jacobian[:count], solution.jacobian[count:]
    squares = float(np.sum((problem.offsets_px(solution.unknowns) / problem.noise_px) ** 2))
    freedom = USUAL_NOISE_WEIGHT + max(solution.spare, 0)
    noise = (USUAL_NOISE_WEIGHT + squares) / freedom * len(problem.names) / len(problem.things)
    normal = of_points.T @ of_points / noise + of_priors.T @ of_priors
    covariance = np.asarray(np.linalg.pinv(normal, hermitian=True), dtype=np.float64)
    return MapUncertainty(problem=problem, unknowns=solution.unknowns, covariance=covariance, freedom=freedom)
