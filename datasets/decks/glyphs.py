"""The ranks of a deck as masks: from a shipped font, or from pen strokes of our own.

A mask is (H, W) float32, 0 to 1, trimmed to its ink; "10" is one mask.
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from PIL import Image, ImageDraw

from thirdcard.datasets.decks.canvas import Mask
from thirdcard.datasets.decks.cards import RANKS
from thirdcard.datasets.fonts.shipped import open_font

_SIZE_PX = 96
_STROKES: Mapping[str, tuple[str, ...]] = {
    "A": ("0,8 4,0 8,8", "1.6,5.4 6.4,5.4"),
    "2": ("0.4,2.2 1,0.7 2.6,0 4.4,0 6.2,0.8 6.8,2.2 6.2,3.8 3,6 0.4,8 7,8",),
    "3": ("0.6,0.1 6.6,0.1 3.4,3.2 5.4,3.6 6.8,5 6.6,6.6 5,7.8 2.8,8 1,7.4 0.2,6.2", ""),
    "4": ("5,8 5,0 0,5.6 7,5.6",),
    "5": ("6.4,0 1.2,0 0.8,3.6 3,2.9 5.2,3.4 6.6,4.8 6.6,6.3 5.2,7.7 2.8,8 0.9,7.4 0.2,6.4",),
    "6": ("5.6,0.2 3,1 1,3 0.3,5.4 1,7.2 2.6,8 4.6,8 6.2,7 6.7,5.4 6,3.8 4.4,3 2.4,3.4 0.7,4.8",),
    "7": ("0.2,1.2 0.2,0 6.8,0 4.4,3.4 3,8",),
    "8": (
        "3.5,3.7 1.6,3 0.9,1.8 1.6,0.6 3.5,0 5.4,0.6 6.1,1.8 5.4,3 3.5,3.7 1.3,4.6 0.4,6 1.3,7.4 3.5,8 5.7,7.4 "
        "6.6,6 5.7,4.6 3.5,3.7",
    ),
    "9": ("1.4,7.8 4,7 6,5 6.7,2.6 6,0.8 4.4,0 2.4,0 0.8,1 0.3,2.6 1,4.2 2.6,5 4.6,4.6 6.3,3.2",),
    "10": ("0,1 1,0 1,8", "6.4,0 4.6,0.8 3.8,2.6 3.8,5.4 4.6,7.2 6.4,8 8.2,7.2 9,5.4 9,2.6 8.2,0.8 6.4,0"),
    "J": ("0.4,5.8 0.6,7.2 2,8 3.8,7.8 4.8,6.4 4.8,0",),
    "Q": ("4,0 1.6,0.7 0.3,2.8 0.3,5.2 1.6,7.3 4,8 6.4,7.3 7.7,5.2 7.7,2.8 6.4,0.7 4,0", "4.2,5.2 7.6,8.6"),
    "K": ("0.8,0 0.8,8", "6.8,0 0.8,5", "2.8,3.6 7,8"),
}
_SERIFS: Mapping[str, str] = {
    "A": "-1.2,8 1.4,8|6.6,8 9.2,8",
    "4": "3.6,8 6.4,8",
    "7": "",
    "J": "2.8,0 6.4,0",
    "K": "-0.6,0 2.2,0|-0.6,8 2.2,8|5.4,0 8,0|5.6,8 8.4,8",
    "10": "-0.4,8 2.4,8",
}


def font_masks(font: str, *, width: float, slant: float) -> Mapping[str, Mask]:
    """Return a mask per rank in a shipped font; `width` scales it horizontally, `slant` shears it."""
    face = open_font(font, _SIZE_PX)
    masks = {}
    for rank in RANKS:
        picture = Image.new("L", (3 * _SIZE_PX, 2 * _SIZE_PX))
        ImageDraw.Draw(picture).text((_SIZE_PX // 2, _SIZE_PX // 4), rank, font=face, fill=255)
        masks[rank] = _leaned(np.asarray(picture, dtype=np.float32) / np.float32(255), width=width, slant=slant)
    return masks


def stroke_masks(rng: np.random.Generator) -> Mapping[str, Mask]:
    """Return a mask per rank drawn by a pen of a random width, with or without slab serifs."""
    unit_px, pen_px = 10.0, int(rng.integers(8, 22))
    serif_px = int(rng.integers(4, 10)) if rng.random() < 0.6 else 0
    width, slant = float(rng.uniform(0.65, 1.1)), float(rng.choice([0.0, 0.0, 0.15]))
    smooth = rng.random() < 0.7
    masks = {}
    for rank in RANKS:
        picture = np.zeros((150, 170), dtype=np.uint8)
        for line in filter(None, _STROKES[rank]):
            _draw_line(picture, _points(line, smooth=smooth) * unit_px + 35, pen_px)
        for line in filter(None, _SERIFS.get(rank, "").split("|")) if serif_px else ():
            _draw_line(picture, _points(line, smooth=False) * unit_px + 35, serif_px)
        masks[rank] = _leaned(np.asarray(picture, dtype=np.float32) / np.float32(255), width=width, slant=slant)
    return masks


def warped(mask: Mask, rng: np.random.Generator, *, strength: float) -> Mask:
    """Distort a mask slightly, so that no two decks print the same letters; `strength` in units of its height."""
    height, width = mask.shape
    field = rng.normal(0.0, strength * height, (2, 3, 3)).astype(np.float32)
    shift_x, shift_y = (cv2.resize(part, (width, height), interpolation=cv2.INTER_CUBIC) for part in field)
    y, x = np.mgrid[:height, :width].astype(np.float32)
    return np.asarray(cv2.remap(mask, x + shift_x, y + shift_y, cv2.INTER_LINEAR), dtype=np.float32)


def _points(line: str, *, smooth: bool) -> np.ndarray:
    points = np.array([[float(number) for number in pair.split(",")] for pair in line.split()])
    if smooth and len(points) > 5:
        for _ in range(2):
            middle = np.stack([points[:-1] * 0.75 + points[1:] * 0.25, points[:-1] * 0.25 + points[1:] * 0.75], axis=1)
            points = np.concatenate([points[:1], middle.reshape(-1, 2), points[-1:]])
    return points


def _draw_line(picture: np.ndarray, points_px: np.ndarray, width_px: int) -> None:
    cv2.polylines(picture, [np.round(points_px * 8).astype(np.int32)], False, 255, width_px, cv2.LINE_AA, 3)


def _leaned(picture: Mask, *, width: float, slant: float) -> Mask:
    height, full_width = picture.shape
    matrix = np.array([[width, -slant, slant * height], [0.0, 1.0, 0.0]])
    size = int(full_width * max(1.0, width) + slant * height) + 8, height
    leaned = cv2.warpAffine(picture, matrix, size)
    rows, columns = (np.flatnonzero(leaned.max(axis=axis) > 0.3) for axis in (1, 0))
    return np.asarray(leaned[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1], dtype=np.float32)
