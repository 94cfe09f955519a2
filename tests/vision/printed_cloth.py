"""A printed cloth in a camera's picture, and displaced cameras."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.layout import load_layout
from thirdcard.datasets.scene.cloth import ClothDrawing
from thirdcard.datasets.scene.looks import Cloth
from thirdcard.vision.frames import Image

LAYOUT = load_layout("mini-7", Path())
SCALE = 1.0


@cache
def cloth(seed: int, *, has_lines: bool = False) -> Image:
    """A cloth with crosses, numbers and markers, and on request the outlines of its areas."""
    felt, ink = (60.0, 90.0, 40.0), (220.0, 230.0, 235.0)
    areas = dict.fromkeys(("player", "banker", "tie", "pair", "bonus"), ink if has_lines else felt)
    look = Cloth(
        colour=felt,
        ink=ink,
        bets=areas,
        family="plain",
        pattern=0.0,
        fill=0.0,
        weave=0.3,
        wear=0.2,
        outline="straight",
        line_mm=3.0,
        text_mm=1.0,
        title="",
    )
    return np.asarray(
        cv2.cvtColor(ClothDrawing(LAYOUT, look, scale=SCALE, seed=seed).draw(), cv2.COLOR_BGR2GRAY), np.uint8
    )


def seen(camera: Calibration, drawn: Image, *, noise: int = 3) -> Image:
    """The cloth in the camera's picture, on a dark floor."""
    width, height = camera.image_size_wh_px
    pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2).astype(np.float64)
    at = np.nan_to_num(camera.layout_from_image(pixels), nan=-1e4) * SCALE - 0.5
    maps = at.astype(np.float32).reshape(height, width, 2)
    picture = cv2.remap(
        drawn, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=25
    )
    grain = np.random.default_rng(7).normal(0.0, noise, picture.shape)
    return np.asarray(np.clip(picture + grain, 0, 255), np.uint8)


def turned(camera: Calibration, turn_deg: tuple[float, float, float], by_mm: tuple[float, float, float]) -> Calibration:
    """The camera turned about its own axes and moved."""
    return bumped(camera, np.radians(turn_deg), np.array(by_mm))


def bumped(camera: Calibration, turn_rad: NDArray[np.float64], by_mm: NDArray[np.float64]) -> Calibration:
    """The camera turned by a rotation vector, (3,), and moved."""
    assert camera.rvec is not None and camera.camera_centre_mm is not None
    rotation = cv2.Rodrigues(turn_rad)[0] @ cv2.Rodrigues(camera.rvec)[0]
    return Calibration(
        image_size_wh_px=camera.image_size_wh_px,
        camera_matrix=camera.camera_matrix,
        distortion=camera.distortion,
        rvec=np.asarray(cv2.Rodrigues(rotation)[0], np.float64).ravel(),
        tvec=-rotation @ (camera.camera_centre_mm + by_mm),
    )
