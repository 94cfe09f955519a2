"""What a person does with a camera and a cloth: fit it, check it, look at it.

Called by the command line. Points are read from files; pictures are passed as arrays, BGR.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.camera_problem import KnownLens
from thirdcard.calibration.documents import KEYS_ARE_WORDS, read_document, take_numbers
from thirdcard.calibration.errors import CalibrationError, FitError, show_value
from thirdcard.calibration.fit import Fit, fit_from_markers, fit_from_points
from thirdcard.calibration.layout import Area, Layout
from thirdcard.calibration.markers import find_markers, marker_corners_mm

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

_LINE_BGR = (80, 255, 80)
_POINT_BGR = (60, 60, 255)
_STEP_MM = 20.0
"""Distance of the points along a printed line: it appears curved through the lens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The errors of a calibration at points that were found in a picture."""

    residual_px: float
    """RMS of the errors in px."""
    residual_mm: float
    """RMS of the errors on the cloth."""
    errors_px: Mapping[str, float]
    errors_mm: Mapping[str, float]

    @property
    def worst(self) -> str:
        """The name of the point that fits worst."""
        return max(self.errors_px, key=self.errors_px.__getitem__)


def calibrate_from_points(
    points_file: Path,
    layout: Layout,
    *,
    image_size_wh_px: tuple[int, int],
    lens_of: Calibration | KnownLens | None = None,
) -> Fit:
    """Fit a camera to the reference points that a person clicked.

    Args:
        points_file: YAML or JSON, a mapping of reference points' names to [x, y] in pixels.
        layout: The cloth.
        image_size_wh_px: The picture's size.
        lens_of: A lens, or a calibration whose lens is used; None fits the lens too.

    Raises:
        FitError: The points do not determine a camera.
        DocumentError: The file cannot be read.
    """
    points, lens = read_points(points_file), _lens(lens_of, image_size_wh_px)
    try:
        return fit_from_points(points, layout, image_size_wh_px=image_size_wh_px, lens=lens)
    except FitError as error:
        raise error.at(str(points_file)) from None


def calibrate_from_markers(image_hw3: Image, layout: Layout, *, lens_of: Calibration | KnownLens | None = None) -> Fit:
    """Fit a camera to the ArUco markers that a picture shows.

    Args:
        image_hw3: The picture, BGR.
        layout: The cloth; it must have markers.
        lens_of: A lens, or a calibration whose lens is used; None fits the lens too.

    Raises:
        FitError: The markers do not determine a camera.
    """
    height, width = image_hw3.shape[:2]
    return fit_from_markers(image_hw3, layout, lens=_lens(lens_of, (width, height)))


def check_points(calibration: Calibration, layout: Layout, points_file: Path) -> Check:
    """Return the errors of a calibration at reference points that a person clicked.

    Raises:
        FitError: The layout lacks a name, or a value is not a pair of numbers.
        DocumentError: The file cannot be read.
    """
    points_px = read_points(points_file)
    unknown = {name: list(at) for name, at in points_px.items() if name not in layout.reference_points}
    if unknown:
        value = [*unknown.values()] if len(unknown) > 1 else next(iter(unknown.values()))
        allowed = f"must be a reference point of {layout.name}"
        raise FitError(str(points_file), ", ".join(unknown), value=value, allowed=allowed)
    points_mm = np.array([layout.reference_points[name] for name in points_px])
    return _check(calibration, tuple(points_px), points_mm=points_mm, points_px=np.array(list(points_px.values())))


def check_markers(calibration: Calibration, layout: Layout, image_hw3: Image) -> Check:
    """Return the errors of a calibration at the centres of the markers that a picture shows.

    Raises:
        FitError: The layout has no markers, or the picture shows none of them.
    """
    seen = {} if layout.markers is None else find_markers(image_hw3, layout.markers)
    if layout.markers is None or not seen:
        raise FitError("picture", "markers", value=[], allowed=f"must show a marker of {layout.name}")
    centres_mm = np.array([marker_corners_mm(layout.markers, number).mean(axis=0) for number in seen])
    centres_px = np.array([_crossing(corners) for corners in seen.values()])
    return _check(calibration, tuple(str(number) for number in seen), points_mm=centres_mm, points_px=centres_px)


def read_points(path: Path) -> Mapping[str, tuple[float, float]]:
    """Read a points file: names to [x, y] in pixels.

    Raises:
        FitError: A value is not a pair of numbers, or the file is empty.
        DocumentError: The file cannot be read.
    """
    fields = read_document(path)
    points: dict[str, tuple[float, float]] = {}
    refused: list[CalibrationError] = []
    for name in fields:
        try:
            x, y = take_numbers(fields, name, count=2, kind=FitError)
            points[_name_of(name, fields)] = (x, y)
        except FitError as error:
            refused.append(error)
    if refused:
        first, *rest = refused
        also = "".join(f"; and {show_value(one.key)} = {show_value(one.value)}: {one.allowed}" for one in rest)
        raise FitError(str(path), str(first.key), value=first.value, allowed=first.allowed + also)
    if not points:
        raise FitError(str(path), "content", value={}, allowed="must map reference points' names to [x, y] in pixels")
    return MappingProxyType(points)


def draw_layout(image_hw3: Image, calibration: Calibration, layout: Layout) -> Image:
    """Return a copy of the picture with the layout's areas and reference points drawn by the calibration."""
    drawn = image_hw3.copy()
    for area in layout.areas:
        line_px = outline_px(calibration, area)
        if np.isfinite(line_px).all():
            cv2.polylines(drawn, [line_px.round().astype(np.int32)], True, _LINE_BGR, 2, cv2.LINE_AA)
    for name, at_mm in layout.reference_points.items():
        point_px = calibration.image_from_layout(np.array([at_mm]))[0]
        if np.isfinite(point_px).all():
            x, y = (int(value) for value in point_px.round())
            cv2.drawMarker(drawn, (x, y), _POINT_BGR, cv2.MARKER_CROSS, 16, 2)
            cv2.putText(drawn, name, (x + 8, y - 8), cv2.FONT_HERSHEY_SIMPLEX, 0.5, _POINT_BGR, 1, cv2.LINE_AA)
    return drawn


def outline_px(calibration: Calibration, area: Area) -> FloatArray:
    """Return an area's outline in the picture, (N, 2) distorted pixels, sampled every 20 mm since a lens bends it."""
    return calibration.image_from_layout(_followed(area.polygon_mm))


def _name_of(name: object, fields: Mapping[str, object]) -> str:
    if isinstance(name, str) or (isinstance(name, int) and not isinstance(name, bool)):
        return str(name)
    raise FitError("", show_value(name), value=fields[name], allowed=KEYS_ARE_WORDS)  # type: ignore[index]


def _check(calibration: Calibration, names: tuple[str, ...], *, points_mm: FloatArray, points_px: FloatArray) -> Check:
    errors_px = np.linalg.norm(calibration.image_from_layout(points_mm) - points_px, axis=1)
    errors_mm = np.linalg.norm(calibration.layout_from_image(points_px) - points_mm, axis=1)
    return Check(
        residual_px=float(np.sqrt(np.mean(errors_px**2))),
        residual_mm=float(np.sqrt(np.mean(errors_mm**2))),
        errors_px=MappingProxyType(dict(zip(names, errors_px.tolist(), strict=True))),
        errors_mm=MappingProxyType(dict(zip(names, errors_mm.tolist(), strict=True))),
    )


def _lens(lens_of: Calibration | KnownLens | None, image_size_wh_px: tuple[int, int]) -> KnownLens | None:
    if lens_of is None or isinstance(lens_of, KnownLens):
        return lens_of
    if lens_of.image_size_wh_px != image_size_wh_px:
        allowed = f"must be the picture's size, {list(image_size_wh_px)}, for its lens to be taken over"
        raise FitError("lens", "image_size", value=list(lens_of.image_size_wh_px), allowed=allowed)
    return KnownLens(camera_matrix=lens_of.camera_matrix, distortion=lens_of.distortion)


def _crossing(corners: FloatArray) -> FloatArray:
    """Return where the diagonals of a (4, 2) quad cross: its centre under perspective."""
    a, b, c, d = corners
    steps = np.linalg.solve(np.column_stack([c - a, b - d]), b - a)
    crossing: FloatArray = a + steps[0] * (c - a)
    return crossing


def _followed(polygon_mm: FloatArray) -> FloatArray:
    """Return the polygon's outline with points at most 20 mm apart."""
    pieces = []
    for here, there in zip(polygon_mm, np.roll(polygon_mm, -1, axis=0), strict=True):
        count = max(1, int(np.ceil(np.linalg.norm(there - here) / _STEP_MM)))
        pieces.append(here + (there - here) * np.linspace(0, 1, count, endpoint=False)[:, None])
    return np.concatenate(pieces)
