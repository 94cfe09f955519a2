"""The backs of generated decks: patterns of two inks, with or without a white rim."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.datasets.decks.canvas import Colour, Texture, fill_all, stroke
from thirdcard.datasets.decks.cards import CARD_SIZE_MM, PX_PER_MM, TEXTURE_SIZE_WH_PX
from thirdcard.datasets.decks.pips import PipShape, suit_outlines

INKS: tuple[Colour, ...] = (
    (178, 24, 38), (22, 52, 132), (16, 92, 58), (24, 24, 28), (96, 34, 110), (140, 84, 24), (18, 112, 140),
    (200, 60, 30), (120, 16, 30), (36, 78, 180), (70, 76, 84), (170, 132, 46),
)  # fmt: skip
_PATTERNS = ("lattice", "crosshatch", "diamonds", "stripes", "guilloche", "dots", "plain", "weave")


def draw_back(rng: np.random.Generator, paper: Colour) -> Texture:
    """Draw one back, (440, 315, 3) uint8 RGB, symmetric under half a turn except for a logo."""
    ink = INKS[int(rng.integers(len(INKS)))]
    second = paper if rng.random() < 0.7 else INKS[int(rng.integers(len(INKS)))]
    texture = draw_pattern(rng, second, ink)
    if rng.random() < 0.7:
        _add_rim(texture, rng, paper, ink)
    if rng.random() < 0.35:
        _add_logo(texture, rng, paper, ink)
    return texture


def draw_back_like(rng: np.random.Generator, colour: Colour) -> Texture:
    """Draw a back without rim or logo in two inks near `colour`, such as a cloth's.

    Only its edges and print show it.
    """
    inks = [np.clip(np.asarray(colour) * rng.uniform(0.82, 1.3) + rng.normal(0, 7, 3), 4, 250) for _ in range(2)]
    return _mix(inks[0], inks[1] if rng.random() < 0.5 else inks[0], _pattern(str(rng.choice(_PATTERNS)), rng))


def draw_pattern(rng: np.random.Generator, ground: Colour, ink: Colour) -> Texture:
    """Draw one of the patterns over a whole card, (440, 315, 3) uint8 RGB."""
    return _mix(np.asarray(ground), np.asarray(ink), _pattern(str(rng.choice(_PATTERNS)), rng))


def _pattern(name: str, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Return the share of the first ink in each texture pixel, (440, 315) float32, 0 to 1."""
    width_px, height_px = TEXTURE_SIZE_WH_PX
    y, x = np.mgrid[:height_px, :width_px].astype(np.float32) / PX_PER_MM
    x, y = x - CARD_SIZE_MM[0] / 2, y - CARD_SIZE_MM[1] / 2
    pitch, line = float(rng.uniform(1.6, 7.0)), float(rng.uniform(0.25, 0.75))
    slope = float(rng.uniform(0.6, 1.7))
    u, v = (x * slope + y) / pitch, (x * slope - y) / pitch
    wave_u, wave_v = np.cos(2 * np.pi * u), np.cos(2 * np.pi * v)
    threshold = np.cos(np.pi * line)
    fields = {
        "lattice": np.maximum(wave_u, wave_v) - threshold,
        "crosshatch": np.maximum(np.cos(2 * np.pi * x / pitch), np.cos(2 * np.pi * y / pitch)) - threshold,
        "diamonds": wave_u * wave_v - threshold * 0.5,
        "stripes": np.cos(2 * np.pi * (x if slope > 1 else u * pitch) / pitch) - threshold,
        "guilloche": _guilloche(x, y, rng, pitch),
        "dots": np.cos(2 * np.pi * x / pitch) + np.cos(2 * np.pi * y / pitch) - 2 * threshold,
        "plain": np.ones_like(x),
        "weave": np.where(wave_u * wave_v > 0, np.cos(6 * np.pi * u), np.cos(6 * np.pi * v)),
    }
    return np.asarray(np.clip(fields[name] * 3 + 0.5, 0, 1), dtype=np.float32)


def _guilloche(x: np.ndarray, y: np.ndarray, rng: np.random.Generator, pitch: float) -> np.ndarray:
    petals, depth = int(rng.integers(4, 13)), float(rng.uniform(0.5, 4.0))
    angle, radius = np.arctan2(y, x), np.hypot(x, y * float(rng.uniform(0.6, 1.0)))
    rings = np.cos(2 * np.pi * (radius + depth * np.cos(petals * angle)) / pitch)
    return np.asarray(rings * np.cos(2 * np.pi * (radius - depth * np.cos(petals * angle)) / pitch))


def _mix(low: np.ndarray, high: np.ndarray, share: np.ndarray) -> Texture:
    return np.ascontiguousarray((low + (high - low) * share[..., None] + 0.5).astype(np.uint8))


def _rectangle(inset_mm: float) -> np.ndarray:
    right, bottom = CARD_SIZE_MM[0] - inset_mm, CARD_SIZE_MM[1] - inset_mm
    return np.array([[inset_mm, inset_mm], [right, inset_mm], [right, bottom], [inset_mm, bottom]])


def _add_rim(texture: Texture, rng: np.random.Generator, paper: Colour, ink: Colour) -> None:
    rim_mm = float(rng.uniform(2.0, 7.0))
    rim_px = round(rim_mm * PX_PER_MM)
    inner = texture[rim_px:-rim_px, rim_px:-rim_px].copy()
    texture[:] = paper
    texture[rim_px:-rim_px, rim_px:-rim_px] = inner
    if rng.random() < 0.6:
        stroke(texture, _rectangle(rim_mm), ink, width_mm=float(rng.uniform(0.3, 1.4)))
    if rng.random() < 0.3:
        stroke(texture, _rectangle(rim_mm + 2.5), paper, width_mm=float(rng.uniform(0.3, 1.0)))


def _add_logo(texture: Texture, rng: np.random.Generator, paper: Colour, ink: Colour) -> None:
    middle_px = TEXTURE_SIZE_WH_PX[0] // 2, TEXTURE_SIZE_WH_PX[1] // 2
    size_mm = float(rng.uniform(9, 20))
    axes_px = (round(size_mm * PX_PER_MM), round(size_mm * PX_PER_MM * rng.uniform(0.6, 1.3)))
    cv2.ellipse(texture, middle_px, axes_px, 0, 0, 360, paper, -1, cv2.LINE_AA)
    cv2.ellipse(texture, middle_px, axes_px, 0, 0, 360, ink, 3, cv2.LINE_AA)
    sign = suit_outlines(str(rng.choice(list("CDHS"))), PipShape())
    centre = np.asarray(CARD_SIZE_MM) / 2
    fill_all(texture, (outline * size_mm + centre for outline in sign), ink)
