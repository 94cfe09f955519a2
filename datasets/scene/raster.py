"""Paint sprites, polygons and soft shadows into small windows of a picture.

Pictures are uint8 BGR; sprites are uint8 BGRA with premultiplied alpha. A `Patch` is what one thing adds to a
picture: `picture * keep / 255 + add` inside its window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
Points = npt.NDArray[np.float64]
FloatImage = npt.NDArray[np.float32]

_SHIFT = 4


@dataclass(frozen=True, slots=True)
class Window:
    """A rectangle of pixels, its far edges excluded."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def size_wh_px(self) -> tuple[int, int]:
        """Width and height."""
        return self.x1 - self.x0, self.y1 - self.y0

    @property
    def is_empty(self) -> bool:
        """Whether nothing is inside."""
        return self.x1 <= self.x0 or self.y1 <= self.y0

    @property
    def slices(self) -> tuple[slice, slice]:
        """Index of the window in a picture."""
        return slice(self.y0, self.y1), slice(self.x0, self.x1)

    def joined(self, other: Window) -> Window:
        """Return the smallest window that contains both."""
        return Window(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))


def window_around(points_px: Points, margin_px: float, size_wh_px: tuple[int, int]) -> Window:
    """Return the window round points with a margin, clipped to the picture."""
    low = np.floor(points_px.min(axis=0) - margin_px).astype(int)
    high = np.ceil(points_px.max(axis=0) + margin_px).astype(int) + 1
    x0, y0 = max(int(low[0]), 0), max(int(low[1]), 0)
    return Window(x0, y0, max(min(int(high[0]), size_wh_px[0]), x0), max(min(int(high[1]), size_wh_px[1]), y0))


@dataclass(frozen=True, slots=True)
class Patch:
    """The effect of one thing on a picture."""

    window: Window
    keep: Image
    """(h, w, 3): share of the underlying picture that stays, of 255."""
    add: Image
    """(h, w, 3): light added."""

    def apply(self, image: Image, *, origin_xy_px: tuple[int, int] = (0, 0)) -> None:
        """Paint it into a picture, or into a part of one that begins at the origin."""
        ox, oy = origin_xy_px
        height, width = image.shape[:2]
        x0, y0 = max(self.window.x0, ox), max(self.window.y0, oy)
        x1, y1 = min(self.window.x1, ox + width), min(self.window.y1, oy + height)
        if x1 <= x0 or y1 <= y0:
            return
        own = (slice(y0 - self.window.y0, y1 - self.window.y0), slice(x0 - self.window.x0, x1 - self.window.x0))
        target = image[y0 - oy : y1 - oy, x0 - ox : x1 - ox]
        kept = cv2.multiply(target, self.keep[own], scale=1.0 / 255.0)
        cv2.add(kept, self.add[own], dst=target)


class Sprite:
    """A picture with premultiplied alpha in several sizes, to be warped without aliasing."""

    def __init__(self, bgra: Image, *, premultiplied: bool = False) -> None:
        base = bgra if premultiplied else premultiply(bgra)
        self.levels: list[Image] = [base]
        """From the largest down, each two thirds of the previous size; made when first asked for."""

    def fitting(self, width_px: float) -> Image:
        """Return the smallest size that is at least as wide as asked."""
        i = 0
        while i < 7:
            height, width = self.levels[i].shape[:2]
            if width / 1.5 < width_px or min(height, width) <= 24:
                break
            i += 1
            if i == len(self.levels):
                size = (max(round(width / 1.5), 1), max(round(height / 1.5), 1))
                smaller = cv2.resize(self.levels[i - 1], size, interpolation=cv2.INTER_AREA)
                self.levels.append(np.asarray(smaller, np.uint8))
        return self.levels[i]


def premultiply(bgra: Image) -> Image:
    """Multiply the colours by alpha."""
    alpha = np.repeat(bgra[:, :, 3:4], 3, axis=2)
    colour = cv2.multiply(np.ascontiguousarray(bgra[:, :, :3]), alpha, scale=1.0 / 255.0)
    return np.dstack([colour, bgra[:, :, 3]]).astype(np.uint8)


class Brush:
    """Draws one thing in a window at a multiple of its size, and converts the drawing into a patch."""

    def __init__(self, window: Window, *, factor: int = 2) -> None:
        self.window = window
        self.factor = factor
        width, height = window.size_wh_px
        self._big: Image = np.zeros((height * factor, width * factor, 4), np.uint8)
        self._shade: Image = np.full((height, width), 255, np.uint8)

    def _local(self, points_px: Points) -> Points:
        origin = np.array([self.window.x0, self.window.y0], dtype=np.float64)
        return (points_px - origin + 0.5) * self.factor - 0.5

    def polygon(self, points_px: Points, bgr: Sequence[float]) -> None:
        """Fill a polygon, opaque."""
        fixed = np.round(self._local(points_px) * (1 << _SHIFT)).astype(np.int32)
        colour = (float(bgr[0]), float(bgr[1]), float(bgr[2]), 255.0)
        cv2.fillPoly(self._big, [fixed], colour, lineType=cv2.LINE_8, shift=_SHIFT)

    def quad(self, sprite: Sprite, quad_px: Points, *, opacity: float = 1.0) -> None:
        """Warp a sprite onto four corners (top left, top right, bottom right, bottom left of the sprite)."""
        local = self._local(quad_px)
        wide = max(float(np.linalg.norm(local[1] - local[0])), float(np.linalg.norm(local[2] - local[3])), 1.0)
        texture = sprite.fitting(wide)
        height, width = texture.shape[:2]
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
        matrix = cv2.getPerspectiveTransform(corners, local.astype(np.float32))
        size = (self._big.shape[1], self._big.shape[0])
        warped = np.asarray(cv2.warpPerspective(texture, matrix, size, flags=cv2.INTER_LINEAR), np.uint8)
        if opacity < 1.0:
            warped = np.asarray(cv2.convertScaleAbs(warped, alpha=opacity), np.uint8)
        self.over(warped, window_around(local, 2.0, size))

    def over(self, premultiplied: Image, part: Window) -> None:
        """Draw a premultiplied picture of the brush's own size over the drawing; outside the part it is empty."""
        if part.is_empty:
            return
        layer, drawn = premultiplied[part.slices], self._big[part.slices]
        rest = cv2.bitwise_not(layer[:, :, 3])
        kept = cv2.multiply(drawn, cv2.merge([rest, rest, rest, rest]), scale=1.0 / 255.0)
        cv2.add(kept, layer, dst=drawn)

    def tint(self, factors: FloatImage) -> None:
        """Multiply the drawn colours by (h, w) or (h, w, 3) factors of the window's size."""
        size = (self._big.shape[1], self._big.shape[0])
        big = cv2.resize(factors, size, interpolation=cv2.INTER_LINEAR)
        if big.ndim == 2:
            big = np.repeat(big[:, :, None], 3, axis=2)
        self._big[:, :, :3] = cv2.multiply(np.ascontiguousarray(self._big[:, :, :3]), big, dtype=cv2.CV_8U)

    def shadow(self, points_px: Points, *, blur_px: float, strength: float) -> None:
        """Darken what lies beneath, inside a polygon with soft edges."""
        mask = np.zeros(self._shade.shape, np.uint8)
        origin = np.array([self.window.x0, self.window.y0], dtype=np.float64)
        fixed = np.round((points_px - origin) * (1 << _SHIFT)).astype(np.int32)
        cv2.fillPoly(mask, [fixed], 255, lineType=cv2.LINE_AA, shift=_SHIFT)
        soft = soften(mask, blur_px)
        dark = cv2.LUT(soft, (255 - np.arange(256) * min(max(strength, 0.0), 1.0)).astype(np.uint8))
        self._shade = np.asarray(cv2.multiply(self._shade, dark, scale=1.0 / 255.0), np.uint8)

    def patch(self, light: FloatImage | None = None, *, shine: FloatImage | None = None) -> Patch:
        """Return the drawing as a patch, scaled down and put into the window's light.

        Args:
            light: (h, w, 3) factors on the colours.
            shine: (h, w), 0 to 1: a highlight on what is drawn.
        """
        width, height = self.window.size_wh_px
        small = cv2.resize(self._big, (width, height), interpolation=cv2.INTER_AREA)
        colour = np.ascontiguousarray(small[:, :, :3])
        if light is not None:
            colour = np.asarray(cv2.multiply(colour, light, dtype=cv2.CV_8U), np.uint8)
        if shine is not None:
            glow = np.asarray(cv2.multiply(small[:, :, 3], shine, dtype=cv2.CV_8U), np.uint8)
            colour = np.asarray(cv2.add(colour, cv2.merge([glow, glow, glow])), np.uint8)
        keep = cv2.multiply(cv2.bitwise_not(np.ascontiguousarray(small[:, :, 3])), self._shade, scale=1.0 / 255.0)
        return Patch(self.window, np.asarray(cv2.merge([keep, keep, keep]), np.uint8), np.asarray(colour, np.uint8))


def soften(mask: Image, blur_px: float) -> Image:
    """Blur a mask; wide blurs are done on a smaller copy."""
    if blur_px < 0.3:
        return mask
    if blur_px > 6 and min(mask.shape[:2]) > 16:
        step = max(int(blur_px / 3), 2)
        size = (max(mask.shape[1] // step, 2), max(mask.shape[0] // step, 2))
        small = cv2.resize(mask, size, interpolation=cv2.INTER_AREA)
        small = cv2.GaussianBlur(small, (0, 0), blur_px / step)
        return np.asarray(cv2.resize(small, (mask.shape[1], mask.shape[0]), interpolation=cv2.INTER_LINEAR), np.uint8)
    return np.asarray(cv2.GaussianBlur(mask, (0, 0), blur_px), np.uint8)


def smooth_noise(rng: np.random.Generator, size_wh_px: tuple[int, int], grain_px: float) -> FloatImage:
    """Return noise of mean 0 and a deviation of about 1 that varies over `grain_px`."""
    width, height = size_wh_px
    small_wh = (max(int(width / grain_px), 2) + 2, max(int(height / grain_px), 2) + 2)
    small = rng.standard_normal((small_wh[1], small_wh[0])).astype(np.float32)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), np.float32)


def fine_grid(grid: FloatImage, step: int, size_wh_px: tuple[int, int]) -> list[FloatImage]:
    """Interpolate a map of two channels known at every `step`-th pixel to all pixels; return one array per channel."""
    width, height = size_wh_px
    at_x, at_y = np.meshgrid(np.arange(width, dtype=np.float32) / step, np.arange(height, dtype=np.float32) / step)
    channels = [np.ascontiguousarray(grid[:, :, k]) for k in (0, 1)]
    return [np.asarray(cv2.remap(channel, at_x, at_y, cv2.INTER_LINEAR), np.float32) for channel in channels]


def bgr_from_hex(text: str) -> tuple[float, float, float]:
    """Parse `#rrggbb` as BGR."""
    value = int(text.lstrip("#"), 16)
    return float(value & 255), float(value >> 8 & 255), float(value >> 16 & 255)


def mixed(first: Sequence[float], second: Sequence[float], share: float) -> tuple[float, float, float]:
    """Blend two colours; share 0 gives the first."""
    a = np.asarray(first, float) * (1 - share) + np.asarray(second, float) * share
    return float(a[0]), float(a[1]), float(a[2])
