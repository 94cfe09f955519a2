"""A camera's lens and pose, and the mapping between its pixels and the layout plane.

Knows nothing of pictures or areas. Image points: distorted pixels, x right, y down, pixel centres at integers. Layout
points: millimetres, z into the table, so what stands on the cloth has negative z.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import yaml
from numpy.typing import ArrayLike, NDArray

from thirdcard.calibration.documents import check_keys, is_number, read_document, take_list, unknown_keys
from thirdcard.calibration.errors import CalibrationError, CameraError, PoseMissingError

FloatArray = NDArray[np.float64]
Map = NDArray[np.float32]

_KEYS = ("image_size", "camera_matrix", "distortion", "rvec", "tvec", "homography", "residual_px")
_REQUIRED = ("camera_matrix", "distortion")
_ARRAY_SHAPES = {"camera_matrix": (3, 3), "distortion": (5,), "rvec": (3,), "tvec": (3,), "homography": (3, 3)}
_UNDISTORT_STEPS = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 100, 1e-12)
_OUTSIDE_PX = -1e6
"""Where a rectifying map points if the lens cannot show the place."""
_POINTS_AT_A_TIME = 1 << 14
"""So few points stay in the processor's cache: a map is made in half the time that it takes at once."""


def _from_pose() -> FloatArray:
    return np.empty((0, 0))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    """Lens and pose of a camera over a table, in OpenCV's model.

    With a pose, the homography is derived from it; with a homography alone only points on the cloth can be mapped.
    """

    image_size_wh_px: tuple[int, int]
    camera_matrix: FloatArray
    """(3, 3): [[fx, 0, cx], [0, fy, cy], [0, 0, 1]] in pixels."""
    distortion: FloatArray = field(default_factory=lambda: np.zeros(5))
    """(5,): k1, k2, p1, p2, k3."""
    rvec: FloatArray | None = None
    """(3,): Rodrigues vector, layout to camera."""
    tvec: FloatArray | None = None
    """(3,): translation in millimetres, layout to camera."""
    homography: FloatArray = field(default_factory=_from_pose)
    """(3, 3): undistorted pixel to layout mm."""
    residual_px: float | None = None
    """RMS distance, in px, over the points to which it was fitted."""
    _rays_from_layout: FloatArray = field(init=False, repr=False)
    """(3, 4): [R t], or K^-1 H^-1 with an empty third column without a pose; up to a positive factor."""
    _view_sign: float = field(init=False, repr=False)
    """The sign of the homography's depth at the centre of the picture, which the camera certainly sees."""
    _largest_radius: float = field(init=False, repr=False)
    """How far from its axis the lens model is valid, as the tangent of the angle."""

    def __post_init__(self) -> None:
        for key, shape in _ARRAY_SHAPES.items():
            value = getattr(self, key)
            if value is not None and not (key == "homography" and np.size(value) == 0):
                object.__setattr__(self, key, _frozen_array(value, shape, key))
        _check_size(self.image_size_wh_px)
        _check_camera_matrix(self.camera_matrix)
        if (self.rvec is None) != (self.tvec is None):
            missing = "rvec" if self.rvec is None else "tvec"
            raise CameraError("calibration", missing, allowed="rvec and tvec stand together or not at all")
        _check_residual(self.residual_px)
        if self.rvec is not None and self.tvec is not None:
            object.__setattr__(self, "homography", self._homography_of_pose(self.rvec, self.tvec))
        elif np.size(self.homography) == 0:
            raise CameraError("calibration", "homography", allowed="required where rvec and tvec are absent")
        elif abs(np.linalg.det(self.homography)) < 1e-15:
            value = self.homography.tolist()
            raise CameraError("calibration", "homography", value=value, allowed="must be invertible")
        width, height = self.image_size_wh_px
        view_sign = float(np.sign(self.homography[2] @ np.array([width / 2, height / 2, 1.0]))) or 1.0
        object.__setattr__(self, "_view_sign", view_sign)
        object.__setattr__(self, "_rays_from_layout", self._projection())
        object.__setattr__(self, "_largest_radius", _largest_radius(self.distortion))

    @property
    def has_pose(self) -> bool:
        """Whether points above the cloth can be mapped."""
        return self.rvec is not None

    @property
    def camera_centre_mm(self) -> FloatArray | None:
        """(3,): the camera's position in layout mm, -R^T t, with negative z; None without a pose."""
        if self.rvec is None or self.tvec is None:
            return None
        rotation = cv2.Rodrigues(self.rvec)[0]
        centre: FloatArray = -rotation.T @ self.tvec
        return centre

    def image_from_layout(self, points_mm: ArrayLike) -> FloatArray:
        """Map points on or above the cloth to distorted pixels.

        Args:
            points_mm: (N, 2) on the cloth, or (N, 3) with z into the table.

        Returns:
            (N, 2) float64; NaN for what is behind the camera or outside the range of its lens model.

        Raises:
            PoseMissingError: A point is off the cloth and the pose is unknown.
            CameraError: The points have another shape.
        """
        points = np.asarray(points_mm, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] not in (2, 3):
            raise CameraError("calibration", "points_mm", value=points.shape, allowed="must be (N, 2) or (N, 3)")
        if not len(points):
            return np.empty((0, 2))
        return self._distort(self._rays(points))

    def layout_from_image(self, points_px: ArrayLike) -> FloatArray:
        """Map distorted pixels to points on the cloth (z = 0).

        Args:
            points_px: (N, 2).

        Returns:
            (N, 2) float64, mm; NaN where the line of sight does not meet the cloth.

        Raises:
            CameraError: The points have another shape.
        """
        points = np.asarray(points_px, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != 2:
            raise CameraError("calibration", "points_px", value=points.shape, allowed="must be (N, 2)")
        if not len(points):
            return np.empty((0, 2))
        undistorted = cv2.undistortPoints(
            points[:, None, :],
            self.camera_matrix,
            self.distortion,
            R=np.eye(3),
            P=self.camera_matrix,
            criteria=_UNDISTORT_STEPS,
        )[:, 0]
        mapped = np.column_stack([undistorted, np.ones(len(points))]) @ self.homography.T
        depth = mapped[:, 2:] * self._view_sign
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(depth > 0, mapped[:, :2] / mapped[:, 2:], np.nan)

    def rectify_maps(
        self, origin_mm: tuple[float, float], size_px: tuple[int, int], *, px_per_mm: float
    ) -> tuple[Map, Map]:
        """Return maps for `cv2.remap` that show the cloth from above at a fixed scale.

        Pixel (u, v) of the rectified view has its centre at `origin_mm + (u, v) / px_per_mm`.

        Args:
            origin_mm: Layout point at the centre of the view's top-left pixel.
            size_px: Width and height of the view.
            px_per_mm: Scale of the view.

        Returns:
            map_x, map_y: (height, width) float32; far outside the picture where the camera cannot see.
        """
        width, height = size_px
        map_x, map_y = np.empty((height, width), np.float32), np.empty((height, width), np.float32)
        n_rows = max(1, _POINTS_AT_A_TIME // max(width, 1))
        for top in range(0, height, n_rows):
            u, v = np.meshgrid(np.arange(width), np.arange(top, min(top + n_rows, height)))
            points_mm = np.array(origin_mm) + np.stack([u, v], axis=-1).reshape(-1, 2) / px_per_mm
            points_px = np.nan_to_num(self.image_from_layout(points_mm), nan=_OUTSIDE_PX)
            map_x[top : top + n_rows] = points_px[:, 0].reshape(-1, width)
            map_y[top : top + n_rows] = points_px[:, 1].reshape(-1, width)
        return map_x, map_y

    def _homography_of_pose(self, rvec: FloatArray, tvec: FloatArray) -> FloatArray:
        """Return the inverse of K [r1 r2 t], scaled so that its last entry is 1."""
        centre = self.camera_centre_mm
        if centre is None or centre[2] >= 0:
            value = tvec.tolist()
            raise CameraError("calibration", "tvec", value=value, allowed="must put the camera above the cloth (z < 0)")
        rotation = cv2.Rodrigues(rvec)[0]
        forward = self.camera_matrix @ np.column_stack([rotation[:, 0], rotation[:, 1], tvec])
        inverse = np.linalg.inv(forward)
        return _frozen_array(inverse / inverse[2, 2], (3, 3), "homography")

    def _projection(self) -> FloatArray:
        """Return the matrix for `_rays_from_layout`."""
        if self.rvec is not None and self.tvec is not None:
            return np.column_stack([cv2.Rodrigues(self.rvec)[0], self.tvec])
        flat = np.linalg.inv(self.camera_matrix) @ np.linalg.inv(self.homography) * self._view_sign
        return np.column_stack([flat[:, :2], np.zeros(3), flat[:, 2]])

    def _rays(self, points_mm: FloatArray) -> FloatArray:
        """Return rays in the camera's frame, (N, 3), scaled so that those in front have a positive third component."""
        if points_mm.shape[1] == 3 and self.rvec is None and np.any(points_mm[:, 2] != 0.0):
            allowed = "a homography knows only the cloth; give rvec and tvec for points above it"
            raise PoseMissingError("calibration", "rvec", allowed=allowed)
        projection = self._rays_from_layout
        axes = np.ascontiguousarray(projection[:, : points_mm.shape[1]].T)  # else the product takes three times as long
        return points_mm @ axes + projection[:, 3]

    def _distort(self, rays: FloatArray) -> FloatArray:
        """Return the pixels of rays, (N, 2), by OpenCV's model.

        `cv2.projectPoints` would also compute all derivatives, which takes twice the memory.
        """
        in_front = rays[:, 2] > 1e-9
        x, y = (rays[:, :2] / np.where(in_front, rays[:, 2], 1.0)[:, None]).T
        k1, k2, p1, p2, k3 = self.distortion
        squared, crossed = x * x + y * y, 2.0 * x * y
        radial = 1.0 + squared * (k1 + squared * (k2 + squared * k3))
        bent_x = x * radial + p1 * crossed + p2 * (squared + 2.0 * x * x)
        bent_y = y * radial + p1 * (squared + 2.0 * y * y) + p2 * crossed
        (focal_x, _, centre_x), (_, focal_y, centre_y), _ = self.camera_matrix
        pixels = np.column_stack([focal_x * bent_x + centre_x, focal_y * bent_y + centre_y])
        pixels[~(in_front & (np.sqrt(squared) < self._largest_radius))] = np.nan
        return pixels


def parse_calibration(mapping: object, where: str) -> Calibration:
    """Parse a calibration from a mapping; `where` begins every error message.

    Raises:
        CameraError: A value is not allowed.
    """
    try:
        fields = check_keys(mapping, _KEYS, CameraError)
        size = _take_size(fields)
        for key in _REQUIRED:
            _check_given(fields, key)
        given = {key: fields[key] for key in _ARRAY_SHAPES if fields.get(key) is not None}
        return Calibration(
            image_size_wh_px=size,
            residual_px=fields.get("residual_px"),  # type: ignore[arg-type]
            **given,  # type: ignore[arg-type]
        )
    except CameraError as error:
        raise error.at(where) from None


def calibration_faults(mapping: object, where: str) -> list[CalibrationError]:
    """Return every fault of a calibration's mapping; empty where it can be parsed."""
    if not isinstance(mapping, Mapping):
        return _errors_of(lambda: parse_calibration(mapping, where))
    errors = list(unknown_keys(mapping, _KEYS, CameraError))
    errors += _errors_of(lambda: _take_size(mapping))
    for key, shape in _ARRAY_SHAPES.items():
        if mapping.get(key) is not None:
            errors += _errors_of(lambda key=key, shape=shape: _frozen_array(mapping[key], shape, key))  # type: ignore[misc]
        elif key in _REQUIRED:
            errors += _errors_of(lambda key=key: _check_given(mapping, key))  # type: ignore[misc]
    if not any(error.key == "camera_matrix" for error in errors):
        matrix = _frozen_array(mapping["camera_matrix"], _ARRAY_SHAPES["camera_matrix"], "camera_matrix")
        errors += _errors_of(lambda: _check_camera_matrix(matrix))
    errors += _errors_of(lambda: _check_residual(mapping.get("residual_px")))
    found = [error.at(where) for error in errors]
    return found or _errors_of(lambda: parse_calibration(mapping, where))


def _errors_of(check: Callable[[], object]) -> list[CalibrationError]:
    try:
        check()
    except CameraError as error:
        return [error]
    return []


def load_calibration(path: Path) -> Calibration:
    """Load a calibration from a file.

    Raises:
        CameraError: A value is not allowed.
        DocumentError: The file cannot be read.
    """
    return parse_calibration(read_document(path), str(path))


def save_calibration(path: Path, calibration: Calibration) -> None:
    """Write a calibration file with all digits of every number."""
    text = yaml.safe_dump(format_calibration(calibration), sort_keys=False, default_flow_style=None, width=200)
    path.write_text(text, encoding="utf-8")


def format_calibration(calibration: Calibration) -> Mapping[str, object]:
    """Return a calibration as the mapping that its file holds."""
    fields: dict[str, object] = {"image_size": list(calibration.image_size_wh_px)}
    for key in _ARRAY_SHAPES:
        value = getattr(calibration, key)
        if value is not None:
            fields[key] = value.tolist()
    if calibration.residual_px is not None:
        fields["residual_px"] = float(calibration.residual_px)
    return fields


def _frozen_array(value: object, shape: tuple[int, ...], key: str) -> FloatArray:
    allowed = f"must be {' x '.join(str(side) for side in shape)} finite numbers"
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise CameraError("calibration", key, value=value, allowed=allowed) from None
    if array.size == np.prod(shape) and array.ndim > len(shape):
        array = array.reshape(shape)
    if array.shape != shape or not np.isfinite(array).all():
        raise CameraError("calibration", key, value=array.tolist(), allowed=allowed)
    array.setflags(write=False)
    return array


def _take_size(fields: Mapping[str, object]) -> tuple[int, int]:
    size = take_list(fields, "image_size", CameraError)
    _check_size(size)
    return int(str(size[0])), int(str(size[1]))


def _check_given(fields: Mapping[str, object], key: str) -> None:
    if fields.get(key) is None:
        raise CameraError("", key, allowed="required")


def _check_residual(residual_px: object) -> None:
    if residual_px is not None and not (is_number(residual_px) and float(str(residual_px)) >= 0):
        raise CameraError("calibration", "residual_px", value=residual_px, allowed="must be 0 or more")


def _check_size(size: object) -> None:
    allowed = "must be [width, height] in pixels, 16 to 20000 each"
    is_pair = isinstance(size, list | tuple) and len(size) == 2
    if not is_pair or not all(isinstance(side, int) and 16 <= side <= 20000 for side in size):  # type: ignore[attr-defined]
        raise CameraError("calibration", "image_size", value=size, allowed=allowed)


def _check_camera_matrix(matrix: FloatArray) -> None:
    is_upper = matrix[1, 0] == matrix[2, 0] == matrix[2, 1] == 0.0 and matrix[2, 2] == 1.0
    if not is_upper or matrix[0, 0] <= 0 or matrix[1, 1] <= 0:
        allowed = "must be [[fx, 0, cx], [0, fy, cy], [0, 0, 1]] with fx, fy above 0"
        raise CameraError("calibration", "camera_matrix", value=matrix.tolist(), allowed=allowed)


def _largest_radius(distortion: FloatArray) -> float:
    """Return the normalised radius up to which the image radius grows.

    It is the smallest positive root of 1 + 3 k1 r^2 + 5 k2 r^4 + 7 k3 r^6; infinite where there is none.
    """
    k1, k2, _, _, k3 = distortion
    roots = np.roots([7 * k3, 5 * k2, 3 * k1, 1.0])
    squares = [root.real for root in roots if abs(root.imag) < 1e-12 and root.real > 0]
    return float(np.sqrt(min(squares))) if squares else float("inf")
