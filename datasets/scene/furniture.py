"""Build solid things into the still background: boxes, rails, cylinders, sheets.

Everything is drawn as polygons with smooth edges directly into the camera's picture, far faces first. Shadows fall on
what is already drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.datasets.scene.looks import Colour, Light
from thirdcard.datasets.scene.projection import Projector
from thirdcard.datasets.scene.raster import Image, Points, soften, window_around

_SHIFT = 4


def shaded(colour: Sequence[float], factor: float) -> Colour:
    """Return a colour made darker or lighter."""
    value = np.clip(np.asarray(colour, float) * factor, 0, 255)
    return float(value[0]), float(value[1]), float(value[2])


class Backdrop:
    """The still picture while it is being built, without the room's light."""

    def __init__(self, image: Image, projector: Projector, light: Light) -> None:
        self.image = image
        self.projector = projector
        self.light = light

    def fill(self, points_px: Points, colour: Sequence[float]) -> None:
        """Fill a polygon with smooth edges."""
        fixed = np.round(points_px * (1 << _SHIFT)).astype(np.int32)
        cv2.fillPoly(self.image, [fixed], tuple(colour), cv2.LINE_AA, _SHIFT)

    def shadow(self, footprint_mm: Points, *, height_mm: float, strength: float | None = None) -> None:
        """Darken the cloth by the shadow of a thing with this footprint and height."""
        shift = np.array(self.light.lamp_mm) * height_mm
        both = np.concatenate([footprint_mm, footprint_mm + shift]).astype(np.float32)
        hull = cv2.convexHull(both)[:, 0].astype(np.float64)
        points = self.projector.px(hull)
        scale = self.projector.px_per_mm(footprint_mm.mean(axis=0))
        blur = max(height_mm * 0.18 * scale, 1.5)
        window = window_around(points, blur * 3, (self.image.shape[1], self.image.shape[0]))
        if window.is_empty:
            return
        mask = np.zeros((window.y1 - window.y0, window.x1 - window.x0), np.uint8)
        local = np.round((points - [window.x0, window.y0]) * (1 << _SHIFT)).astype(np.int32)
        cv2.fillPoly(mask, [local], 255, cv2.LINE_AA, _SHIFT)
        dark = 1 - soften(mask, blur).astype(np.float32) / 255 * (self.light.shadow if strength is None else strength)
        target = self.image[window.slices]
        target[:] = cv2.multiply(target, cv2.merge([dark, dark, dark]), dtype=cv2.CV_8U)

    def prism(
        self, footprint_mm: Points, colour: Sequence[float], *, top_mm: float, foot_mm: float = 0.0, shadow: bool = True
    ) -> None:
        """Draw an upright prism over a convex footprint in either winding; its sides are shaded by their direction."""
        if shadow and top_mm > 1:
            self.shadow(footprint_mm, height_mm=top_mm)
        low = self.projector.px(footprint_mm, foot_mm)
        high = self.projector.px(footprint_mm, top_mm)
        middle = footprint_mm.mean(axis=0)
        eye = self.projector.eye_mm[:2]
        count = len(footprint_mm)
        sides = []
        for i in range(count):
            j = (i + 1) % count
            centre = (footprint_mm[i] + footprint_mm[j]) / 2
            edge = footprint_mm[j] - footprint_mm[i]
            normal = np.array([edge[1], -edge[0]])
            normal = normal if normal @ (centre - middle) > 0 else -normal
            if normal @ (eye - centre) > 0:
                lit = 0.62 - 0.28 * float(normal @ np.array(self.light.lamp_mm)) / max(
                    float(np.linalg.norm(normal)), 1e-6
                )
                sides.append((float(np.linalg.norm(eye - centre)), i, j, lit))
        for _, i, j, lit in sorted(sides, reverse=True):
            self.fill(np.array([low[i], low[j], high[j], high[i]]), shaded(colour, lit))
        self.fill(high, colour)

    def open_box(self, footprint_mm: Points, colour: Sequence[float], *, top_mm: float, wall_mm: float) -> Points:
        """Draw an open tray with walls; return its floor's footprint."""
        middle = footprint_mm.mean(axis=0)
        size = np.linalg.norm(footprint_mm - middle, axis=1).mean()
        inner = middle + (footprint_mm - middle) * (1 - wall_mm / max(size, 1.0))
        self.prism(footprint_mm, colour, top_mm=top_mm)
        rim = self.projector.px(inner, top_mm)
        floor = self.projector.px(inner, 2.0)
        self.fill(rim, shaded(colour, 0.5))
        eye = self.projector.eye_mm[:2]
        for i in range(len(inner)):
            j = (i + 1) % len(inner)
            centre = (inner[i] + inner[j]) / 2
            edge = inner[j] - inner[i]
            normal = np.array([edge[1], -edge[0]])
            normal = -normal if normal @ (centre - middle) > 0 else normal
            if normal @ (eye - centre) > 0:
                self.fill(np.array([floor[i], floor[j], rim[j], rim[i]]), shaded(colour, 0.72))
        self.fill(floor, shaded(colour, 0.42))
        return np.asarray(inner, np.float64)

    def tube(
        self, line_mm: Points, colour: Sequence[float], *, width_mm: float, height_mm: float, gloss: float
    ) -> None:
        """Draw a padded rail: a bulging strip along a line."""
        ahead = np.gradient(line_mm, axis=0)
        normal = np.column_stack([-ahead[:, 1], ahead[:, 0]])
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-6)
        turns = np.linspace(0.02, np.pi - 0.02, 22)
        lamp = np.array(self.light.lamp_mm)
        lamp = lamp / max(float(np.linalg.norm(lamp)), 1e-6)
        rows = [line_mm + normal * (-np.cos(a) * width_mm / 2) for a in turns]
        strips = [self.projector.px(row, height_mm * np.sin(a)) for row, a in zip(rows, turns, strict=True)]
        tilt = normal @ lamp
        order = list(range(len(turns) - 1))
        middle = len(order) // 2
        for k in sorted(order, key=lambda index: -abs(index - middle)):
            angle = (turns[k] + turns[k + 1]) / 2
            up, side = np.sin(angle), -np.cos(angle)
            for i in range(len(line_mm) - 1):
                facing = up * 0.75 - 0.3 * side * (tilt[i] + tilt[i + 1]) / 2
                factor = 0.35 + 0.75 * max(facing, 0) + gloss * max(facing, 0) ** 12
                quad = np.array([strips[k][i], strips[k][i + 1], strips[k + 1][i + 1], strips[k + 1][i]])
                self._fill_fast(quad, shaded(colour, factor))

    def _fill_fast(self, points_px: Points, colour: Sequence[float]) -> None:
        fixed = np.round(points_px * (1 << _SHIFT)).astype(np.int32)
        cv2.fillConvexPoly(self.image, fixed, tuple(colour), cv2.LINE_8, _SHIFT)
        cv2.polylines(self.image, [fixed], True, tuple(colour), 1, cv2.LINE_8, _SHIFT)

    def cylinder(
        self, at_mm: Sequence[float], colour: Sequence[float], *, radius_mm: float, height_mm: float, hollow: bool
    ) -> None:
        """Draw a glass, a cup or a post."""
        turn = np.linspace(0, 2 * np.pi, 49)[:-1]
        ring = np.asarray(at_mm) + np.column_stack([np.cos(turn), np.sin(turn)]) * radius_mm
        self.prism(ring, colour, top_mm=height_mm)
        if hollow:
            inner = np.asarray(at_mm) + (ring - np.asarray(at_mm)) * 0.86
            self.fill(self.projector.px(inner, height_mm), shaded(colour, 0.6))
            self.fill(self.projector.px(inner, height_mm * 0.75), shaded(colour, 0.8))

    def sheet(self, corners_mm: Points, texture: Image, *, height_mm: float = 0.6) -> None:
        """Draw a flat picture (BGR) on the cloth: paper, a screen, a mat."""
        if height_mm > 0.3:
            self.shadow(corners_mm, height_mm=max(height_mm, 3.0), strength=self.light.shadow * 0.7)
        quad = self.projector.px(corners_mm, height_mm)
        window = window_around(quad, 2, (self.image.shape[1], self.image.shape[0]))
        if window.is_empty:
            return
        height, width = texture.shape[:2]
        wide = max(float(np.linalg.norm(quad[1] - quad[0])), 1.0)
        if width > 2 * wide:
            small = (max(int(2 * wide), 2), max(int(height * 2 * wide / width), 2))
            texture = np.asarray(cv2.resize(texture, small, interpolation=cv2.INTER_AREA), np.uint8)
            height, width = texture.shape[:2]
        opaque = np.dstack([texture, np.full((height, width), 255, np.uint8)])
        source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
        local = ((quad - [window.x0, window.y0] + 0.5) * 2 - 0.5).astype(np.float32)
        size = window.size_wh_px
        big = cv2.warpPerspective(opaque, cv2.getPerspectiveTransform(source, local), (size[0] * 2, size[1] * 2))
        small_picture = np.asarray(cv2.resize(big, size, interpolation=cv2.INTER_AREA), np.float32)
        share = small_picture[:, :, 3:4] / 255.0
        target = self.image[window.slices]
        target[:] = np.round(target * (1 - share) + small_picture[:, :, :3]).clip(0, 255).astype(np.uint8)


def oriented(at_mm: npt.ArrayLike, size_mm: Sequence[float], angle_deg: float) -> Points:
    """Return the corners of a rectangle (top left, top right, bottom right, bottom left), rotated clockwise."""
    a = np.radians(angle_deg)
    right, down = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])
    w, h = size_mm[0] / 2, size_mm[1] / 2
    centre = np.asarray(at_mm, float)
    return np.array(
        [
            centre - right * w - down * h,
            centre + right * w - down * h,
            centre + right * w + down * h,
            centre - right * w + down * h,
        ]
    )
