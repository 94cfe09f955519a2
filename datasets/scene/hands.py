"""Model a hand with its arm as a sprite: a field of heights over smooth capsules, shaded from above.

Sprite frame: u runs across the arm, v from the finger tips (0) towards the shoulder, millimetres; pixel (x, y) has
its centre at u = (x + 0.5) / SCALE - WIDTH_MM / 2, v = (y + 0.5) / SCALE - FRONT_MM.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.datasets.scene.looks import Colour
from thirdcard.datasets.scene.raster import FloatImage, Image, Points, Sprite, bgr_from_hex, smooth_noise

SCALE = 1.6
"""Pixels per millimetre."""
WIDTH_MM = 230.0
FRONT_MM = 14.0
LENGTH_MM = 560.0
"""Length of a sprite; from `SLEEVE_MM` on it is a uniform tube that may be repeated."""
SLEEVE_MM = 400.0

_SKINS = ("#f3d3bd", "#e8bfa0", "#d9a47e", "#c68863", "#a86b48", "#8a5436", "#6b3e27", "#4d2c1d", "#efc7ae", "#b97f5c")
_DEALER_SLEEVES = ("#15161a", "#f0f0ee", "#1d2540", "#3a0f14", "#e8e4da", "#24382c", "#5a5a60")
_SLEEVES = (*_DEALER_SLEEVES, "#7a8aa8", "#a83c32", "#b8b09a", "#365a8a", "#d8c070", "#402a50", "#88a890", "#d0d4dc")

Joint = tuple[float, float, float]
"""u, v, height of a capsule's end, mm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmSprite:
    """An arm's two layers: the whole, drawn over a held thing if the fingers are above it, and the thumb alone."""

    whole: Sprite
    thumb: Sprite
    outline_mm: Points
    """(N, 2) u, v of the silhouette."""
    thumb_over: bool
    """Whether a held thing lies over the fingers and under the thumb."""


class _Field:
    """Height and coverage maps of a union of capsules."""

    def __init__(self, length_mm: float) -> None:
        self.shape = (int((length_mm + FRONT_MM) * SCALE), int(WIDTH_MM * SCALE))
        self.height: FloatImage = np.full(self.shape, -60, np.float32)
        self.cover: FloatImage = np.zeros(self.shape, np.float32)

    def capsule(self, start: Joint, end: Joint, radii: tuple[float, float], *, flat: float = 1.0) -> None:
        """Add a tapered capsule; `flat` scales how far it bulges."""
        reach = max(radii) + 3
        low_u, high_u = min(start[0], end[0]) - reach, max(start[0], end[0]) + reach
        low_v, high_v = min(start[1], end[1]) - reach, max(start[1], end[1]) + reach
        x0, x1 = (max(int((u + WIDTH_MM / 2) * SCALE), 0) for u in (low_u, high_u))
        y0, y1 = (max(int((v + FRONT_MM) * SCALE), 0) for v in (low_v, high_v))
        x1, y1 = min(x1, self.shape[1]), min(y1, self.shape[0])
        if x1 <= x0 or y1 <= y0:
            return
        u = (np.arange(x0, x1, dtype=np.float32) + 0.5) / SCALE - WIDTH_MM / 2
        v = ((np.arange(y0, y1, dtype=np.float32) + 0.5) / SCALE - FRONT_MM)[:, None]
        du, dv = end[0] - start[0], end[1] - start[1]
        along = np.clip(((u - start[0]) * du + (v - start[1]) * dv) / max(du * du + dv * dv, 1e-6), 0, 1)
        away = np.sqrt((u - start[0] - along * du) ** 2 + (v - start[1] - along * dv) ** 2)
        radius = radii[0] + (radii[1] - radii[0]) * along
        base = start[2] + (end[2] - start[2]) * along
        bulge = np.sqrt(np.clip(radius**2 - away**2, 0, None)) * flat
        inside = np.clip((radius - away) * SCALE + 0.5, 0, 1).astype(np.float32)
        target = self.height[y0:y1, x0:x1]
        target[:] = np.where(inside > 0, np.maximum(target, (base + bulge).astype(np.float32)), target)
        cover = self.cover[y0:y1, x0:x1]
        np.maximum(cover, inside, out=cover)

    def with_part(self, part: _Field) -> _Field:
        """Return this map joined with a shorter one."""
        whole = _Field(LENGTH_MM)
        rows = part.shape[0]
        whole.height, whole.cover = self.height.copy(), self.cover.copy()
        np.maximum(whole.height[:rows], part.height, out=whole.height[:rows])
        np.maximum(whole.cover[:rows], part.cover, out=whole.cover[:rows])
        return whole

    def shading(self, rows: slice, *, blur_px: float) -> FloatImage:
        """Return brightness factors from the slope and from creases, for some rows of the sprite."""
        covered, raised = self.cover[rows], self.height[rows]
        solid = covered > 0.5
        low = float(raised[solid].min()) if solid.any() else 0.0
        height = np.where(covered > 0.01, raised, np.float32(low - 4))
        smooth = np.asarray(cv2.GaussianBlur(height, (0, 0), blur_px), np.float32)
        gx = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=SCALE / 8)
        gy = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=SCALE / 8)
        facing = (1 + 0.25 * gx + 0.2 * gy) / np.sqrt(1 + gx * gx + gy * gy) / 1.02
        crease = cv2.blur(cv2.blur(height, (15, 15)), (9, 9)) - height
        return np.asarray((0.42 + 0.62 * np.clip(facing, 0, 1.2)) * np.clip(1 - 0.035 * crease, 0.45, 1.08), np.float32)


@lru_cache(maxsize=1)
def _grain() -> tuple[FloatImage, FloatImage]:
    """Return fine and blotchy noise, of which every arm uses another cut-out."""
    rng = np.random.default_rng(97)
    size = (int(WIDTH_MM * SCALE) + 200, int((LENGTH_MM + FRONT_MM) * SCALE) + 200)
    fine = cv2.GaussianBlur(rng.standard_normal((size[1], size[0]), dtype=np.float32), (0, 0), 0.9)
    return np.asarray(fine, np.float32), smooth_noise(rng, size, 9 * SCALE)


def _grain_cut(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[FloatImage, FloatImage]:
    dy, dx = int(rng.integers(200)), int(rng.integers(200))
    fine, blotch = _grain()
    cut = (slice(dy, dy + shape[0]), slice(dx, dx + shape[1]))
    return fine[cut], blotch[cut]


def arm_sprite(*, seed: int, pose: str, is_dealer: bool) -> ArmSprite:
    """Model an arm; equal arguments give the same arm."""
    rng = np.random.default_rng([seed & 0x7FFFFFFF, 53])
    size = float(rng.uniform(0.88, 1.12))
    mirror = -1.0 if rng.random() < 0.5 else 1.0
    skin = bgr_from_hex(str(rng.choice(_SKINS)))
    sleeve = bgr_from_hex(str(rng.choice(_DEALER_SLEEVES if is_dealer else _SLEEVES)))
    bare = not is_dealer and rng.random() < 0.3
    cuff_mm = (float(rng.uniform(290, 340)) if bare else float(rng.uniform(195, 250))) * size
    fingers, thumb, arm = _Field(LENGTH_MM), _Field(260.0), _Field(LENGTH_MM)
    nails = _fingers(fingers, pose, rng, size=size, mirror=mirror)
    nails.append(_thumb(thumb, pose, size=size, mirror=mirror))
    _forearm(fingers, size=size)
    style = _sleeve(rng, sleeve, cuff_mm, is_dealer=is_dealer)
    _sleeve_shape(arm, style, size=size, rng=rng)
    flesh = fingers.with_part(thumb)
    drawn = _painted(flesh, skin, nails, until_mm=cuff_mm + 40, rng=rng)
    dressed = _dressed(drawn, flesh, arm, style, rng)
    alone = _painted(thumb, skin, nails[-1:], until_mm=250.0, rng=rng)
    return ArmSprite(
        whole=Sprite(dressed),
        thumb=Sprite(alone),
        outline_mm=_outline(dressed[:, :, 3]),
        thumb_over=bool(rng.random() < 0.4),
    )


def _fingers(field: _Field, pose: str, rng: np.random.Generator, *, size: float, mirror: float) -> list[Joint]:
    knuckles = ((-31.0, 92.0), (-10.5, 84.0), (10.5, 87.0), (30.0, 97.0))
    tips = {
        "palm": ((-58.0, 22.0), (-19.0, 0.0), (16.0, 4.0), (54.0, 30.0)),
        "grip": ((-17.0, 18.0), (-4.0, 6.0), (9.0, 9.0), (20.0, 24.0)),
    }.get(pose, ((-25.0, 12.0), (-9.0, 0.0), (8.0, 4.0), (24.0, 20.0)))
    drop = {"palm": 4.0, "grip": 26.0}.get(pose, 11.0)
    nails = []
    for i, (knuckle, tip) in enumerate(zip(knuckles, tips, strict=True)):
        end = np.array(tip) + rng.normal(0, 3.5, 2) * (0 if i == 1 else 1)
        start = np.array(knuckle)
        bow = np.array([np.sign(start[0]) * (5.0 if pose == "grip" else 1.5), 0.0])
        line = [start + (end - start) * share + bow * np.sin(share * np.pi) for share in (0.0, 0.5, 0.8, 1.0)]
        radii = (10.2, 9.2, 8.3, 7.0) if i < 3 else (9.0, 8.0, 7.2, 6.0)
        heights = [0.0, -drop * 0.2, -drop * 0.6, -drop]
        for k in range(3):
            a = (line[k][0] * mirror * size, line[k][1] * size, heights[k])
            b = (line[k + 1][0] * mirror * size, line[k + 1][1] * size, heights[k + 1])
            field.capsule(a, b, (radii[k] * size, radii[k + 1] * size))
        wrist = (start[0] * 0.55 * mirror * size, 168.0 * size, 0.0)
        field.capsule((start[0] * mirror * size, start[1] * size, 2.0), wrist, (12.5 * size, 16.0 * size), flat=0.75)
        nails.append((line[3][0] * mirror * size, (line[3][1] + 1.0) * size, 5.4 * size))
    return nails


def _thumb(field: _Field, pose: str, *, size: float, mirror: float) -> Joint:
    line = {
        "palm": ((-34.0, 150.0), (-64.0, 122.0), (-82.0, 92.0)),
        "grip": ((-34.0, 148.0), (-50.0, 98.0), (-22.0, 38.0)),
    }.get(pose, ((-34.0, 150.0), (-50.0, 118.0), (-47.0, 84.0)))
    radii = (15.0, 11.0, 8.5)
    for k in range(2):
        a = (line[k][0] * mirror * size, line[k][1] * size, -3.0)
        b = (line[k + 1][0] * mirror * size, line[k + 1][1] * size, -4.0)
        field.capsule(a, b, (radii[k] * size, radii[k + 1] * size))
    return line[2][0] * mirror * size, (line[2][1] + 2) * size, 6.2 * size


def _forearm(field: _Field, *, size: float) -> None:
    field.capsule((0, 160 * size, 0), (0, 190 * size, 0), (29 * size, 27 * size), flat=0.6)
    field.capsule((0, 190 * size, 0), (0, 350 * size, 5), (27 * size, 40 * size), flat=0.7)
    field.capsule((0, 350 * size, 5), (0, LENGTH_MM + 60, 5), (40 * size, 40 * size), flat=0.7)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sleeve:
    colour: Colour
    cuff_mm: float
    shirt: bool
    watch: bool
    pitch_mm: float
    stripe: float
    check: float


def _sleeve(rng: np.random.Generator, colour: Colour, cuff_mm: float, *, is_dealer: bool) -> _Sleeve:
    patterned = rng.random() < (0.1 if is_dealer else 0.4)
    return _Sleeve(
        colour=colour,
        cuff_mm=cuff_mm,
        shirt=bool(rng.random() < 0.4) and cuff_mm < 280,
        watch=bool(rng.random() < 0.35) and cuff_mm < 280,
        pitch_mm=float(rng.uniform(5, 22)),
        stripe=float(rng.uniform(0.1, 0.5)) if patterned else 0.0,
        check=float(rng.uniform(0.1, 0.5)) if patterned and rng.random() < 0.5 else 0.0,
    )


def _sleeve_shape(field: _Field, style: _Sleeve, *, size: float, rng: np.random.Generator) -> None:
    width, wide = float(rng.uniform(36, 46)) * size, float(rng.uniform(50, 70)) * size
    start = style.cuff_mm + width * 0.9
    end = max(SLEEVE_MM, start + 20)
    field.capsule((0, start, 6), (0, end, 8), (width, wide), flat=0.75)
    field.capsule((0, end, 8), (0, LENGTH_MM + 80, 8), (wide, wide), flat=0.75)
    cut = int((style.cuff_mm + FRONT_MM) * SCALE)
    field.cover[:cut] = 0
    folds = smooth_noise(rng, (field.shape[1], field.shape[0]), float(rng.uniform(14, 30)) * SCALE)
    field.height = np.asarray(field.height + float(rng.uniform(1.5, 5)) * folds, np.float32)


def _row(v_mm: float) -> int:
    return max(int((v_mm + FRONT_MM) * SCALE), 0)


def _painted(field: _Field, skin: Colour, nails: list[Joint], *, until_mm: float, rng: np.random.Generator) -> Image:
    """Paint skin up to a distance along the arm; the rest stays transparent."""
    rows = slice(0, min(_row(until_mm), field.shape[0]))
    fine, blotch = _grain_cut(rng, (rows.stop, field.shape[1]))
    light = field.shading(rows, blur_px=1.6) * (1 + 0.05 * fine)
    tones = [
        light * (1 + blotch * share) * np.float32(tone) for share, tone in zip((0.035, 0.03, 0.012), skin, strict=True)
    ]
    colour = np.asarray(cv2.merge(tones), np.float32)
    for u, v, radius in nails:
        _nail(colour, (u, v + 3), radius, sum(skin) / 520)
    out = np.zeros((*field.shape, 4), np.uint8)
    out[rows, :, :3] = np.clip(colour, 0, 255)
    out[rows, :, 3] = np.round(field.cover[rows] * 255)
    return out


def _nail(colour: FloatImage, at_mm: tuple[float, float], radius_mm: float, bright: float) -> None:
    x, y = int((at_mm[0] + WIDTH_MM / 2) * SCALE), _row(at_mm[1])
    reach = int(radius_mm * SCALE) + 5
    target = colour[max(y - reach, 0) : y + reach, max(x - reach, 0) : x + reach]
    mask = np.zeros(target.shape[:2], np.uint8)
    centre = (x - max(x - reach, 0), y - max(y - reach, 0))
    axes = (max(int(radius_mm * 0.62 * SCALE), 1), max(int(radius_mm * SCALE), 1))
    cv2.ellipse(mask, centre, axes, 0, 0, 360, 255, -1, cv2.LINE_AA)
    share = cv2.GaussianBlur(mask, (0, 0), 0.8).astype(np.float32)[:, :, None] / 255 * 0.35
    target += (np.array([185, 190, 215], np.float32) * bright - target) * share


def _dressed(drawn: Image, flesh: _Field, arm: _Field, style: _Sleeve, rng: np.random.Generator) -> Image:
    """Add cuff, watch and sleeve to a painted arm, in place."""
    _cuff(drawn, flesh, style)
    rows = slice(_row(style.cuff_mm), flesh.shape[0])
    fine, _ = _grain_cut(rng, (rows.stop - rows.start, flesh.shape[1]))
    light = arm.shading(rows, blur_px=2.5) * (1 + 0.06 * fine) * _weave(style, rows, flesh.shape[1])
    cloth = np.clip(cv2.merge([light * np.float32(tone) for tone in style.colour]), 0, 255)
    share = arm.cover[rows][:, :, None]
    target = drawn[rows]
    target[:, :, :3] = target[:, :, :3] * (1 - share) + cloth * share
    target[:, :, 3] = np.maximum(target[:, :, 3], np.round(share[:, :, 0] * 255))
    return drawn


def _weave(style: _Sleeve, rows: slice, width: int) -> FloatImage:
    """Return the brightness factors of a sleeve's stripes or checks."""
    x, y = (
        np.arange(width, dtype=np.float32) / SCALE,
        np.arange(rows.start, rows.stop, dtype=np.float32)[:, None] / SCALE,
    )
    along = np.where((x % style.pitch_mm) < style.pitch_mm * 0.4, 1 - style.stripe, 1.0)
    across = np.where((y % style.pitch_mm) < style.pitch_mm * 0.4, 1 - style.check, 1.0)
    return np.asarray(along * across, np.float32)


def _cuff(drawn: Image, flesh: _Field, style: _Sleeve) -> None:
    """Paint what is at the sleeve's end: its shadow, a shirt's cuff, a watch."""
    start = _row(style.cuff_mm - 60)
    rows = slice(start, min(_row(style.cuff_mm + 25), flesh.shape[0]))
    v = (np.arange(rows.start, rows.stop) + 0.5) / SCALE - FRONT_MM
    cover, light = flesh.cover[rows] > 0.2, flesh.shading(rows, blur_px=2)
    target = drawn[rows]
    if style.watch:
        band = (np.abs(v - (style.cuff_mm - 16)) < 8)[:, None] & cover
        target[band, :3] = np.array([40, 42, 46], np.float32) * np.clip(light[band][:, None], 0, 1.2)
        centre = (int(WIDTH_MM / 2 * SCALE), _row(style.cuff_mm - 16) - start)
        cv2.circle(target, centre, int(15 * SCALE), (150, 165, 175, 255), -1, cv2.LINE_AA)
        cv2.circle(target, centre, int(12 * SCALE), (60, 50, 45, 255), -1, cv2.LINE_AA)
    dark = np.clip(1 - 0.45 * np.exp(-((v - style.cuff_mm) ** 2) / 90.0), 0, 1)
    target[:, :, :3] = target[:, :, :3] * dark[:, None, None]
    if style.shirt:
        band = ((v > style.cuff_mm - 12) & (v <= style.cuff_mm + 2))[:, None] & cover
        target[band, :3] = np.array([215, 218, 218], np.float32) * np.clip(light[band][:, None], 0.3, 1.1)


def _outline(alpha: npt.NDArray[np.uint8]) -> Points:
    contours, _ = cv2.findContours((alpha > 127).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    longest = max(contours, key=cv2.contourArea)
    thin = cv2.approxPolyDP(longest, 1.0, True)[:, 0].astype(np.float64)
    return np.asarray((thin + 0.5) / SCALE - [WIDTH_MM / 2, FRONT_MM], np.float64)
