"""Fit a camera's pose, and its lens where the points allow, to printed points or markers seen in one picture.

Knows nothing of files. A known lens can be given. Image points: distorted pixels. Layout points: millimetres on the
cloth.

One picture of a plane says little about the focal length if the camera looks straight down: distance and focal length
then compensate each other, and few points say nothing about the distortion. A prior of usual lenses keeps the fit
stable there. `Fit.lens` says whether the focal length was measured, `Fit.uncertainty` how far the map between picture
and cloth may be off.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri, gammaincinv

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.camera_problem import FOCAL, CameraProblem, KnownLens, Solution, solve
from thirdcard.calibration.errors import CameraError, FitError
from thirdcard.calibration.layout import Layout
from thirdcard.calibration.map_uncertainty import USUAL_NOISE_WEIGHT, MapUncertainty, uncertainty_of
from thirdcard.calibration.markers import find_markers, marker_corners_mm

FloatArray = NDArray[np.float64]
Point = tuple[float, float]

FEWEST_POINTS = 4
CLICK_PX = 1.0
"""Standard deviation of a person's click along each axis, in a picture 1920 pixels wide."""
MARKER_PX = 0.3
"""Standard deviation of a marker's corner along each axis."""
_BADLY_SEEN_PX = 2.0
"""Points this far off may still belong together: a marker is laid to a millimetre or two."""
_SURE = 0.999
"""Probability that the residual of a fit to points that belong together is not larger than the limit."""
_MOST_LEFT_OUT = 0.25
"""Largest share of the points that is left out: where more of them do not fit, the error lies elsewhere."""
_CLICKED_WIDTH_PX = 1920
_TRIED = 3
"""How many of the most likely outliers are left out in turn."""
_LEAST_SHARE = 1e-6
"""Least share of a point's residual that the other points do not absorb; with less, the point cannot be checked
against them."""
_MEASURED_FOCAL_SPREAD = 0.04
_WORST_RESIDUAL = 0.02
"""Largest residual, as a share of the picture's diagonal; beyond it the points do not belong to the layout."""


class LensSource(StrEnum):
    """How the focal length is known."""

    GIVEN = "given"
    MEASURED = "measured"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fit:
    """A fitted calibration and the quality of the fit."""

    calibration: Calibration
    errors_px: Mapping[str, float]
    """Distance in px between each point as seen and as mapped, by name."""
    lens: LensSource
    uncertainty: MapUncertainty
    """How far the map may be off anywhere on the cloth."""
    left_out: Mapping[str, float] = field(default_factory=dict)
    """Points that do not fit the others, and by how many pixels; they were not used."""

    @property
    def worst(self) -> str:
        """The name of the point that fits worst."""
        return max(self.errors_px, key=self.errors_px.__getitem__)


def fit_from_points(
    points_px: Mapping[str, Point], layout: Layout, *, image_size_wh_px: tuple[int, int], lens: KnownLens | None = None
) -> Fit:
    """Fit a camera to reference points of the layout that a person found in the picture.

    Args:
        points_px: Distorted pixels by the reference point's name.
        layout: The cloth.
        image_size_wh_px: The picture's size.
        lens: The lens if it is known; otherwise focal length and four terms of distortion are fitted.

    Raises:
        FitError: Names that the layout lacks, too few points, points on one line, mirrored points, or points that no
            camera
            could see so.
    """
    _check_names_and_places(points_px, layout, image_size_wh_px)
    points_mm = {name: layout.reference_points[name] for name in points_px}
    return fit_camera(points_px, points_mm, image_size_wh_px=image_size_wh_px, lens=lens)


def fit_from_markers(image_hw3: NDArray[np.uint8], layout: Layout, *, lens: KnownLens | None = None) -> Fit:
    """Fit a camera to the ArUco markers that lie on the cloth.

    The markers may have been laid in any orientation, the same for all.

    Args:
        image_hw3: The picture, BGR.
        layout: The cloth; it must have markers.
        lens: The lens if it is known.

    Raises:
        FitError: The layout has no markers, fewer than two of them are seen, or they do not determine a camera.
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
            fits.append(
                fit_camera(points_px, points_mm, image_size_wh_px=(width, height), lens=lens, noise_px=MARKER_PX)
            )
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
    noise_px: float = CLICK_PX,
) -> Fit:
    """Fit a camera to named points of the cloth; points that do not fit the others are left out.

    Minimises the squared distances |project(K, d, R, t, p_mm) - p_px| over R, t and, without a given lens, the focal
    length and four terms of distortion, for which there is a prior.

    Args:
        points_px: Distorted pixels, by name. The part of a name before a full stop names a group, such as a marker,
            whose
            points are left out together.
        points_mm: Where they are on the cloth.
        image_size_wh_px: The picture's size.
        lens: The lens if it is known.
        noise_px: Standard deviation of the seen points along each axis.

    Raises:
        FitError: The points do not determine a camera, or do not belong together.
    """
    names = tuple(points_px)
    problem = CameraProblem(
        names=names,
        points_mm=np.array([points_mm[name] for name in names], dtype=np.float64).reshape(-1, 2),
        points_px=np.array([points_px[name] for name in names], dtype=np.float64).reshape(-1, 2),
        image_size_wh_px=image_size_wh_px,
        lens=lens,
        noise_px=noise_px * _coarseness(image_size_wh_px),
    )
    _check_points(problem)
    return _build_fit(problem, _without_outliers(_solved(problem)))


def _check_names_and_places(points_px: Mapping[str, Point], layout: Layout, size_wh_px: tuple[int, int]) -> None:
    """Raise FitError with every point that the layout lacks, and every point outside the picture."""
    names = f"must be a reference point of {layout.name}: {', '.join(layout.reference_points) or 'it has none'}"
    faults = {
        names: {name: at for name, at in points_px.items() if name not in layout.reference_points},
        _within(size_wh_px): {name: at for name, at in points_px.items() if not _is_within(at, size_wh_px)},
    }
    found = [(allowed, points) for allowed, points in faults.items() if points]
    if not found:
        return
    (first, points), *rest = found
    value = [list(at) for at in points.values()]
    also = "".join(f"; and {_listed(others)}: {allowed}" for allowed, others in rest)
    raise FitError("points", ", ".join(points), value=value if len(value) > 1 else value[0], allowed=first + also)


def _listed(points: Mapping[str, Point]) -> str:
    return ", ".join(f"{name} = {list(at)}" for name, at in points.items())


def _within(size_wh_px: tuple[int, int]) -> str:
    return f"must lie in the picture of {size_wh_px[0]} x {size_wh_px[1]} px"


def _is_within(at: Point, size_wh_px: tuple[int, int]) -> bool:
    return all(-0.5 <= one <= side - 0.5 for one, side in zip(at, size_wh_px, strict=True))


def _coarseness(image_size_wh_px: tuple[int, int]) -> float:
    return max(image_size_wh_px[0] / _CLICKED_WIDTH_PX, 1.0)


def _badly_seen_px(problem: CameraProblem) -> float:
    return _BADLY_SEEN_PX * _coarseness(problem.image_size_wh_px)


def _check_points(problem: CameraProblem) -> None:
    if len(problem.names) < FEWEST_POINTS:
        allowed = f"at least {FEWEST_POINTS} are needed"
        raise FitError("points", "count", value=len(problem.names), allowed=allowed)
    for name, (x, y) in zip(problem.names, problem.points_px.tolist(), strict=True):
        if not _is_within((x, y), problem.image_size_wh_px):
            raise FitError("points", name, value=[x, y], allowed=_within(problem.image_size_wh_px))
    if _lie_on_a_line(problem):
        raise FitError("points", "spread", value=", ".join(problem.names), allowed="must not lie on one line")


def _lie_on_a_line(problem: CameraProblem) -> bool:
    for points in (problem.points_mm, problem.points_px):
        spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
        if spread[1] < 0.02 * spread[0]:
            return True
    return False


def _solved(problem: CameraProblem) -> Solution:
    solution = solve(problem)
    if solution is None:
        allowed = "no camera above the cloth sees these points so; are two swapped, or all but one on a line?"
        raise FitError("points", "order", value=", ".join(problem.names), allowed=allowed)
    return solution


def _without_outliers(solution: Solution) -> Solution:
    """Fit to the points that belong together: the worst is left out as long as it does not fit the others.

    If it is unclear which of two is wrong, or too many are, the fit to all points is returned.
    """
    everything, things = solution, solution.problem.things
    for _ in range(int(_MOST_LEFT_OUT * len(things))):
        drops = sorted((_drop_of(solution, thing) for thing in solution.problem.things), reverse=True)
        found = _best_without(solution, drops[:_TRIED])
        if found is None or not _is_wrong(*found, _unlikely(len(things))):
            break
        drop, rest = found
        others = [each.squares for each in drops if each.names != drop.names]
        if others and not _is_wrong(replace(drop, squares=drop.squares - max(others)), rest, _SURE):
            break
        solution = rest
    return solution if _belongs_together(solution) else everything


def _best_without(solution: Solution, drops: Iterable[_Drop]) -> tuple[_Drop, Solution] | None:
    """Return the group without which the others fit best.

    Each candidate is refitted, since the first-order estimate is inexact for a far outlier.
    """
    tried = ((drop, _solution_without(solution, drop)) for drop in drops)
    fits = [(drop, rest) for drop, rest in tried if rest is not None]
    if not fits:
        return None
    drop, rest = min(fits, key=lambda each: each[1].cost)
    return replace(drop, squares=2 * (solution.cost - rest.cost)), rest


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class _Drop:
    """The effect of leaving out a group, to first order."""

    squares: float
    """Reduction of the sum of squared residuals, in units of the noise."""
    off_px: float
    """Distance in px of its farthest point from where the others predict it."""
    names: frozenset[str] = field(compare=False)


def _drop_of(solution: Solution, thing: frozenset[str]) -> _Drop:
    """Compute it from the hat matrix (R. D. Cook, S. Weisberg, "Residuals and Influence in Regression", 1982, 2.2)."""
    problem, jacobian = solution.problem, solution.jacobian
    rows = [2 * i + axis for i, name in enumerate(problem.names) if name in thing for axis in (0, 1)]
    offsets = problem.offsets_px(solution.unknowns).ravel()[rows] / problem.noise_px
    own = jacobian[rows]
    hat = own @ np.linalg.pinv(jacobian.T @ jacobian, hermitian=True) @ own.T
    left = np.linalg.lstsq(np.eye(len(rows)) - hat, offsets, rcond=_LEAST_SHARE)[0]
    off_px = float(np.linalg.norm(left.reshape(-1, 2), axis=1).max()) * problem.noise_px
    return _Drop(squares=float(offsets @ left), off_px=off_px, names=thing)


def _is_wrong(drop: _Drop, rest: Solution, sure: float) -> bool:
    """Whether the residual falls by more than chance explains (an F test), and by pixels that matter."""
    numbers, freedom = 2 * len(drop.names), USUAL_NOISE_WEIGHT + max(rest.spare, 0)
    noise = (USUAL_NOISE_WEIGHT + 2 * rest.cost) / freedom
    is_unlikely = drop.squares / numbers / noise > float(fdtri(numbers, freedom, sure))
    return is_unlikely and drop.off_px > 2 * _badly_seen_px(rest.problem)


def _unlikely(chances: int) -> float:
    """Return the probability for the worst of `chances` trials (Bonferroni)."""
    return 1.0 - (1.0 - _SURE) / chances


def _belongs_together(solution: Solution) -> bool:
    """Whether the residual is possible for points that are seen with about the usual accuracy."""
    problem = solution.problem
    squares = 2 * solution.cost * (problem.noise_px / _badly_seen_px(problem)) ** 2
    return squares <= 2.0 * float(gammaincinv(max(solution.spare, 1) / 2.0, _SURE))


def _solution_without(solution: Solution, drop: _Drop) -> Solution | None:
    rest = solution.problem.without(drop.names)
    if len(rest.names) <= FEWEST_POINTS or _lie_on_a_line(rest):
        return None
    return solve(rest)


def _build_fit(problem: CameraProblem, solution: Solution) -> Fit:
    used = solution.problem
    errors = np.linalg.norm(used.offsets_px(solution.unknowns), axis=1)
    residual_px = float(np.sqrt(np.mean(errors**2)))
    worst = used.names[int(errors.argmax())]
    limit_px = _WORST_RESIDUAL * float(np.hypot(*used.image_size_wh_px))
    if residual_px > limit_px or not _belongs_together(solution):
        allowed = f"is off by {errors.max():.0f} px; the points do not fit the layout, are names mixed up?"
        raise FitError("points", worst, value=used.points_px[errors.argmax()].tolist(), allowed=allowed)
    matrix, distortion = used.camera(solution.unknowns)
    try:
        calibration = Calibration(
            image_size_wh_px=used.image_size_wh_px,
            camera_matrix=matrix,
            distortion=distortion,
            rvec=solution.unknowns[:3],
            tvec=solution.unknowns[3:6] * 1000.0,
            residual_px=residual_px,
        )
    except CameraError as error:
        raise FitError("points", worst, allowed=f"no camera sees the points so: {error.allowed}") from error
    off_px = np.linalg.norm(problem.offsets_px(solution.unknowns), axis=1).tolist()
    left_out = {name: off for name, off in zip(problem.names, off_px, strict=True) if name not in used.names}
    uncertainty = uncertainty_of(solution)
    return Fit(
        calibration=calibration,
        errors_px=MappingProxyType(dict(zip(used.names, errors.tolist(), strict=True))),
        lens=_lens_source(uncertainty),
        uncertainty=uncertainty,
        left_out=MappingProxyType(left_out),
    )


def _lens_source(uncertainty: MapUncertainty) -> LensSource:
    """Return how the focal length is known: measured if its spread is small; the prior alone leaves 50 %."""
    if uncertainty.problem.lens is not None:
        return LensSource.GIVEN
    spread = float(np.sqrt(max(uncertainty.covariance[FOCAL, FOCAL], 0.0)))
    return LensSource.MEASURED if spread < _MEASURED_FOCAL_SPREAD else LensSource.ASSUMED
