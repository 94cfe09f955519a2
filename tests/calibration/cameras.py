"""Cameras with known lens and position, for tests."""

from __future__ import annotations

from math import radians

import cv2
import numpy as np

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.layout import Layout


def camera_over(
    layout: Layout,
    *,
    tilt_deg: float = 15.0,
    distance_mm: float = 2200.0,
    roll_deg: float = 0.0,
    distortion: tuple[float, ...] = (-0.12, 0.02, 0.0, 0.0, 0.0),
) -> Calibration:
    """A camera that looks at the centre of a cloth; with a positive tilt it is on the players' side."""
    target = np.array([layout.size_mm[0] / 2, layout.size_mm[1] / 2, 0.0])
    focal = 0.8 * 1920 * distance_mm / layout.size_mm[0]
    tip, _ = cv2.Rodrigues(np.array([-radians(tilt_deg), 0.0, 0.0]))
    roll, _ = cv2.Rodrigues(np.array([0.0, 0.0, radians(roll_deg)]))
    rotation = roll @ tip
    return Calibration(
        image_size_wh_px=(1920, 1080),
        camera_matrix=np.array([[focal, 0.0, 959.5], [0.0, focal, 539.5], [0.0, 0.0, 1.0]]),
        distortion=np.array(distortion),
        rvec=np.asarray(cv2.Rodrigues(rotation)[0], dtype=np.float64).ravel(),
        tvec=np.array([0.0, 0.0, distance_mm]) - rotation @ target,
        residual_px=0.3,
    )


def reference_points_px(layout: Layout, camera: Calibration) -> dict[str, tuple[float, float]]:
    """The layout's reference points in the picture, in pixels; points outside the picture are left out."""
    points_px = camera.image_from_layout(np.array(list(layout.reference_points.values())))
    width, height = camera.image_size_wh_px
    return {
        name: (float(x), float(y))
        for name, (x, y) in zip(layout.reference_points, points_px, strict=True)
        if 0 <= x < width and 0 <= y < height
    }
