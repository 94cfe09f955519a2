"""Draw crops of printed cloth, with or without a word, as the reader of words gets them.

A part of a cloth is drawn as if seen from straight above: colour, ornament, outline, a word, other print, chips and
cards upon it. Then a camera's resolution, blur, noise and compression are applied, and the part is cut out by the code
that runs at a table (`thirdcard.vision.inference.cloth_words`), with a calibration's error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.datasets.scene.patterns import pattern_mask
from thirdcard.models.words.word_texts import (
    CHARACTERS,
    LABELS,
    OTHER_CHARACTERS,
    OTHERS,
    PRICES,
    WORDS,
    WordFonts,
    letters,
    spelling,
)
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.cloth_words import LONGEST, OTHER, RIM_MM, PieceFrame, piece_crop, pieces

Points = npt.NDArray[np.float64]
LONG_PX = 132
"""Length of a drawn part in its view."""
UPRIGHT_DEG = 30.0
"""A word that is turned by less than this is labelled; other turns are `other`. Between the two, from here to the
second, no crop is made."""
ASIDE_DEG = 60.0
PATTERNS = ("plain", "plain", "lattice", "damask", "rings", "waves", "suits", "rays", "leaves", "bands")
LOOKS = 4
"""Crops of each drawn part, by different cameras: drawing costs more than looking."""
CUT_OFF, WHOLE = 0.3, 0.93
"""Of a word at least the second share must stand in a piece to be labelled; pieces with more than the first but less
than the second are left out."""
SPREAD = np.linspace(-0.95, 0.95, 9)
"""Places of points over a word, from its middle, in halves of its size."""
READABLE_PX = 4.0
"""Height of letters in the camera's picture below which a word is labelled `other`: nobody can read it."""


@dataclass(slots=True)
class _Sheet:
    """One part during drawing."""

    image: npt.NDArray[np.float32]
    outline: Points
    rng: np.random.Generator
    px_per_mm: float
    """Scale of the view."""

    def ink(self, mask: Image, colour: npt.NDArray[np.float64], opacity: float = 1.0) -> None:
        """Print a colour through a mask of the view's size."""
        left, top, width, height = cv2.boundingRect(mask)
        cut = (slice(top, top + height), slice(left, left + width))
        share = cv2.merge([mask[cut]] * 3).astype(np.float32) * np.float32(opacity / 255) if width else None
        if share is not None:
            self.image[cut] += (colour.astype(np.float32) - self.image[cut]) * share


@dataclass(frozen=True, slots=True, eq=False)
class WordCrop:
    """A crop with its truth."""

    shown: Image
    """(HEIGHT_PX, WIDTH_PX, 3) uint8 BGR."""
    label: int
    """Index of its label."""
    letters: npt.NDArray[np.float32]
    """Which letters stand in it upright, as `spelling` says."""


@dataclass(frozen=True, slots=True, eq=False)
class _Printed:
    """What was printed on a part."""

    label: str
    turn: float
    """The direction of its line, radians."""
    letter_px: float = 0.0
    """The height of its letters, px of the view."""
    text: str = ""
    box: Points = field(default_factory=lambda: np.empty((0, 2)))
    """(N, 2) points spread over its letters, px of the view."""


def draw_crops(
    rng: np.random.Generator, fonts: WordFonts, hardness: Callable[[], float] = lambda: 1.0
) -> Iterator[WordCrop]:
    """Draw crops without end, LOOKS of each part.

    Args:
        rng: The source of chance.
        fonts: The fonts of the words.
        hardness: Asked for each part, the most that may happen to it: 0 for clean crops, 1 for all that cloths and
            cameras do; how much of that does is drawn.
    """
    while True:
        hard = hardness() * float(rng.uniform(0.0, 1.0))
        sheet = _blank(rng, hard)
        printed = _print_word(sheet, fonts, hard)
        if rng.random() < hard:
            _clutter(sheet, fonts)
        for _ in range(LOOKS):
            native = float(np.exp(rng.uniform(np.log(1.2 - 0.9 * hard), np.log(1.7))))
            crop = _cut(sheet, _seen(sheet, native, hard), printed, hard)
            if crop is not None:
                shown, is_upright = crop
                is_read = is_upright and printed.letter_px * native / sheet.px_per_mm >= READABLE_PX
                label = LABELS.index(printed.label if is_read else OTHER)
                yield WordCrop(shown, label, spelling(printed.text if is_read else ""))


def _blank(rng: np.random.Generator, hard: float) -> _Sheet:
    """A part's cloth with ornament, fill and outline, and a neighbour's beside it."""
    long_mm = float(np.exp(rng.uniform(np.log(60), np.log(420))))
    aspect = float(np.exp(rng.uniform(0, np.log(LONGEST))))
    outline = _shape(rng, np.array([LONG_PX, LONG_PX / aspect]))
    side = round(LONG_PX * 1.35)
    turn = np.radians(rng.uniform(0, 360))
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    outline = outline @ spin + side / 2
    base = rng.uniform(8, 200, 3) * rng.uniform(0.3, 1.0)
    image = np.empty((side, side, 3), np.float32)
    image[:] = base
    sheet = _Sheet(image=image, outline=outline, rng=rng, px_per_mm=LONG_PX / long_mm)
    mask = pattern_mask(str(rng.choice(PATTERNS)), (side, side), scale=sheet.px_per_mm, rng=rng)
    if mask is not None:
        sheet.ink(mask, _contrast(rng, base, 20), float(rng.uniform(0.05, 0.7)) * hard)
    if rng.random() < 0.45:
        filled = np.zeros((side, side), np.uint8)
        cv2.fillPoly(filled, [np.round(outline * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
        sheet.ink(filled, rng.uniform(5, 250, 3), float(rng.uniform(0.2, 1.0)))
    if rng.random() < 0.85:
        _line(sheet, outline, float(rng.uniform(1.5, 7)))
    for _ in range(int(rng.integers(0, 3) * hard)):
        shift = rng.normal(0, 1, 2)
        shift *= rng.uniform(0.3, 1.0) * LONG_PX / np.linalg.norm(shift)
        _line(sheet, outline * rng.uniform(0.6, 1.3) + shift, float(rng.uniform(1.5, 7)))
    return sheet


def _shape(rng: np.random.Generator, size: Points) -> Points:
    half = size / 2
    kind = rng.integers(5)
    if kind == 0:
        turn = np.linspace(0, 2 * np.pi, 29)[:-1]
        return np.column_stack([np.cos(turn), np.sin(turn)]) * half
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float)
    if kind == 1:
        corners[:2, 0] *= rng.uniform(0.7, 1.0)
    elif kind == 2:
        bow = np.linspace(-1, 1, 9)
        rise = rng.uniform(-0.25, 0.25)
        edge = np.column_stack([bow, rise * (bow**2 - 0.5)])
        corners = np.concatenate([edge - np.array([0, 1]), edge[::-1] + np.array([0, 1])])
    elif kind == 3:
        corners = np.array([[-1, 0], [-0.75, -1], [0.75, -1], [1, 0], [0.75, 1], [-0.75, 1]], float)
    return corners * half


def _line(sheet: _Sheet, points: Points, width_mm: float) -> None:
    mask = np.zeros(sheet.image.shape[:2], np.uint8)
    thick = max(round(width_mm * sheet.px_per_mm), 1)
    cv2.polylines(mask, [np.round(points * 16).astype(np.int32)], True, 255, thick, cv2.LINE_AA, 4)
    sheet.ink(mask, sheet.rng.uniform(20, 255, 3), float(sheet.rng.uniform(0.6, 1.0)))


def _contrast(rng: np.random.Generator, base: Points, least: float) -> Points:
    """A colour whose lightness or colour differs from another's by at least so many levels."""
    for _ in range(20):
        colour = rng.choice([rng.uniform(0, 255, 3), np.full(3, rng.uniform(170, 255)), np.array([60, 180, 225.0])])
        if abs(colour.mean() - base.mean()) >= least or np.abs(colour - base).max() >= 3 * least:
            return np.asarray(colour, np.float64)
    return np.full(3, 255.0 if base.mean() < 128 else 0.0)


def _print_word(sheet: _Sheet, fonts: WordFonts, hard: float) -> _Printed:
    """Print a word, or something else, or nothing."""
    rng = sheet.rng
    (_, _), (width, height), angle = cv2.minAreaRect(sheet.outline.astype(np.float32))
    if width < height:
        width, height, angle = height, width, angle + 90
    turn = np.radians(angle + 180 * rng.integers(2))
    if rng.random() < 0.3 * (width / height < 1.8):
        width, height, turn = height, width, turn + np.pi / 2
    kind = str(rng.choice([*LABELS, "nothing"], p=[0.31, 0.31, 0.13, 0.19, 0.06]))
    if kind == "nothing":
        return _Printed(OTHER, turn)
    mask, line_px, text = _text(rng, fonts, kind)
    share = np.array([rng.uniform(0.8 - 0.45 * hard, 0.95), rng.uniform(0.25, 0.85)])
    scale = float((share * (width, height) / mask.shape[::-1]).min())
    size = np.array([mask.shape[1], mask.shape[0]]) * scale
    free = np.maximum((np.array([width, height]) * 0.96 - size) / 2, 0)
    at = rng.uniform(-1, 1, 2) * free * np.array([rng.choice([0.1, 1.0]), rng.choice([0.1, 1.0])])
    if rng.random() < 0.06:  # cut off at the edge
        at[0] += size[0] * rng.uniform(0.35, 0.7) * rng.choice([-1, 1])
        kind, text = OTHER, ""
    _place(sheet, mask, scale, at, turn + np.radians(rng.normal(0, 4)))
    spread = (np.stack(np.meshgrid(SPREAD, SPREAD), axis=-1).reshape(-1, 2) * size / 2 + at) @ np.array(
        [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]
    )
    return _Printed(kind, turn, line_px * scale, text, _middle(sheet.outline) + spread)


def _text(rng: np.random.Generator, fonts: WordFonts, kind: str) -> tuple[Image, float, str]:
    """A text's mask, the height of its main line in px of the mask, and the letters of that line."""
    is_hanzi = bool(fonts.characters) and rng.random() < 0.16
    main, text = _word(rng, fonts, kind, is_hanzi=is_hanzi)
    lines = [main]
    if kind in PRICES and rng.random() < 0.3:
        lines.append(_scaled(_styled(rng, fonts, str(rng.choice(PRICES[kind]))), main, float(rng.uniform(0.4, 1.0))))
    elif fonts.characters and kind != OTHER and rng.random() < 0.15:
        second, _ = _word(rng, fonts, kind, is_hanzi=not is_hanzi)
        lines.append(_scaled(second, main, float(rng.uniform(0.5, 1.1))))
        lines = lines[:: int(rng.choice([-1, 1]))]
    gap = int(main.shape[0] * rng.uniform(0.15, 0.5))
    wide = max(line.shape[1] for line in lines)
    rows = []
    for line in lines:
        free = wide - line.shape[1]
        rows.append(cv2.copyMakeBorder(line, 0, gap, free // 2, free - free // 2, cv2.BORDER_CONSTANT, value=0))
    mask = np.asarray(np.concatenate(rows)[:-gap], np.uint8)
    mask = _bent(mask, float(rng.normal(0, 0.1))) if rng.random() < 0.35 else mask
    return mask, float(main.shape[0]), text


def _word(rng: np.random.Generator, fonts: WordFonts, kind: str, *, is_hanzi: bool) -> tuple[Image, str]:
    """A word's mask, and its text."""
    if is_hanzi:
        text = str(rng.choice(OTHER_CHARACTERS if kind == OTHER else CHARACTERS[kind]))
        font = fonts.characters[int(rng.integers(len(fonts.characters)))]
        return letters(text, font, stroke_px=int(rng.choice([0, 0, 0, 0, 4]))), text
    pick = rng.random()
    if kind != OTHER:
        text = str(rng.choice(WORDS[kind]))
    elif pick < 0.15:
        text = str(rng.integers(1, 15))
    elif pick < 0.45:
        text = "".join(rng.choice(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), int(rng.integers(2, 10))))
    else:
        text = str(rng.choice(OTHERS))
    return _styled(rng, fonts, text), text


def _styled(rng: np.random.Generator, fonts: WordFonts, text: str) -> Image:
    case = rng.random()
    text = text.title() if case < 0.15 else text.lower() if case < 0.18 else text
    font = fonts.latin[int(rng.integers(len(fonts.latin)))]
    apart = float(rng.uniform(0.05, 0.7)) if rng.random() < 0.3 else 0.0
    mask = letters(text, font, apart=apart, stroke_px=int(rng.choice([0, 0, 0, 0, 0, 3, 5])))
    stretch = float(np.exp(rng.normal(0, 0.18)))
    return np.asarray(cv2.resize(mask, None, fx=stretch, fy=1.0, interpolation=cv2.INTER_LINEAR), np.uint8)


def _scaled(line: Image, main: Image, share: float) -> Image:
    """A line scaled to a share of another's width, but not higher than it."""
    scale = min(main.shape[1] * share / line.shape[1], main.shape[0] / line.shape[0])
    return np.asarray(cv2.resize(line, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)


def _bent(mask: Image, rise: float) -> Image:
    """A line along an arc: its ends lie lower or higher by this share of its width."""
    height, width = mask.shape
    by = abs(rise) * width
    x = np.linspace(-1, 1, width, dtype=np.float32)
    drop = (by * (x**2 if rise > 0 else 1 - x**2)).astype(np.float32)
    rows = np.arange(height + int(by) + 1, dtype=np.float32)[:, None] - drop[None]
    columns = np.tile(np.arange(width, dtype=np.float32), (len(rows), 1))
    return np.asarray(cv2.remap(mask, columns, np.ascontiguousarray(rows), cv2.INTER_LINEAR), np.uint8)


def _place(sheet: _Sheet, mask: Image, scale: float, at: Points, turn: float) -> None:
    """Print a mask at a place of the part, px right of and below its middle as its line runs."""
    rng = sheet.rng
    if scale < 0.7:
        mask = np.asarray(cv2.resize(mask, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        scale = 1.0
    cos, sin = np.cos(turn), np.sin(turn)
    middle = _middle(sheet.outline) + np.array([[cos, -sin], [sin, cos]]) @ at
    matrix = np.array([[cos, -sin, 0], [sin, cos, 0]]) * scale
    matrix[:, 2] = middle - matrix[:, :2] @ np.array([mask.shape[1] / 2, mask.shape[0] / 2])
    side = sheet.image.shape[0]
    placed = np.asarray(cv2.warpAffine(mask, matrix, (side, side)), np.uint8)
    x, y = np.clip(middle, 0, side - 1).astype(int)
    base = np.asarray(sheet.image[y, x], np.float64)
    if rng.random() < 0.12:
        shadow = np.roll(placed, tuple(int(v) for v in rng.integers(-3, 4, 2)), axis=(0, 1))
        sheet.ink(shadow, rng.uniform(0, 90, 3), 0.7)
    sheet.ink(placed, _contrast(rng, base, 28), float(rng.uniform(0.7, 1.0)))


def _middle(outline: Points) -> Points:
    return np.array(cv2.minAreaRect(outline.astype(np.float32))[0])


def _clutter(sheet: _Sheet, fonts: WordFonts) -> None:
    """Lay other print, chips, cards and an arm on the part, sometimes."""
    rng = sheet.rng
    side = sheet.image.shape[0]
    if rng.random() < 0.12:  # a small sign aside: a number, a price, a star
        mask = _styled(rng, fonts, str(rng.choice([*"123456789*+", "1:1", "8:1"])))
        at = rng.uniform(-0.5, 0.5, 2) * LONG_PX * np.array([1.0, 0.6])
        _place(sheet, mask, float(rng.uniform(0.06, 0.2)) * LONG_PX / FONT_HEIGHT, at, float(rng.uniform(0, 6.3)))
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.68, 0.16, 0.1, 0.06]))):
        _chip(sheet, rng.uniform(0.3, 0.7, 2) * side)
    if rng.random() < 0.06:
        _card(sheet, rng.uniform(0.25, 0.75, 2) * side)


FONT_HEIGHT = 52.0
"""Height in px of a capital letter as `letters` draws it."""


def _chip(sheet: _Sheet, at: Points) -> None:
    rng = sheet.rng
    radius = 19.5 * sheet.px_per_mm
    middle = tuple(int(v) for v in np.round(at))
    base, spot = rng.uniform(10, 250, 3), rng.uniform(10, 250, 3)
    for share, colour in ((1.0, base), (0.72, spot if rng.random() < 0.4 else base), (0.6, rng.uniform(10, 250, 3))):
        mask = np.zeros(sheet.image.shape[:2], np.uint8)
        cv2.circle(mask, middle, max(round(radius * share), 1), 255, -1, cv2.LINE_AA)
        if share == 1.0:
            for start in range(0, 360, 60):
                cv2.ellipse(mask, middle, (round(radius), round(radius)), 0, start, start + 14, 140, -1)
        sheet.ink(mask, colour)


def _card(sheet: _Sheet, at: Points) -> None:
    rng = sheet.rng
    turn = rng.uniform(0, 2 * np.pi)
    half = np.array([63.0, 88.0]) / 2 * sheet.px_per_mm
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    mask = np.zeros(sheet.image.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round((corners @ spin + at) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    sheet.ink(mask, rng.uniform(200, 250, 3))
    for _ in range(int(rng.integers(2, 9))):
        pip = np.zeros_like(mask)
        spot = (rng.uniform(-0.8, 0.8, 2) * half) @ spin + at
        cv2.circle(pip, tuple(int(v) for v in spot), max(round(6 * sheet.px_per_mm), 1), 255, -1, cv2.LINE_AA)
        sheet.ink(pip, np.array([30, 20, 190.0]) if rng.random() < 0.5 else np.array([25.0, 25, 25]))


def _seen(sheet: _Sheet, native: float, hard: float) -> Image:
    """The view as a camera of so many px/mm shows it, rectified again."""
    rng = sheet.rng
    side = sheet.image.shape[0]
    squeeze = float(rng.uniform(0.65, 1.0))
    times = min(native / sheet.px_per_mm, 1.2)
    wide, high = (max(round(side * times * by), 8) for by in rng.permutation([1.0, squeeze]))
    blur = float(rng.uniform(0, 1.1)) * hard * side / wide
    image = cv2.GaussianBlur(sheet.image, (0, 0), blur) if blur > 0.3 else sheet.image
    small = np.asarray(cv2.resize(image, (wide, high), interpolation=cv2.INTER_AREA), np.float32)
    light = rng.uniform(0.35, 1.1) * (1 + np.linspace(-1, 1, high, dtype=np.float32) * rng.normal(0, 0.12))
    small *= light[:, None, None].astype(np.float32) * rng.uniform(0.88, 1.12, 3).astype(np.float32)
    small *= 1 + _noise(rng, (high, wide), 1) * np.float32(rng.uniform(0, 0.05))
    small += _noise(rng, (high, wide), 3) * np.float32(rng.gamma(2.0, 2.0) * hard)
    if rng.random() < 0.3:
        small += (small - cv2.GaussianBlur(small, (0, 0), 1.2)) * np.float32(rng.uniform(0.2, 1.0))
    if rng.random() < 0.05:
        small[:] = small.mean(axis=2, keepdims=True)
    shown = np.clip(small, 0, 255).astype(np.uint8)
    if rng.random() < 0.7:
        _, data = cv2.imencode(".jpg", shown, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 96))])
        shown = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return np.asarray(cv2.resize(shown, (side, side), interpolation=cv2.INTER_LINEAR), np.uint8)


@lru_cache(maxsize=2)
def _noise_bank(channels: int) -> npt.NDArray[np.float32]:
    return np.random.default_rng(channels).standard_normal((600, 600, channels), dtype=np.float32)


def _noise(rng: np.random.Generator, size_hw: tuple[int, int], channels: int) -> npt.NDArray[np.float32]:
    """A piece of a sheet of noise, (height, width, channels): drawing it afresh takes longer than all else."""
    bank = _noise_bank(channels)
    top, left = (int(rng.integers(600 - side)) for side in size_hw)
    return bank[top : top + size_hw[0], left : left + size_hw[1]]


def _cut(sheet: _Sheet, view: Image, printed: _Printed, hard: float) -> tuple[Image, bool] | None:
    """A piece of the part as it is cut out at a table, and whether its word stands in it upright.

    None where the word stands aslant, or is cut off.
    """
    rng = sheet.rng
    spin_by, middle = np.radians(rng.normal(0, 4)), _middle(sheet.outline)
    spin = np.array([[np.cos(spin_by), np.sin(spin_by)], [-np.sin(spin_by), np.cos(spin_by)]]) * rng.normal(1, 0.05)
    outline = (sheet.outline - middle) @ spin + middle + rng.normal(0, 3.0, 2) * sheet.px_per_mm
    rim_px = RIM_MM * sheet.px_per_mm * rng.uniform(0.3, 2.0)
    frames = [frame for is_across in (False, True) for frame in pieces(outline, rim_px, is_across=is_across)]
    away = [abs((np.degrees(frame.turn - printed.turn) + 180) % 360 - 180) for frame in frames]
    upright = [i for i, turn in enumerate(away) if turn < UPRIGHT_DEG]
    i = int(rng.choice(upright)) if upright and rng.random() > 0.2 * hard else int(rng.integers(len(frames)))
    shown = _share_within(frames[i], printed.box)
    if UPRIGHT_DEG <= away[i] < ASIDE_DEG or (away[i] < UPRIGHT_DEG and CUT_OFF < shown < WHOLE):
        return None
    return piece_crop(view, outline, frames[i], rim_px), away[i] < UPRIGHT_DEG and shown >= WHOLE


def _share_within(frame: PieceFrame, points: Points) -> float:
    """The share of points that lie within a piece, 0 to 1; 1 without points."""
    axes = np.array([[np.cos(frame.turn), np.sin(frame.turn)], [-np.sin(frame.turn), np.cos(frame.turn)]])
    within = np.abs((points - frame.middle) @ axes.T) <= np.array(frame.size) / 2
    return float(within.all(axis=1).mean()) if len(points) else 1.0
