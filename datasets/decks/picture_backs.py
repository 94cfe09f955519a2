"""Backs with a picture in any colours: emblems, fans of cards, words, scenes; for training alone.

`thirdcard.datasets.decks.backs` draws the patterns that most playing cards have. Houses and makers print pictures too,
and a detector that has seen patterns alone takes them for faces, or for part of the cloth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from thirdcard.datasets.decks.backs import draw_pattern
from thirdcard.datasets.decks.canvas import Colour, Texture, blank, fill, fill_all, stroke
from thirdcard.datasets.decks.cards import CARD_SIZE_MM, PX_PER_MM, TEXTURE_SIZE_WH_PX
from thirdcard.datasets.decks.pips import draw_shape, suit_outlines
from thirdcard.datasets.fonts.shipped import TRAIN_FONTS, open_font

_MIDDLE_MM = np.asarray(CARD_SIZE_MM) / 2
_TURN = np.linspace(0, 2 * np.pi, 73)[:-1]


def draw_picture_back(rng: np.random.Generator, faces: Sequence[Texture]) -> Texture:
    """Draw one back, (440, 315, 3) uint8 RGB: a ground, up to three figures and perhaps a rim, all in any colours.

    Args:
        rng: Decides everything but the faces.
        faces: (440, 315, 4) RGBA pictures of cards, from which a fan may be made.
    """
    grounds: tuple[Callable[[np.random.Generator], Texture], ...] = (_plain, _fade, _glow, _fields, _scene, _pattern)
    texture = grounds[int(rng.choice(len(grounds), p=(0.25, 0.2, 0.1, 0.1, 0.1, 0.25)))](rng)
    figures = (_emblem, _sign, _rings, _star, _twigs, _word)
    for _ in range(int(rng.choice(3, p=(0.25, 0.5, 0.25)))):
        figures[int(rng.integers(len(figures)))](texture, rng)
    if faces and rng.random() < 0.25:
        _fan(texture, rng, faces)
    return _with_rim(texture, rng) if rng.random() < 0.6 else texture


def any_colour(rng: np.random.Generator) -> Colour:
    """Draw a colour: any hue, with the pale, the dark and the grey as frequent as the bright."""
    saturation, value = rng.uniform(0, 255), rng.uniform(15, 255)
    red, green, blue = cv2.cvtColor(
        np.array([[[rng.uniform(0, 180), saturation, value]]]).astype(np.uint8), cv2.COLOR_HSV2RGB
    )[0, 0].tolist()
    return red, green, blue


def _plain(rng: np.random.Generator) -> Texture:
    return blank(any_colour(rng))


def _mixed(low: Colour, high: Colour, share: npt.NDArray[np.float64]) -> Texture:
    """Mix two colours by the share of the second, (440, 315), 0 to 1."""
    mixed = np.asarray(low) + (np.asarray(high, np.float64) - low) * np.clip(share, 0, 1)[..., None]
    return np.ascontiguousarray((mixed + 0.5).astype(np.uint8))


def _grid_mm() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return x and y of each texture pixel, (440, 315), from the card's middle, in mm."""
    width_px, height_px = TEXTURE_SIZE_WH_PX
    y, x = np.mgrid[:height_px, :width_px] / PX_PER_MM
    return x - _MIDDLE_MM[0], y - _MIDDLE_MM[1]


def _fade(rng: np.random.Generator) -> Texture:
    x, y = _grid_mm()
    angle = rng.uniform(0, 2 * np.pi)
    return _mixed(
        any_colour(rng), any_colour(rng), 0.5 + (x * np.cos(angle) + y * np.sin(angle)) / rng.uniform(60, 120)
    )


def _glow(rng: np.random.Generator) -> Texture:
    x, y = _grid_mm()
    distance = np.hypot(x - rng.normal(0, 8), y - rng.normal(0, 12))
    return _mixed(any_colour(rng), any_colour(rng), distance / rng.uniform(25, 70))


def _fields(rng: np.random.Generator) -> Texture:
    """Two fields with a straight or wavy edge between them."""
    x, y = _grid_mm()
    angle, pitch = rng.uniform(0, 2 * np.pi), rng.uniform(30, 120)
    across, along = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    edge = rng.normal(0, 10) + rng.uniform(0, 12) * np.sin(2 * np.pi * along / pitch + rng.uniform(0, 6))
    return _mixed(any_colour(rng), any_colour(rng), (across - edge) * PX_PER_MM + 0.5)


def _scene(rng: np.random.Generator) -> Texture:
    """Soft blots of a few colours, as a photograph or a painting has from afar."""
    blots = np.array([any_colour(rng) for _ in range(4)], np.float32)[rng.integers(0, 4, (6, 5))]
    soft = cv2.resize(blots, TEXTURE_SIZE_WH_PX, interpolation=cv2.INTER_CUBIC)
    fine = rng.normal(0, rng.uniform(2, 40), (22, 16, 3)).astype(np.float32)
    grain = cv2.resize(fine, TEXTURE_SIZE_WH_PX, interpolation=cv2.INTER_CUBIC)
    return np.clip(np.add(soft, grain), 0, 255).astype(np.uint8)


def _pattern(rng: np.random.Generator) -> Texture:
    return draw_pattern(rng, any_colour(rng), any_colour(rng))


def _oval(centre_mm: npt.NDArray[np.float64], size_mm: tuple[float, float]) -> npt.NDArray[np.float64]:
    return centre_mm + np.column_stack([np.cos(_TURN) * size_mm[0], np.sin(_TURN) * size_mm[1]])


def _place(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """The middle, or anywhere near it."""
    return _MIDDLE_MM + (rng.normal(0, 9, 2) if rng.random() < 0.3 else 0)


def _emblem(texture: Texture, rng: np.random.Generator) -> None:
    """A sign in an oval."""
    centre, size = _place(rng), float(rng.uniform(9, 26))
    oval = _oval(centre, (size, size * float(rng.uniform(0.7, 1.5))))
    fill(texture, oval, any_colour(rng))
    stroke(texture, oval, any_colour(rng), width_mm=float(rng.uniform(0.3, 2)))
    _put_sign(texture, rng, centre, size * float(rng.uniform(0.7, 1.2)))


def _sign(texture: Texture, rng: np.random.Generator) -> None:
    """One large suit sign, or a few small ones."""
    if rng.random() < 0.5:
        _put_sign(texture, rng, _place(rng), float(rng.uniform(20, 60)))
        return
    size = float(rng.uniform(6, 18))
    for _ in range(int(rng.integers(2, 9))):
        _put_sign(texture, rng, rng.uniform((4, 4), np.asarray(CARD_SIZE_MM) - 4), size)


def _put_sign(texture: Texture, rng: np.random.Generator, centre_mm: npt.NDArray[np.float64], size_mm: float) -> None:
    outlines = suit_outlines(str(rng.choice(list("CDHS"))), draw_shape(rng, "varied"))
    fill_all(texture, (outline * size_mm + centre_mm for outline in outlines), any_colour(rng))


def _rings(texture: Texture, rng: np.random.Generator) -> None:
    centre, colours = _place(rng), [any_colour(rng) for _ in range(2)]
    stretch = float(rng.uniform(0.7, 1.5))
    for i, radius in enumerate(np.linspace(rng.uniform(10, 40), 2, int(rng.integers(2, 8)))):
        fill(texture, _oval(centre, (float(radius), float(radius) * stretch)), colours[i % 2])


def _star(texture: Texture, rng: np.random.Generator) -> None:
    """A star, a flower or a polygon."""
    points, depth = int(rng.integers(3, 13)), float(rng.uniform(0.25, 1))
    size, stretch = float(rng.uniform(8, 32)), float(rng.uniform(0.8, 1.4))
    wave = np.cos(points * _TURN)
    radius = size * (depth + (1 - depth) * (wave + 1) / 2)
    outline = _place(rng) + np.column_stack([np.cos(_TURN) * radius, np.sin(_TURN) * radius * stretch])
    fill(texture, outline, any_colour(rng))
    stroke(texture, outline, any_colour(rng), width_mm=float(rng.uniform(0.3, 1.5)))


def _twigs(texture: Texture, rng: np.random.Generator) -> None:
    """Curved lines, some with leaves."""
    colour, width = any_colour(rng), float(rng.uniform(0.3, 1.6))
    for _ in range(int(rng.integers(2, 10))):
        headings = np.cumsum(rng.normal(0, 0.35, 20)) + rng.uniform(0, 2 * np.pi)
        steps = np.column_stack([np.cos(headings), np.sin(headings)]) * float(rng.uniform(1, 3.5))
        line = rng.uniform((5, 5), np.asarray(CARD_SIZE_MM) - 5) + np.cumsum(steps, axis=0)
        stroke(texture, line, colour, width_mm=width, closed=False)
        if rng.random() < 0.5:
            leaf = float(rng.uniform(1, 4))
            for point in line[::4]:
                fill(texture, _oval(point, (leaf, leaf * 0.6)), colour)


def _word(texture: Texture, rng: np.random.Generator) -> None:
    """One to eight letters, upright or across, once or at both ends."""
    letters = "".join(rng.choice(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), int(rng.integers(1, 9))))
    font = open_font(str(rng.choice(TRAIN_FONTS)), int(rng.uniform(30, 260) / len(letters) ** 0.6))
    page = Image.new("L", TEXTURE_SIZE_WH_PX)
    middle = (page.width / 2, page.height * float(rng.choice([0.5, 0.25])))
    ImageDraw.Draw(page).text(middle, letters, font=font, fill=255, anchor="mm")
    if rng.random() < 0.3:
        page = page.rotate(float(rng.choice([90, 45, -45])))
    mask = np.asarray(page, np.float32)[..., None] / 255
    if rng.random() < 0.5:
        mask = np.maximum(mask, mask[::-1, ::-1])
    texture[:] = (texture + (np.asarray(any_colour(rng), np.float32) - texture) * mask + 0.5).astype(np.uint8)


def _fan(texture: Texture, rng: np.random.Generator, faces: Sequence[Texture]) -> None:
    """Pictures of cards, spread like a hand, each with a thin dark edge."""
    width_px, height_px = TEXTURE_SIZE_WH_PX
    share, spread_deg = float(rng.uniform(0.3, 0.62)), float(rng.uniform(8, 28))
    pivot = np.array([width_px / 2, height_px * float(rng.uniform(0.65, 0.85))])
    lean_deg = float(rng.normal(0, 12))
    for i, face in enumerate(faces):
        turn = lean_deg + (i - (len(faces) - 1) / 2) * spread_deg
        matrix = cv2.getRotationMatrix2D((width_px / 2, height_px), -turn, share)
        matrix[:, 2] = matrix[:, 2] + pivot - (width_px / 2, height_px)
        layer = cv2.warpAffine(face, matrix, TEXTURE_SIZE_WH_PX, flags=cv2.INTER_AREA)
        edge = cv2.dilate(layer[..., 3], np.ones((3, 3), np.uint8))
        for alpha, colour in ((edge, np.array([30, 30, 40], np.float32)), (layer[..., 3], layer[..., :3])):
            part = alpha[..., None].astype(np.float32) / 255
            texture[:] = (texture + (colour - texture) * part + 0.5).astype(np.uint8)


def _with_rim(texture: Texture, rng: np.random.Generator) -> Texture:
    """Shrink the picture into one or two rims, mostly pale ones, with straight or round corners."""
    for _ in range(int(rng.integers(1, 3))):
        rim_px = round(float(rng.uniform(0.8, 7)) * PX_PER_MM)
        width_px, height_px = TEXTURE_SIZE_WH_PX
        inner = (width_px - 2 * rim_px, height_px - 2 * rim_px)
        colour = any_colour(rng) if rng.random() < 0.4 else tuple(int(rng.integers(215, 256)) for _ in range(3))
        framed = np.full_like(texture, colour)
        corner_px = round(float(rng.uniform(0, 5)) * PX_PER_MM) if rng.random() < 0.5 else 0
        mask = np.zeros((inner[1], inner[0]), np.uint8)
        mask[corner_px : inner[1] - corner_px, corner_px : inner[0] - corner_px] = 255
        round_px = 2 * corner_px + 1
        rounded = cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (round_px, round_px)))
        part = rounded[..., None].astype(np.float32) / 255
        window = framed[rim_px : rim_px + inner[1], rim_px : rim_px + inner[0]]
        small = cv2.resize(texture, inner, interpolation=cv2.INTER_AREA)
        window[:] = (window + (small.astype(np.float32) - window) * part + 0.5).astype(np.uint8)
        texture = framed
    return texture
