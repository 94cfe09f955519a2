"""Light a picture, and add the effects of a sensor: blur, tone, noise."""

from __future__ import annotations

import cv2
import numpy as np

from thirdcard.datasets.scene.looks import Lens, Light
from thirdcard.datasets.scene.raster import FloatImage, Image, Window

NoiseTile = np.ndarray[tuple[int, ...], np.dtype[np.int8]]


class LightMap:
    """The brightness and tint of the light in each pixel."""

    def __init__(self, light: Light, size_wh_px: tuple[int, int]) -> None:
        width, height = size_wh_px
        small = max(width // 8, 2), max(height // 8, 2)
        x, y = np.meshgrid(np.linspace(0, 1, small[0]), np.linspace(0, 1, small[1]))
        level = 1 + light.gradient[0] * (x - 0.5) + light.gradient[1] * (y - 0.5)
        aspect = height / width
        for sx, sy, radius, strength in light.spots:
            level = level + strength * np.exp(-((x - sx) ** 2 + ((y - sy) * aspect) ** 2) / (2 * radius**2))
        level = level * (1 - light.vignette * ((x - 0.5) ** 2 + (y - 0.5) ** 2) * 2)
        level = np.clip(level, 0.3, 1.5) * light.level
        warm = light.warmth * 0.22
        cast = np.array([1 - warm, 1 + 0.06 * light.tint, 1 + warm * 0.8], np.float64)
        lit = (level[:, :, None] * cast).astype(np.float32)
        self._map: FloatImage = np.asarray(cv2.resize(lit, size_wh_px, interpolation=cv2.INTER_CUBIC), np.float32)

    def within(self, window: Window) -> FloatImage:
        """Return the factors inside a window, (h, w, 3)."""
        return self._map[window.slices]

    def applied(self, albedo: Image) -> Image:
        """Return the whole picture in this light."""
        return np.asarray(cv2.multiply(albedo, self._map, dtype=cv2.CV_8U), np.uint8)


class Sensor:
    """Turns lit pictures into what a camera delivers; equal frame numbers give equal noise."""

    def __init__(self, lens: Lens, size_wh_px: tuple[int, int], seed: int) -> None:
        self._lens = lens
        self._seed = seed
        self._tiles = _noise_tiles(lens, size_wh_px, seed + 23)
        self._size = size_wh_px

    def expose(self, lit: Image, *, factor: float, shot: int) -> Image:
        """Apply blur, tone and noise for the shot with this number; `factor` is the momentary light."""
        lens = self._lens
        rng = np.random.default_rng([self._seed, shot, 29])
        image = lit
        if lens.defocus_px > 0.25:
            image = np.asarray(cv2.GaussianBlur(image, (0, 0), lens.defocus_px), np.uint8)
        if lens.sharpen > 0.05:
            soft = cv2.GaussianBlur(image, (0, 0), 1.2)
            image = np.asarray(cv2.addWeighted(image, 1 + lens.sharpen, soft, -lens.sharpen, 0), np.uint8)
        gain = factor * (1 + lens.flicker * float(rng.standard_normal()))
        image = np.asarray(cv2.LUT(image, self._curve(gain)), np.uint8)
        if abs(lens.saturation - 1) > 0.02:
            image = _saturated(image, lens.saturation)
        if self._tiles:
            tile = self._tiles[int(rng.integers(len(self._tiles)))]
            dy, dx = int(rng.integers(64)), int(rng.integers(64))
            width, height = self._size
            image = np.asarray(cv2.add(image, tile[dy : dy + height, dx : dx + width], dtype=cv2.CV_8U), np.uint8)
        if lens.caption:
            self._write(image, shot)
        return image

    def _write(self, image: Image, shot: int) -> None:
        """Burn in the camera's name and the time, as recorders do."""
        width, height = self._size
        seconds = (self._seed + shot // 1000) % 86400
        clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        size = height / 1080 * (0.7 + self._seed % 7 / 10)
        places = ((0.02, 0.05), (0.02, 0.97), (0.72, 0.05), (0.72, 0.97))
        name = f"CAM {self._seed % 90:02d} BAC {self._seed % 23}"
        for text, k in (
            (name, self._seed % 4),
            (f"2026-{self._seed % 12 + 1:02d}-{self._seed % 28 + 1:02d} {clock}", (self._seed + 1) % 4),
        ):
            at = (int(places[k][0] * width), int(places[k][1] * height))
            cv2.putText(
                image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, (0, 0, 0), max(round(size * 4), 2), cv2.LINE_AA
            )
            cv2.putText(
                image, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, (240, 240, 240), max(round(size * 2), 1), cv2.LINE_AA
            )

    def _curve(self, gain: float) -> Image:
        value = np.clip(np.arange(256) / 255.0 * gain, 0, 1.4)
        value = np.power(value, self._lens.gamma)
        value = 0.45 + (value - 0.45) * self._lens.contrast
        shoulder = np.where(value > 0.85, 0.85 + 0.15 * (1 - np.exp(-(value - 0.85) / 0.15)), value)
        return np.clip(np.round(shoulder * 255), 0, 255).astype(np.uint8)


def _saturated(image: Image, saturation: float) -> Image:
    weights = np.array([0.114, 0.587, 0.299])
    matrix = saturation * np.eye(3) + (1 - saturation) * np.tile(weights, (3, 1))
    return np.asarray(cv2.transform(image, matrix.astype(np.float32)), np.uint8)


def _noise_tiles(lens: Lens, size_wh_px: tuple[int, int], seed: int) -> list[NoiseTile]:
    """Return four tiles of noise slightly larger than the picture; shifts make many variants of them."""
    if lens.noise < 0.2:
        return []
    width, height = size_wh_px[0] + 64, size_wh_px[1] + 64
    cv2.setRNGSeed(seed & 0x7FFFFFFF)
    tiles = []
    for _ in range(2):
        grey = cv2.randn(np.empty((height, width), np.float32), np.zeros(1), np.full(1, lens.noise))
        field = cv2.merge([grey, grey, grey])
        if lens.chroma > 0.05:
            colour = cv2.randn(np.empty((height, width, 3), np.float32), np.zeros(3), np.full(3, lens.noise))
            field = cv2.addWeighted(field, float(np.sqrt(1 - lens.chroma**2)), colour, lens.chroma, 0)
        if lens.noise > 3:
            field = cv2.addWeighted(cv2.GaussianBlur(field, (3, 3), 0.6), 1.6, field, 0, 0)
        tile = np.clip(np.rint(field), -127, 127).astype(np.int8)
        tiles += [tile, np.ascontiguousarray(tile[::-1, ::-1])]
    return tiles
