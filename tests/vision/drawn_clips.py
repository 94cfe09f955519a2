"""Short drawn clips of a printed cloth under a noisy camera, and faults to apply to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import cv2
import numpy as np

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.frames import Frame, Image

SIZE_WH_PX = (960, 540)
CLOTH_MM = (1800.0, 900.0)
MM_PER_PX = 2.0
RATE_HZ = 10
NOISE_LEVELS = 3.0

Spoil = Callable[[Image, float], Image]
"""Applies a fault to a good picture at a time in seconds."""


def straight_down() -> Calibration:
    """A calibration with two millimetres to a pixel; the cloth's corner lies at pixel (30, 45)."""
    return Calibration(
        image_size_wh_px=SIZE_WH_PX,
        camera_matrix=np.array([[1000.0, 0, 480.0], [0, 1000.0, 270.0], [0, 0, 1]]),
        rvec=np.zeros(3),
        tvec=np.array([-900.0, -450.0, 2000.0]),
    )


@cache
def cloth() -> Image:
    """Lines, rings and letters in light colours on green."""
    rng = np.random.default_rng(5)
    image = np.full((SIZE_WH_PX[1], SIZE_WH_PX[0], 3), (70, 95, 45), np.uint8)
    for _ in range(150):
        x, y = int(rng.integers(20, 940)), int(rng.integers(20, 520))
        colour = [int(level) for level in rng.integers(140, 235, 3)]
        cv2.putText(image, str(rng.integers(10, 99)), (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.8, colour, 2, cv2.LINE_AA)
        cv2.circle(image, (y, x % 540), 12, colour, 1, cv2.LINE_AA)
    return image


@cache
def _noise() -> np.ndarray:
    return np.random.default_rng(6).normal(0, NOISE_LEVELS, (SIZE_WH_PX[1] + 60, SIZE_WH_PX[0] + 60, 3))


def noisy(picture: np.ndarray, t: float) -> Image:
    """The picture with sensor noise, which differs at every time."""
    x, y = (int(each) for each in np.random.default_rng(round(t * 1000)).integers(0, 60, 2))
    noise = _noise()[y : y + picture.shape[0], x : x + picture.shape[1]]
    return np.asarray(np.clip(picture + noise, 0, 255), np.uint8)


def table_at(t: float) -> np.ndarray:
    """The cloth, with an arm over a tenth of it that comes and goes."""
    image = cloth().copy()
    if t % 3.0 < 1.5:
        x = int(300 + 200 * np.sin(t))
        cv2.rectangle(image, (x, 0), (x + 110, 380), (120, 150, 210), -1)
    return image


def clip(length_s: float, spoil: Spoil | None = None, *, at: tuple[float, float] = (5.0, 9.0)) -> Iterator[Frame]:
    """Frames of the table, with a fault from one time to another."""
    for i in range(round(length_s * RATE_HZ)):
        t = i / RATE_HZ
        is_spoiled = spoil is not None and at[0] <= t < at[1]
        image = spoil(table_at(t), t) if spoil is not None and is_spoiled else noisy(table_at(t), t)
        yield Frame(i, t, image)


def covered(image: Image, t: float, share: float = 1.0) -> Image:
    """A dark hand in front of this share of the lens."""
    hand = image.copy()
    hand[:, : int(share * image.shape[1])] = 45
    return noisy(hand, t)


def dimmed(image: Image, t: float, factor: float) -> Image:
    """The picture with its light reduced to this factor."""
    return noisy(image * factor, t)


def defocused(image: Image, t: float, sigma_px: float = 2.5) -> Image:
    """The picture of a lens out of focus."""
    return noisy(cv2.GaussianBlur(image, (0, 0), sigma_px), t)


def veiled(image: Image, t: float) -> Image:
    """The picture with light straight into the lens."""
    return noisy(image * 0.25 + 170.0, t)


def glaring(image: Image, t: float) -> Image:
    """The picture with a bright spot on a part of the cloth."""
    y, x = np.mgrid[: image.shape[0], : image.shape[1]]
    spot = 500.0 * np.exp(-((x - 480) ** 2 + (y - 240) ** 2) / (2 * 120.0**2))
    return noisy(np.clip(image + spot[:, :, None], 0, 300), t)


def moved(image: Image, t: float, right_mm: float, down_mm: float = 0.0, turn_deg: float = 0.0) -> Image:
    """The picture shifted and turned about its centre."""
    map_ = cv2.getRotationMatrix2D((SIZE_WH_PX[0] / 2, SIZE_WH_PX[1] / 2), turn_deg, 1.0)
    map_ = np.asarray(map_, np.float64) + np.array([[0, 0, right_mm], [0, 0, down_mm]]) / MM_PER_PX
    return noisy(cv2.warpAffine(image, map_, SIZE_WH_PX, borderMode=cv2.BORDER_REPLICATE), t)


def black(image: Image, t: float) -> Image:
    """A black picture without noise."""
    return np.zeros(image.shape, np.uint8)


def frozen(image: Image, t: float) -> Image:
    """The picture of second five, again and again."""
    return noisy(table_at(5.0), 5.0)
