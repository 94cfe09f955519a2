"""Simulate the effects of light, lens, sensor and video on a card's picture, at the camera's resolution.

Pictures are (H, W, 3) float32 RGB, 0..255, until they are quantised. `scale` is the card's width in px over 60, so that
blur stays in proportion to the print.
"""

from __future__ import annotations

import functools

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.float32]

NOISE_SIZE_PX = 640


def light(picture: Picture, rng: np.random.Generator, *, strength: float) -> Picture:
    """Make a picture darker or brighter, warmer or colder, unevenly lit, sometimes with glare."""
    height, width = picture.shape[:2]
    gain = float(np.exp(rng.uniform(-1.15, 0.18) * strength))
    cast = np.exp(rng.normal(0, 0.055 * strength, 3)).astype(np.float32)
    if rng.random() < 0.14:
        cast *= np.exp(rng.normal(0, 0.2 * strength, 3)).astype(np.float32)
    grid = np.exp(rng.normal(0, 0.12 * strength, (2, 2))).astype(np.float32)
    field = cv2.resize(grid, (width, height), interpolation=cv2.INTER_LINEAR)
    lit = picture * (gain * cast) * field[..., None]
    if rng.random() < 0.12 * strength:
        spots = np.zeros((5, 5), dtype=np.float32)
        spots[tuple(rng.integers(0, 5, 2))] = rng.uniform(30, 170)
        lit = lit + cv2.resize(spots, (width, height), interpolation=cv2.INTER_CUBIC).clip(0)[..., None]
    if rng.random() < 0.6:
        lit = 255 * (lit.clip(0, 255) / 255) ** float(np.exp(rng.normal(0, 0.25 * strength)))
    if rng.random() < 0.3:
        grey = lit.mean(axis=2, keepdims=True)
        lit = grey + (lit - grey) * float(rng.uniform(0.45, 1.4))
    if rng.random() < 0.25:
        lit = lit * float(rng.uniform(0.6, 0.95)) + float(rng.uniform(5, 45))
    return np.asarray(lit, dtype=np.float32).clip(0, 255)


def blur(picture: Picture, rng: np.random.Generator, *, scale: float, strength: float) -> tuple[Picture, float]:
    """Add defocus and motion blur; return the picture and the blur's sigma in px."""
    sigma = abs(float(rng.normal(0, 0.55))) * strength * max(0.6, scale)
    if rng.random() < 0.08:
        sigma += float(rng.uniform(0.3, 1.3)) * strength * scale
    if sigma > 0.25:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma), dtype=np.float32)
    if rng.random() < 0.2 * strength:
        length = float(rng.uniform(1.5, 6.5)) * scale
        picture = np.asarray(cv2.filter2D(picture, -1, _streak(length, float(rng.uniform(0, np.pi)))), dtype=np.float32)
        sigma = float(np.hypot(sigma, length / 3.5))
    return picture, sigma


def sensor(picture: Picture, rng: np.random.Generator, *, scale: float, strength: float) -> npt.NDArray[np.uint8]:
    """Add noise, a camera's smoothing and sharpening, and compression."""
    height, width = picture.shape[:2]
    if rng.random() < 0.85:
        y, x = (int(start) for start in rng.integers(0, NOISE_SIZE_PX - np.array([height, width]) + 1))
        noise = _noises()[int(rng.integers(4))][y : y + height, x : x + width]
        picture = picture + noise * float(abs(rng.normal(0, 5.0)) * strength)
    if rng.random() < 0.4:
        soft = cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.6, 1.5)))
        picture = picture + (picture - soft) * float(rng.uniform(0.2, 1.4))
    made = picture.clip(0, 255).astype(np.uint8)
    if rng.random() < 0.15 and min(height, width) > 40:
        factor = float(rng.uniform(0.6, 0.9)) if scale > 0.65 else 0.9
        small = cv2.resize(made, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        made = np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)
    for _ in range(int(rng.choice([0, 1, 2], p=[0.2, 0.7, 0.1]))):
        quality = int(rng.uniform(90 - 62 * strength, 96))
        _, packed = cv2.imencode(".jpg", made, [cv2.IMWRITE_JPEG_QUALITY, quality])
        made = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), dtype=np.uint8)
    return made


@functools.cache
def _noises() -> tuple[Picture, ...]:
    """Draw four noise fields of variance 1: colour, mostly grey, and both again with a soft grain."""
    rng = np.random.default_rng(0)
    sharp = rng.standard_normal((NOISE_SIZE_PX, NOISE_SIZE_PX, 3), dtype=np.float32)
    grey = sharp.copy()
    grey[..., 1:] = sharp[..., 1:] * 0.4 + sharp[..., :1] * 0.9
    soft = [np.asarray(cv2.GaussianBlur(noise, (0, 0), 0.7), dtype=np.float32) * 2.4 for noise in (sharp, grey)]
    return sharp, grey, soft[0], soft[1]


def _streak(length_px: float, angle: float) -> npt.NDArray[np.float32]:
    size = int(np.ceil(length_px)) | 1
    kernel = np.zeros((size, size), dtype=np.float32)
    middle, reach = size // 2, length_px / 2
    first = (int((middle - reach * np.cos(angle)) * 16), int((middle - reach * np.sin(angle)) * 16))
    second = (int((middle + reach * np.cos(angle)) * 16), int((middle + reach * np.sin(angle)) * 16))
    cv2.line(kernel, first, second, 1.0, 1, cv2.LINE_8, 4)
    kernel[middle, middle] = 1.0
    return np.asarray(kernel / kernel.sum(), dtype=np.float32)
