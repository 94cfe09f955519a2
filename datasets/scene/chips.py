"""Draw chips: faces with rings, edge spots and value, and stacks as cylinders seen from above."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from thirdcard.calibration.chips import Chip, ChipSet
from thirdcard.datasets.scene.cloth import text_mask
from thirdcard.datasets.scene.furniture import shaded
from thirdcard.datasets.scene.looks import Colour
from thirdcard.datasets.scene.raster import Brush, Image, Points, Sprite, bgr_from_hex, mixed

FACE_PX = 192
_SPOTS = {
    "train": ("#f2efe6", "#f2efe6", "#f4d34a", "#1c1c1c", "#e05a2a", "#3aa0e0", "#d8a0d0", "#58c070"),
    "held_out": ("#ffffff", "#f0b070", "#103060", "#a0e0d0"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipLook:
    """The face and edge of one denomination."""

    face: Sprite
    base: Colour
    spot: Colour
    second: Colour
    count: int
    width: float
    """Half the angle of an edge spot, radians."""


def chip_looks(chips: ChipSet, seed: int, *, split: str) -> tuple[ChipLook, ...]:
    """Design every denomination; chips of one set share a pattern."""
    rng = np.random.default_rng([seed, 41])
    designs = ("ring", "square", "plain", "scallop", "hex") if split != "held_out" else ("octagon", "dots")
    design = str(rng.choice(designs))
    count = int(rng.choice([3, 4, 6, 8] if split != "held_out" else [5, 10]))
    width = float(rng.uniform(0.1, 0.8 * np.pi / count / 1.2))
    spots = _SPOTS.get(split, _SPOTS["train"])
    common = bool(rng.random() < 0.5)
    shared = bgr_from_hex(str(rng.choice(spots)))
    looks = []
    for chip in chips.chips:
        base = (float(chip.colour_rgb[2]), float(chip.colour_rgb[1]), float(chip.colour_rgb[0]))
        spot = shared if common else bgr_from_hex(str(rng.choice(spots)))
        if np.abs(np.array(base) - np.array(spot)).sum() < 120:
            spot = (235.0, 240.0, 242.0) if sum(base) < 380 else (30.0, 30.0, 30.0)
        second = mixed(spot, base, 0.5) if rng.random() < 0.6 else bgr_from_hex(str(rng.choice(spots)))
        looks.append(_look(chip, _Design(base, spot, second, count, width, design, seed)))
    return tuple(looks)


@dataclass(frozen=True, slots=True)
class _Design:
    base: Colour
    spot: Colour
    second: Colour
    count: int
    width: float
    name: str
    seed: int


def _look(chip: Chip, design: _Design) -> ChipLook:
    sample = cv2.imread(str(chip.sample_path)) if chip.sample_path is not None else None
    if sample is None:
        face = _face(chip, design)
    else:
        face = np.asarray(cv2.resize(sample, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA), np.uint8)
    return ChipLook(
        face=Sprite(_cut_round(face)),
        base=design.base,
        spot=design.spot,
        second=design.second,
        count=design.count,
        width=design.width,
    )


def _cut_round(face: Image) -> Image:
    mask = np.zeros(face.shape[:2], np.uint8)
    cv2.circle(mask, (FACE_PX * 8 - 8, FACE_PX * 8 - 8), FACE_PX * 8 - 8, 255, -1, cv2.LINE_AA, 4)
    return np.dstack([face, mask]).astype(np.uint8)


def _face(chip: Chip, design: _Design) -> Image:
    base, spot, count, width = design.base, design.spot, design.count, design.width
    rng = np.random.default_rng([design.seed, 43])
    n = FACE_PX * 2
    image = np.empty((n, n, 3), np.uint8)
    image[:] = np.round(base).astype(np.uint8)
    c, r = n / 2, n / 2
    for k in range(count):
        middle = 2 * np.pi * k / count
        _wedge(image, middle, width, (0.68, 1.0), spot)
        _wedge(image, middle + np.pi / count, width * 0.35, (0.78, 1.0), design.second)
    inner = float(rng.uniform(0.5, 0.66))
    ring = mixed(base, (255, 255, 255), 0.15) if rng.random() < 0.5 else mixed(base, (0, 0, 0), 0.25)
    cv2.circle(image, (int(c), int(c)), int(r * (inner + 0.08)), ring, -1, cv2.LINE_AA)
    pale = (232.0, 238.0, 240.0)
    inlay = pale if rng.random() < 0.6 else mixed(base, pale, 0.25)
    sides = {"square": 4, "hex": 6, "octagon": 8, "scallop": 24, "ring": 60, "plain": 60, "dots": 60}[design.name]
    turn = np.arange(sides) * 2 * np.pi / sides + np.pi / sides
    bump = np.where(np.arange(sides) % 2, 0.93, 1.0) if design.name == "scallop" else np.ones(sides)
    outline = np.column_stack([np.cos(turn), np.sin(turn)]) * (r * inner * bump)[:, None] + c
    cv2.fillPoly(image, [outline.astype(np.int32)], base if design.name == "plain" else inlay, cv2.LINE_AA)
    if design.name == "dots":
        for k in range(12):
            at = np.array([np.cos(k * np.pi / 6), np.sin(k * np.pi / 6)]) * r * 0.6 + c
            cv2.circle(image, (int(at[0]), int(at[1])), int(r * 0.05), spot, -1, cv2.LINE_AA)
    ink = spot if design.name == "plain" else mixed(base, (10, 10, 10), 0.5)
    if np.abs(np.array(ink) - np.array(inlay)).sum() < 150 and design.name != "plain":
        ink = (25.0, 25.0, 25.0)
    _numeral(image, _value_text(chip.value), ink, size=0.42 * inner, font=int(rng.integers(100)))
    cv2.circle(image, (int(c), int(c)), int(r) - 2, shaded(base, 0.75), max(n // 90, 1), cv2.LINE_AA)
    return np.asarray(cv2.resize(image, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA), np.uint8)


def _value_text(value: int) -> str:
    if value >= 10000 and value % 1000 == 0:
        return f"{value // 1000}K"
    return str(value)


def _wedge(image: Image, middle: float, half: float, radii: tuple[float, float], colour: Colour) -> None:
    n = image.shape[0]
    arc = np.linspace(middle - half, middle + half, 12)
    rim = np.column_stack([np.cos(arc), np.sin(arc)])
    points = np.concatenate([rim * radii[1], rim[::-1] * radii[0]]) * n / 2 + n / 2
    cv2.fillPoly(image, [points.astype(np.int32)], colour, cv2.LINE_AA)


def _numeral(image: Image, text: str, colour: Colour, *, size: float, font: int) -> None:
    n = image.shape[0]
    mask = text_mask(text, int(n * size), font)
    wide = n * 0.62 * 0.85
    if mask.shape[1] > wide:
        small = (int(wide), max(int(mask.shape[0] * wide / mask.shape[1]), 1))
        mask = np.asarray(cv2.resize(mask, small, interpolation=cv2.INTER_AREA), np.uint8)
    height, width = mask.shape
    y, x = (n - height) // 2, (n - width) // 2
    share = mask[:, :, None].astype(np.float32) / 255
    target = image[y : y + height, x : x + width]
    target[:] = np.round(target * (1 - share) + np.array(colour, np.float32) * share).astype(np.uint8)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedChip:
    """A chip of a stack, ready to be drawn."""

    look: ChipLook
    centre_mm: tuple[float, float]
    foot_mm: float
    top_mm: float
    turn: float
    """Radians."""


def ring_mm(chip: PlacedChip, radius_mm: float, *, points: int = 28) -> Points:
    """Return the outline of a chip in the plane, (points, 2) mm."""
    turn = np.arange(points) * 2 * np.pi / points
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    return np.asarray(circle * radius_mm + np.array(chip.centre_mm), np.float64)


def draw_side(brush: Brush, chip: PlacedChip, low_px: Points, high_px: Points, *, lamp: Points) -> None:
    """Draw a chip's edge with its spots between two projected outlines of `ring_mm`."""
    hull = cv2.convexHull(np.concatenate([low_px, high_px]).astype(np.float32))[:, 0].astype(np.float64)
    brush.polygon(hull, shaded(chip.look.base, 0.5))
    lean = high_px.mean(axis=0) - low_px.mean(axis=0)
    count = len(low_px)
    middle = low_px.mean(axis=0)
    for i in range(count):
        j = (i + 1) % count
        outward = (low_px[i] + low_px[j]) / 2 - middle
        if outward @ lean > 0:
            continue
        angle = 2 * np.pi * (i + 0.5) / count
        lit = 0.72 - 0.3 * float(np.array([np.cos(angle), np.sin(angle)]) @ lamp)
        colour = _edge_colour(chip.look, angle - chip.turn)
        brush.polygon(np.array([low_px[i], low_px[j], high_px[j], high_px[i]]), shaded(colour, lit))


def _edge_colour(look: ChipLook, angle: float) -> Colour:
    step = 2 * np.pi / look.count
    away = abs((angle + step / 2) % step - step / 2)
    if away < look.width:
        return look.spot
    return look.second if abs(away - step / 2) < look.width * 0.35 else look.base
