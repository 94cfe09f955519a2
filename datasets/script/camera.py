"""Place a camera over a table so that the whole cloth is in the picture.

Millimetres of the layout plane (z into the table), degrees, pixels as OpenCV counts them.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.layout import Layout
from thirdcard.datasets.script.script import Camera

FloatArray = NDArray[np.float64]
FROM_DEG = {"players": 90.0, "dealer": -90.0, "right": 0.0, "left": 180.0}
"""Direction in which the camera is shifted from above the table's centre; x right, y towards the seats."""
RAIL_MM = 120.0
"""Margin in mm round the cloth that stays in the picture."""


def hang_camera(camera: Camera, layout: Layout, seed: int) -> Calibration:
    """Return the calibration of a script's camera; what the script leaves open is drawn from the seed."""
    rng = np.random.default_rng([seed, 41])
    height = camera.height_mm or float(rng.uniform(1900, 2900))
    tilt = camera.tilt_deg if camera.tilt_deg is not None else float(rng.uniform(2, 20))
    side = camera.tilted_from or str(rng.choice(["players", "players", "dealer", "left", "right"]))
    roll = camera.roll_deg if camera.roll_deg is not None else float(rng.normal(0, 1.5))
    k1 = camera.k1 if camera.k1 is not None else float(rng.uniform(-0.16, 0.02))
    width_mm, depth_mm = layout.size_mm
    target = np.array([width_mm / 2, depth_mm / 2, 0.0]) + np.array([*rng.normal(0, 15, 2), 0.0])
    aside = height * math.tan(math.radians(tilt))
    way = math.radians(FROM_DEG[side] + float(rng.normal(0, 6)))
    centre = target + np.array([aside * math.cos(way), aside * math.sin(way), -height])
    rotation = _look(centre, target, roll)
    rvec: FloatArray = cv2.Rodrigues(rotation)[0].reshape(3).astype(np.float64)
    tvec = -rotation @ centre
    lens = np.array([k1, -0.2 * k1 * abs(k1), *rng.normal(0, 4e-4, 2), 0.0])
    size = camera.resolution
    focal = _fitting_focal(size, (rvec, tvec, lens), _outline(layout))
    matrix = np.array([[focal, 0, (size[0] - 1) / 2], [0, focal, (size[1] - 1) / 2], [0, 0, 1]])
    return Calibration(
        image_size_wh_px=size,
        camera_matrix=matrix,
        distortion=lens,
        rvec=rvec,
        tvec=tvec,
        residual_px=float(rng.uniform(0.2, 0.5)),
    )


def _look(centre: FloatArray, target: FloatArray, roll_deg: float) -> FloatArray:
    """Return the rotation (3, 3) from layout to camera.

    Apart from the roll, the picture's right runs along the layout's x.
    """
    ahead = (target - centre) / np.linalg.norm(target - centre)
    down = np.cross(ahead, np.array([1.0, 0.0, 0.0]))
    down /= np.linalg.norm(down)
    right = np.cross(down, ahead)
    rotation = np.stack([right, down, ahead])
    angle = math.radians(roll_deg)
    turn = np.array([[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [0, 0, 1.0]])
    turned: FloatArray = turn @ rotation
    return turned


def _outline(layout: Layout) -> FloatArray:
    """Return points along the edge of the cloth and its rail, (N, 3) mm."""
    width, depth = layout.size_mm
    x = np.linspace(-RAIL_MM, width + RAIL_MM, 25)
    y = np.linspace(-0.4 * RAIL_MM, depth + RAIL_MM, 15)
    edges = [
        np.stack([x, np.full_like(x, y[0])], axis=1),
        np.stack([x, np.full_like(x, y[-1])], axis=1),
        np.stack([np.full_like(y, x[0]), y], axis=1),
        np.stack([np.full_like(y, x[-1]), y], axis=1),
    ]
    flat = np.concatenate(edges)
    return np.concatenate([flat, np.zeros((len(flat), 1))], axis=1)


def _fitting_focal(
    size_wh_px: tuple[int, int], camera: tuple[FloatArray, FloatArray, FloatArray], outline_mm: FloatArray
) -> float:
    """Return the longest focal length, in px, at which all points are in the picture."""
    rvec, tvec, lens = camera
    low, high = 100.0, 20_000.0
    half = np.array(size_wh_px) / 2.0
    for _ in range(40):
        focal = (low + high) / 2
        matrix = np.array([[focal, 0, half[0]], [0, focal, half[1]], [0, 0, 1]])
        points = cv2.projectPoints(outline_mm, rvec, tvec, matrix, lens)[0].reshape(-1, 2)
        if (np.abs(points - half) <= half).all():
            low = focal
        else:
            high = focal
    return low
