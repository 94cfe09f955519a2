"""Simulated cameras over a table, for tests that need the ground truth."""

from __future__ import annotations

import cv2
import numpy as np

from thirdcard.calibration.camera import Calibration


def tilted_camera(size_wh_px: tuple[int, int] = (1280, 720), *, distortion: float = -0.08) -> Calibration:
    """A camera 1.6 m above a cloth of 1000 x 600 mm, off its centre, with an oblique view."""
    centre = np.array([450.0, 900.0, -1500.0])
    target = np.array([500.0, 300.0, 0.0])
    forward = (target - centre) / np.linalg.norm(target - centre)
    right = np.cross(np.array([0.0, -1.0, 0.0]), forward)
    right = -right / np.linalg.norm(right) if right[0] < 0 else right / np.linalg.norm(right)
    down = np.cross(forward, right)
    rotation = np.stack([right, down, forward])
    focal = size_wh_px[0] * 1.15
    return Calibration(
        image_size_wh_px=size_wh_px,
        camera_matrix=np.array([[focal, 0, size_wh_px[0] / 2], [0, focal, size_wh_px[1] / 2], [0, 0, 1]]),
        distortion=np.array([distortion, 0.01, 0.0, 0.0, 0.0]),
        rvec=np.asarray(cv2.Rodrigues(rotation)[0], np.float64).ravel(),
        tvec=-rotation @ centre,
    )


def paint_quad(
    image: np.ndarray, calibration: Calibration, corners_mm: np.ndarray, colour: tuple[int, int, int]
) -> None:
    """Fill a quadrilateral of the cloth in a camera's picture, with its sides bent by the lens distortion."""
    steps = np.linspace(0, 1, 20, endpoint=False)[:, None]
    sides = [a + (b - a) * steps for a, b in zip(corners_mm, np.roll(corners_mm, -1, axis=0), strict=True)]
    points_px = calibration.image_from_layout(np.concatenate(sides))
    cv2.fillPoly(image, [np.round(points_px * 16).astype(np.int32)], colour, cv2.LINE_AA, shift=4)


def card_corners(
    centre_mm: tuple[float, float], angle_deg: float, size_mm: tuple[float, float] = (63, 88)
) -> np.ndarray:
    """(4, 2) corners, clockwise from the card's own top left."""
    half = np.array(size_mm) / 2
    angle = np.radians(angle_deg)
    right, down = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    corners: np.ndarray = np.array(centre_mm) + signs[:, :1] * right + signs[:, 1:] * down
    return corners
