"""Rate how well a camera can see a table, from its calibration alone: sizes in pixels, slant, areas hidden by
stacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import atan2, degrees, hypot, tan

import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.layout import Area, Layout
from thirdcard.service.setup.problems import SetupProblem, doubtful, wrong

LEAST_PX_PER_MM, READABLE_PX_PER_MM = 0.3, 0.4
"""The recordings listed in docs/accuracy/recordings.md have 0.43 px/mm and more where cards and chips lie; cards of 20
px are still read in four photographs of five."""
STEEP_DEG = 45.0
"""From this slant on, a stack hides as much of the cloth behind it as it is high."""
LOW_MM, HIGH_MM = 400.0, 8000.0
"""Plausible heights above the cloth: out of arm's reach, and below a ceiling."""
RESIDUAL_PX = 2.0
"""Points clicked in a picture are off by about a pixel; twice that suggests that some were swapped."""
STACK_CHIPS = 10
"""The height of a usual player's stack, in chips."""
_STEP_MM = 1.0
FloatArray = NDArray[np.float64]
OFF_MIDDLE, FAR_OFF_MIDDLE = 0.12, 0.3
"""Parts of the picture's sides: lenses sit within a few per cent of its middle, but for pictures that were cut out of
larger ones."""
ROUNDING = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceGrade:
    """How well the camera sees one area."""

    area: str
    kind: str
    px_per_mm: float
    """The lowest scale at the area's corners, in the direction with the fewest pixels."""
    slant_deg: float | None
    """The steepest angle of the line of sight from the vertical; None where the camera's position is unknown."""
    hidden_mm: float | None
    """The depth of the cloth hidden behind a stack of ten chips."""
    is_within: bool
    """Whether the whole area is in the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraGrade:
    """How well one camera sees a table."""

    places: tuple[PlaceGrade, ...]
    """The card boxes, then the wagering areas, then the rest, in the layout's order."""
    height_mm: float | None
    """The height of the camera above the cloth."""


def grade_camera(calibration: Calibration, layout: Layout, *, chip_mm: float) -> CameraGrade:
    """Rate how well the camera sees each area.

    Args:
        chip_mm: one chip's thickness.
    """
    kinds = ("hand", "wager")
    areas = sorted(layout.areas, key=lambda area: kinds.index(area.kind) if area.kind in kinds else len(kinds))
    centre = calibration.camera_centre_mm
    return CameraGrade(
        places=tuple(_grade(calibration, area, centre, chip_mm) for area in areas),
        height_mm=None if centre is None else float(-centre[2]),
    )


def camera_problems(
    calibration: Calibration, layout: Layout, where: str, *, card_mm: tuple[float, float], chip_mm: tuple[float, float]
) -> Iterator[SetupProblem]:
    """Find impossible values in a calibration, and camera positions from which a table is seen badly.

    Args:
        where: the calibration's file, for messages.
        card_mm: a card's width and height.
        chip_mm: a chip's diameter and thickness.
    """
    grade = grade_camera(calibration, layout, chip_mm=chip_mm[1])
    yield from _lens_problems(calibration, where)
    if grade.height_mm is not None and not LOW_MM <= grade.height_mm <= HIGH_MM:
        say = f"a camera hangs {LOW_MM:g} to {HIGH_MM:g} mm above the cloth; are the layout's lengths in millimetres?"
        yield wrong(where, "tvec", value=f"{grade.height_mm:.0f} mm above the cloth", say=say)
    if _is_mirrored(calibration, layout):
        say = "shows the cloth mirrored; points on the left were named as those on the right"
        yield wrong(where, "homography", say=say)
        return
    yield from _outside_picture(grade.places, where)
    yield from _too_small(grade.places, where, min(card_mm), chip_mm[0])
    steep = [place for place in grade.places if place.is_within and (place.slant_deg or 0.0) > STEEP_DEG]
    if steep:
        worst = max(steep, key=lambda place: place.slant_deg or 0.0)
        value = f"{worst.slant_deg:.0f} degrees from the upright at {_named(steep)}"
        say = (
            f"more than {STEEP_DEG:g}: a stack of ten hides {worst.hidden_mm:.0f} mm of cloth behind it; hang it higher"
        )
        yield doubtful(where, "tvec", value=value, say=say)


def _lens_problems(calibration: Calibration, where: str) -> Iterator[SetupProblem]:
    if not calibration.has_pose:
        say = "not given: heights of stacks and arms above the cloth are unknown; calibrate with `thirdcard calibrate`"
        yield doubtful(where, "rvec", say=say)
    if calibration.residual_px is not None and calibration.residual_px > RESIDUAL_PX:
        say = f"more than {RESIDUAL_PX:g} px: points were mixed up or clicked wrongly; calibrate anew"
        yield wrong(where, "residual_px", value=round(calibration.residual_px, 2), say=say)
    width, height = calibration.image_size_wh_px
    (focal_x, skew, centre_x), (_, focal_y, centre_y), _ = calibration.camera_matrix
    if calibration.rvec is not None and np.linalg.norm(calibration.rvec) > 2 * np.pi + ROUNDING:
        say = "more than a whole turn: a rotation in radians (of OpenCV) is needed, not in degrees; calibrate anew"
        yield wrong(where, "rvec", value=[round(float(one), 3) for one in calibration.rvec], say=say)
    if abs(skew) > ROUNDING:
        say = "must be 0: no camera has slanting pixels; [[fx, 0, cx], [0, fy, cy], [0, 0, 1]]"
        yield wrong(where, "camera_matrix[0][1]", value=float(skew), say=say)
    if not (0.3 * max(width, height) <= focal_x <= 10 * max(width, height) and 0.8 <= focal_x / focal_y <= 1.25):
        say = f"no camera of {width} x {height} px has such a lens; calibrate anew"
        yield wrong(where, "camera_matrix", value=f"fx {focal_x:.0f}, fy {focal_y:.0f}", say=say)
    else:
        off = max(abs(centre_x / width - 0.5), abs(centre_y / height - 0.5))
        say = (
            f"lies far from the middle of {width} x {height} px; is the calibration of another picture size, "
            "or the picture cut out of a larger one?"
        )
        value = f"cx {centre_x:.0f}, cy {centre_y:.0f}"
        if off > OFF_MIDDLE:
            tell = wrong if off > FAR_OFF_MIDDLE else doubtful
            yield tell(where, "camera_matrix", value=value, say=say)


def _outside_picture(places: Sequence[PlaceGrade], where: str) -> Iterator[SetupProblem]:
    outside = [place for place in places if not place.is_within]
    needed = [place for place in outside if place.kind in ("hand", "wager")]
    if needed:
        say = "not wholly in the picture by this calibration; turn the camera, or calibrate anew"
        yield wrong(where, value=_named(needed), key="areas", say=say)
    rest = [place for place in outside if place not in needed]
    if rest:
        yield doubtful(
            where, value=_named(rest), key="areas", say="not wholly in the picture; what happens there is not seen"
        )


def _too_small(places: Sequence[PlaceGrade], where: str, card_mm: float, chip_mm: float) -> Iterator[SetupProblem]:
    for kind, thing, side_mm in (("hand", "a card is", card_mm), ("wager", "a chip is", chip_mm)):
        small = [
            each for each in places if each.kind == kind and each.is_within and each.px_per_mm < READABLE_PX_PER_MM
        ]
        if not small:
            continue
        worst = min(small, key=lambda place: place.px_per_mm)
        tell = wrong if worst.px_per_mm < LEAST_PX_PER_MM else doubtful
        value = f"{worst.px_per_mm:.2f} px/mm at {_named(small)}"
        size = f"{thing} {worst.px_per_mm * side_mm:.0f} px wide there"
        say = f"{size}; needs {READABLE_PX_PER_MM:g} px/mm: hang the camera nearer, or take more pixels"
        yield tell(where, "image_size", value=value, say=say)


def _grade(calibration: Calibration, area: Area, centre: FloatArray | None, chip_mm: float) -> PlaceGrade:
    corners = area.polygon_mm
    seen = calibration.image_from_layout(corners)
    width, height = calibration.image_size_wh_px
    inside = (seen >= -0.5).all() and (seen <= np.array([width, height]) - 0.5).all()  # False for NaN
    slant = None if centre is None else max(_slant_deg(corner, centre) for corner in corners)
    return PlaceGrade(
        area=area.id,
        kind=area.kind,
        px_per_mm=_scale(calibration, corners),
        slant_deg=slant,
        hidden_mm=None if slant is None else STACK_CHIPS * chip_mm * tan(np.radians(min(slant, 89.0))),
        is_within=bool(inside),
    )


def _scale(calibration: Calibration, points_mm: FloatArray) -> float:
    """The smallest scale at the points in any direction, in px/mm; 0 where a point is not in view."""
    steps = [calibration.image_from_layout(points_mm + _STEP_MM * np.array(step)) for step in ((0, 0), (1, 0), (0, 1))]
    slopes = np.stack([steps[1] - steps[0], steps[2] - steps[0]], axis=-1) / _STEP_MM
    if not np.isfinite(slopes).all():
        return 0.0
    return float(np.linalg.svd(slopes, compute_uv=False)[:, -1].min())


def _slant_deg(point_mm: FloatArray, centre: FloatArray) -> float:
    x, y = centre[:2] - point_mm
    return degrees(atan2(hypot(x, y), -centre[2]))


def _is_mirrored(calibration: Calibration, layout: Layout) -> bool:
    """Whether the picture is a mirror image of the cloth: clockwise on the cloth is counter-clockwise in the
    picture."""
    middle = np.array(layout.size_mm) / 2
    at, right, down = calibration.image_from_layout(middle + 10 * np.array([(0, 0), (1, 0), (0, 1)]))
    turn = (right - at)[0] * (down - at)[1] - (right - at)[1] * (down - at)[0]
    return bool(turn < 0)


def _named(places: Sequence[PlaceGrade]) -> str:
    """The first ids, and how many more there are."""
    names = [place.area for place in places]
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
