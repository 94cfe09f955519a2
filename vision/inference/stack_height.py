"""Measure how far the top of a chip stack is displaced outward in the picture, by a small network on a crop of it.

A crop shows the cloth plane round a stack, 40 pixels to a chip's diameter, turned so that "away from the camera's foot
point" is up. What stands on the cloth leans up in it: the top disc of a stack of height h, d mm from the point under a
camera H mm above the cloth, is projected d h / (H - h) beyond its base. Distances are layout millimetres.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.errors import ModelError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.model_spec import ModelSpec, load_model_spec
from thirdcard.vision.inference.session import ModelSession

WIDTH_PX, HEIGHT_PX = 80, 128
"""The gauge's input size (models/registry.yaml): two chips wide, and longer in the direction in which a stack leans."""
DISC_PX = 40.0
"""Width of a chip on the cloth, in px of a crop."""
COLUMNS = ("displacement", "log_scale", "foot_x", "foot_y", "top_x", "top_y")
"""The network's outputs for a crop, in its pixels: the displacement, the natural logarithm of the scale of its
Laplace error, and the centres of the base and of the top disc, right of and below the crop's centre."""
_NODES = 5
"""Nodes along each axis: the lens model is evaluated at 25 places of a crop, and a polynomial of degree 4
interpolates."""
_MOST_SAMPLES = 3
"""Samples along a side of a crop's pixel, for cameras that show a millimetre as up to 3 px."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CropFrame:
    """The place and rotation of a crop on the cloth."""

    centre_mm: NDArray[np.float64]
    """(2,): the crop's centre."""
    outward: NDArray[np.float64]
    """(2,): unit vector that points up in the crop."""
    px_per_mm: float

    @property
    def right(self) -> NDArray[np.float64]:
        """(2,): unit vector that points right in the crop."""
        return np.array([-self.outward[1], self.outward[0]])

    def layout_from_crop(self, points_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return layout points, (N, 2) mm, of points in px right of and below the crop's centre."""
        across, down = points_px[:, :1] / self.px_per_mm, points_px[:, 1:] / self.px_per_mm
        return np.asarray(self.centre_mm + across * self.right - down * self.outward, np.float64)

    def crop_from_layout(self, points_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return points, (N, 2) px, right of and below the crop's centre, of layout points in mm."""
        away = (points_mm - self.centre_mm) * self.px_per_mm
        return np.column_stack([away @ self.right, -(away @ self.outward)])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StackView:
    """One look at a stack."""

    crop: Image
    """(HEIGHT_PX, WIDTH_PX, 3) uint8."""
    frame: CropFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauging:
    """The gauge's measure of one stack."""

    displacement_mm: float
    """How far the top disc is projected beyond the base."""
    scale_mm: float
    """Scale of the Laplace distribution of its error, as the network estimates it."""
    foot_mm: tuple[float, float]
    """The centre of the base."""
    view: StackView | None = None
    """The look that was measured; None for an average."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeightSureness:
    """How large a difference of two displacements must be to count as a change."""

    floor_mm: float
    """A smaller difference, in mm, never counts."""
    scales: float
    """A difference below this many combined error scales does not count either."""

    def least_change_mm(self, before: Gauging, after: Gauging) -> float:
        """Return the least difference in mm of two displacements that counts as a change."""
        return max(self.floor_mm, self.scales * float(np.hypot(before.scale_mm, after.scale_mm)))


def crop_frame(centre_mm: NDArray[np.float64], camera_mm: NDArray[np.float64], diameter_mm: float) -> CropFrame:
    """Return the crop frame of a stack, given its silhouette's centre.

    Directly under the camera the rotation is arbitrary.
    """
    away = np.asarray(centre_mm[:2] - camera_mm[:2], np.float64)
    distance = float(np.linalg.norm(away))
    outward = away / distance if distance > 1e-3 else np.array([0.0, -1.0])
    return CropFrame(centre_mm=np.asarray(centre_mm, np.float64), outward=outward, px_per_mm=DISC_PX / diameter_mm)


def stack_crop(
    image: Image, calibration: Calibration, frame: CropFrame, *, size_wh_px: tuple[int, int] = (WIDTH_PX, HEIGHT_PX)
) -> Image | None:
    """Cut a stack out of a camera's whole picture, with distortion removed.

    Args:
        image: (H, W, 3) uint8.
        calibration: The camera's.
        frame: Where the crop lies.
        size_wh_px: Width and height of the crop, both even.

    Returns:
        (height, width, 3) uint8, or None where the stack is outside the picture or the lens model's range.
    """
    width, height = size_wh_px
    across, down = _nodes(width), _nodes(height)
    x, y = np.meshgrid(across, down)
    points_px = calibration.image_from_layout(frame.layout_from_crop(np.column_stack([x.ravel(), y.ravel()])))
    middle = points_px[len(points_px) // 2]
    inside = np.isfinite(points_px).all() and (middle >= 0).all() and (middle < image.shape[1::-1]).all()
    if not inside:
        return None
    grid = points_px.reshape(_NODES, _NODES, 2)
    px_per_px = max(np.ptp(grid[:, 2], axis=0).max() / height, np.ptp(grid[2], axis=0).max() / width)
    samples = int(np.clip(np.ceil(px_per_px - 0.35), 1, _MOST_SAMPLES))
    rows, columns = _interpolation(height, samples), _interpolation(width, samples)
    map_x = (rows @ grid[:, :, 0] @ columns.T).astype(np.float32)
    map_y = (rows @ grid[:, :, 1] @ columns.T).astype(np.float32)
    method = cv2.INTER_CUBIC if samples == 1 else cv2.INTER_LINEAR
    crop = cv2.remap(image, map_x, map_y, method, borderMode=cv2.BORDER_REPLICATE)
    if samples > 1:
        crop = cv2.resize(crop, size_wh_px, interpolation=cv2.INTER_AREA)
    return np.asarray(crop, np.uint8)


class StackGauge:
    """An open gauge."""

    def __init__(self, session: ModelSession) -> None:
        self._session = session

    @classmethod
    def open(cls, spec: ModelSpec | None = None, *, threads: int = 1) -> StackGauge:
        """Open the gauge of the registry, or another.

        Raises:
            ModelError: The model is missing, altered or declared differently.
        """
        spec = load_model_spec("gauge") if spec is None else spec
        if spec.classes != COLUMNS or spec.input_hw_px != (HEIGHT_PX, WIDTH_PX):
            raise ModelError(
                f"registry.yaml: gauge.classes = {list(spec.classes)}; must be {list(COLUMNS)}, "
                f"input {HEIGHT_PX} x {WIDTH_PX}"
            )
        return cls(ModelSession.open(spec, threads=threads))

    @property
    def sureness(self) -> HeightSureness:
        """How large a change must be to count, from the registry's settings."""
        spec = self._session.spec
        return HeightSureness(floor_mm=spec.setting("floor_mm"), scales=spec.setting("scales"))

    def measure(
        self,
        image: Image,
        calibration: Calibration,
        centres_mm: Sequence[NDArray[np.float64]],
        *,
        diameter_mm: float,
    ) -> list[Gauging | None]:
        """Measure some stacks in one picture.

        Args:
            image: The camera's whole picture.
            calibration: The camera's.
            centres_mm: The centre of each stack's silhouette on the cloth plane, (2,) each.
            diameter_mm: The chips' diameter.

        Returns:
            One for each stack; None where the calibration has no pose or the stack is outside the picture.
        """
        camera_mm = calibration.camera_centre_mm
        if camera_mm is None:
            return [None] * len(centres_mm)
        frames = [crop_frame(centre, camera_mm, diameter_mm) for centre in centres_mm]
        crops = [stack_crop(image, calibration, frame) for frame in frames]
        seen = [crop for crop in crops if crop is not None]
        rows = iter(self.read(seen) if seen else ())
        pairs = zip(crops, frames, strict=True)
        return [None if crop is None else gauging_of(next(rows), crop, frame) for crop, frame in pairs]

    def read(self, crops: Sequence[Image]) -> NDArray[np.float64]:
        """Return the network's raw outputs for crops, (N, len(COLUMNS))."""
        return np.asarray(self._session.run(crops), np.float64)


def gauging_of(row: NDArray[np.float64], crop: Image, frame: CropFrame) -> Gauging:
    """Convert a row of the network's output into a measure, for its crop."""
    displacement_px, log_scale, foot_x, foot_y = row[:4]
    foot = frame.layout_from_crop(np.array([[foot_x, foot_y]]))[0]
    return Gauging(
        displacement_mm=float(displacement_px) / frame.px_per_mm,
        scale_mm=float(np.exp(log_scale)) / frame.px_per_mm,
        foot_mm=(float(foot[0]), float(foot[1])),
        view=StackView(crop=crop, frame=frame),
    )


def _nodes(length_px: int) -> NDArray[np.float64]:
    """Return where the lens model is evaluated along one axis, in px from the crop's centre."""
    half = length_px / 2
    return np.linspace(-half, half, _NODES)


def _interpolation(length_px: int, samples: int) -> NDArray[np.float64]:
    """Return the weights of Lagrange's polynomial through the nodes at each sample, (length_px * samples, nodes)."""
    half = length_px / 2
    at = (np.arange(length_px * samples) + 0.5) / samples - half
    nodes = _nodes(length_px)
    weights = np.ones((len(at), _NODES))
    for k in range(_NODES):
        for other in range(_NODES):
            if other != k:
                weights[:, k] *= (at - nodes[other]) / (nodes[k] - nodes[other])
    return weights
