"""Draw the 52 faces of a generated deck from the parameters of its style."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from thirdcard.datasets.decks.canvas import Colour, Mask, Texture, blank, fill_all, stamp, stroke
from thirdcard.datasets.decks.cards import CARD_SIZE_MM, PX_PER_MM, Variety
from thirdcard.datasets.decks.courts import CourtStyle, draw_court, draw_court_style
from thirdcard.datasets.decks.glyphs import font_masks, stroke_masks, warped
from thirdcard.datasets.decks.pips import OTHER_PLACES, PLACES, PipShape, draw_shape, suit_outlines
from thirdcard.datasets.fonts.shipped import HELD_OUT_FONTS, SPARSE_FONTS, TRAIN_FONTS, VARIED_FONTS

_RED: tuple[Colour, ...] = ((206, 22, 34), (190, 16, 40), (222, 44, 38), (170, 20, 30), (226, 30, 60))
_BLACK: tuple[Colour, ...] = ((18, 18, 20), (32, 32, 36), (10, 14, 30), (44, 40, 40))
_GREEN: tuple[Colour, ...] = ((20, 120, 60), (10, 96, 40), (30, 140, 50))
_BLUE: tuple[Colour, ...] = ((24, 70, 180), (30, 100, 200), (16, 60, 140))
_ORANGE: tuple[Colour, ...] = ((226, 120, 20), (210, 100, 20), (228, 190, 50), (236, 206, 60))
_LAYOUTS = (0.8, 0.09, 0.05, 0.06)
_LAYOUTS_SPARSE = (0.4, 0.2, 0.16, 0.24)
"""Probabilities of the layouts `pips`, `magnum`, `letter` and `lone`."""

_FONTS: Mapping[Variety, tuple[str, ...]] = {
    "plain": TRAIN_FONTS,
    "varied": VARIED_FONTS,
    "sparse": SPARSE_FONTS,
    "held_out": HELD_OUT_FONTS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FaceStyle:
    """Everything that distinguishes one deck's faces from another's."""

    paper: Colour
    inks: Mapping[str, Colour]
    masks: Mapping[str, Mask]
    """A letter mask per rank."""
    shape: PipShape
    index_kind: str
    """`normal`, `jumbo`, `giant` or `peek`."""
    index_height_mm: float
    index_squeeze: float
    """Width of a letter relative to that of its font."""
    index_at_mm: tuple[float, float]
    """Centre of the index's column, and its top."""
    index_pip: float
    """Height of the sign under the index relative to the index's height; 0: none."""
    index_pip_beside: bool
    corners: int
    """Number of corners with an index: 2 or 4."""
    usual_places: bool
    """Whether the pips of 7 to 10 are arranged in the common way."""
    turned_pips: bool
    """Whether the lower pips are upside down."""
    layout: str
    """`pips`, `magnum` (one large sign), `letter` (one large letter and sign) or `lone` (one small sign)."""
    pip_height_mm: float
    pip_spread_mm: tuple[float, float]
    """Half the distance between the outer columns, and between the outer rows."""
    ace_height_mm: float
    court: CourtStyle
    court_layout: str
    """`figure`; `letter` (two large ones) or `initial` (a single one) for courts without a figure."""
    border_mm: float
    """Inset of a line round the face; 0: no line."""
    shading: float = 0.0
    """How much darker the face is printed at its bottom than at its top."""


def draw_face_style(rng: np.random.Generator, variety: Variety) -> FaceStyle:
    """Draw a style; held-out ones take letters, signs and pip places that are never trained on."""
    held_out, is_sparse = variety == "held_out", variety == "sparse"
    is_varied = is_sparse or variety == "varied"
    kind = str(rng.choice(["normal", "jumbo", "giant", "peek"], p=[0.47, 0.33, 0.08, 0.12]))
    height = float(
        rng.uniform(*{"normal": (6.0, 9.0), "jumbo": (10.0, 15.0), "giant": (16, 22), "peek": (4, 5.6)}[kind])
    )
    squeeze = float(rng.uniform(0.62, 1.05)) * {"giant": 0.8, "jumbo": 0.85}.get(kind, 1.0)
    masks = _draw_masks(rng, variety)
    pip = float(rng.uniform(0.55, 1.05)) * {"giant": 0.6, "jumbo": 0.8}.get(kind, 1.0)
    at, width = _place_index(rng, masks, height, squeeze * (0.75 if kind == "giant" else 1.0))
    spread = (float(rng.uniform(10.5, 15.0)), float(rng.uniform(22.0, 30.0)))
    if held_out:
        spread = (float(rng.uniform(9.0, 10.4)), float(rng.uniform(24.0, 27.0)))
    layout = str(rng.choice(["pips", "magnum", "letter", "lone"], p=_LAYOUTS_SPARSE if is_sparse else _LAYOUTS))
    return FaceStyle(
        paper=_draw_paper(rng),
        inks=_draw_varied_inks(rng) if is_varied else _draw_inks(rng),
        masks=masks,
        shape=draw_shape(rng, variety),
        index_kind=kind,
        index_height_mm=height,
        index_squeeze=squeeze,
        index_at_mm=at,
        index_pip=pip if rng.random() < 0.96 else 0.0,
        index_pip_beside=kind == "giant" and bool(rng.random() < 0.5),
        corners=4 if kind in ("normal", "peek") and rng.random() < 0.25 else 2,
        usual_places=held_out or bool(rng.random() < 0.88),
        turned_pips=bool(rng.random() < 0.93),
        layout=layout,
        pip_height_mm=float(rng.uniform(9.0, 14.5) if kind in ("normal", "peek") else rng.uniform(7.5, 11.5)),
        pip_spread_mm=(min(spread[0], max(7.0, 29.0 - width * 1.05)), spread[1]),
        ace_height_mm=float(rng.uniform(11.0, 36.0)),
        court=draw_court_style(rng, width + 2),
        court_layout=_court_layout(float(rng.random()), variety),
        border_mm=float(rng.uniform(1.2, 3.2)) if rng.random() < 0.08 else 0.0,
        shading=float(rng.uniform(-0.25, 0.25)) if is_varied and rng.random() < 0.3 else 0.0,
    )


def draw_face(
    style: FaceStyle,
    card: str,
    rng: np.random.Generator,
    *,
    court_picture: Texture | None = None,
    figure: str | None = None,
) -> Texture:
    """Draw one face, (440, 315, 3) uint8 RGB, upright.

    A court may get its figure from a picture, (H, W, 3), or the figure of another rank.
    """
    rank, suit = card[:-1], card[-1]
    texture, ink = blank(style.paper), style.inks[suit]
    if style.border_mm:
        stroke(texture, _rectangle(style.border_mm), ink, width_mm=0.4)
    if rank in PLACES:
        _draw_pips(texture, style, rank, suit)
    elif court_picture is not None:
        _paste_court(texture, style, court_picture)
    elif style.court_layout == "figure":
        draw_court(texture, figure or rank, ink, style.court, rng)
        _draw_court_signs(texture, style, suit)
    elif style.court_layout == "initial":
        _draw_initial(texture, style, rank, suit)
    else:
        _draw_letter(texture, style, rank, suit)
    _draw_indices(texture, style, rank, suit)
    return _shaded(texture, style.shading) if style.shading else texture


def index_boxes_mm(style: FaceStyle) -> tuple[tuple[float, float, float, float], ...]:
    """Return the boxes of a face's indices: (left, top, right, bottom) in mm for each corner with an index."""
    width = max(_letter_width_mm(style, rank) for rank in ("10", "Q"))
    x, y = style.index_at_mm
    bottom = y + style.index_height_mm * (1.0 if style.index_pip_beside else 1.15 + style.index_pip)
    right = x + width / 2 + (style.index_height_mm * 0.7 if style.index_pip_beside else 0.0)
    left, (card_width, card_height) = max(0.0, x - width / 2), CARD_SIZE_MM
    boxes = [(left, y, right, bottom), (card_width - right, card_height - bottom, card_width - left, card_height - y)]
    if style.corners == 4:
        boxes += [(card_width - right, y, card_width - left, bottom)]
        boxes += [(left, card_height - bottom, right, card_height - y)]
    return tuple(boxes)


def _draw_masks(rng: np.random.Generator, variety: Variety) -> dict[str, Mask]:
    fonts, held_out = _FONTS[variety], variety == "held_out"
    width, slant = float(rng.uniform(0.8, 1.1)), float(rng.choice([0.0, 0.0, 0.0, rng.uniform(0.08, 0.22)]))
    if not held_out and rng.random() < (0.25 if variety == "plain" else 0.15):
        masks = stroke_masks(rng)
    else:
        masks = font_masks(fonts[int(rng.integers(len(fonts)))], width=width, slant=slant)
    strength = 0.0 if held_out else float(rng.choice([0.0, 0.015, 0.03]))
    return {rank: warped(mask, rng, strength=strength) for rank, mask in masks.items()}


def _court_layout(draw: float, variety: Variety) -> str:
    if draw < {"plain": 0.86, "varied": 0.74, "sparse": 0.6, "held_out": 0.93}[variety]:
        return "figure"
    return "letter" if variety == "held_out" or draw < (0.92 if variety == "plain" else 0.84) else "initial"


def _draw_paper(rng: np.random.Generator) -> Colour:
    tone = int(rng.integers(236, 256))
    warm = int(rng.integers(0, 14)) if rng.random() < 0.5 else 0
    return tone, tone - warm // 3, tone - warm


def _draw_inks(rng: np.random.Generator) -> dict[str, Colour]:
    def one_of(colours: tuple[Colour, ...]) -> Colour:
        return colours[int(rng.integers(len(colours)))]

    red, black = one_of(_RED), one_of(_BLACK)
    if rng.random() < 0.8:
        return {"C": black, "D": red, "H": red, "S": black}
    blue_diamonds = rng.random() < 0.6
    diamonds = one_of(_BLUE) if blue_diamonds else one_of(_ORANGE)
    spades = one_of(_BLUE) if not blue_diamonds and rng.random() < 0.4 else black
    return {"C": one_of(_GREEN), "D": diamonds, "H": red, "S": spades}


def _draw_varied_inks(rng: np.random.Generator) -> dict[str, Colour]:
    """Draw inks of any shade that counts as red or black; a third of the decks have four colours."""

    def shade(hues: tuple[float, float], saturations: tuple[float, float], values: tuple[float, float]) -> Colour:
        hsv = np.array([rng.uniform(*hues) % 180, rng.uniform(*saturations), rng.uniform(*values)])
        red, green, blue = cv2.cvtColor(hsv.astype(np.uint8)[None, None], cv2.COLOR_HSV2RGB)[0, 0].tolist()
        return red, green, blue

    red = shade((170, 188), (170, 255), (130, 240))
    black = shade((0, 180), (0, 120), (5, 95))
    if rng.random() < 0.65:
        return {"C": black, "D": red, "H": red, "S": black}
    clubs = shade((45, 95), (90, 255), (70, 190))
    orange = rng.random() < 0.5
    diamonds = shade((8, 32), (120, 255), (150, 245)) if orange else shade((95, 125), (110, 255), (110, 240))
    spades = shade((105, 150), (70, 220), (70, 220)) if rng.random() < 0.5 else black
    return {"C": clubs, "D": diamonds, "H": red, "S": spades}


def _place_index(
    rng: np.random.Generator, masks: Mapping[str, Mask], height: float, squeeze: float
) -> tuple[tuple[float, float], float]:
    """Return the centre and top of the index's column, and its right edge, in mm."""
    widths = [mask.shape[1] / mask.shape[0] for mask in masks.values()]
    width = min(max(widths), 0.95) * height * squeeze
    left = float(rng.uniform(1.6, 3.8))
    return (left + width / 2, float(rng.uniform(2.4, 5.5))), left + width


def _letter_width_mm(style: FaceStyle, rank: str) -> float:
    mask = style.masks[rank]
    natural: float = mask.shape[1] / mask.shape[0] * style.index_height_mm * style.index_squeeze
    limit = {"normal": 8.0, "jumbo": 11.5, "giant": 17.0, "peek": 5.0}[style.index_kind]
    return min(natural, limit)


def _rectangle(inset_mm: float) -> np.ndarray:
    right, bottom = CARD_SIZE_MM[0] - inset_mm, CARD_SIZE_MM[1] - inset_mm
    return np.array([[inset_mm, inset_mm], [right, inset_mm], [right, bottom], [inset_mm, bottom]])


def _draw_sign(
    texture: Texture, style: FaceStyle, suit: str, *, at_mm: tuple[float, float], height_mm: float, turn: bool = False
) -> None:
    outlines = suit_outlines(suit, style.shape)
    fill_all(texture, (outline * height_mm + at_mm for outline in outlines), style.inks[suit], turn=turn)


def _shaded(texture: Texture, shading: float) -> Texture:
    ramp = 1.0 - np.linspace(max(-shading, 0.0), max(shading, 0.0), len(texture), dtype=np.float32)
    return np.asarray(texture * ramp[:, None, None], dtype=np.uint8)


def _draw_pips(texture: Texture, style: FaceStyle, rank: str, suit: str) -> None:
    middle = CARD_SIZE_MM[0] / 2, CARD_SIZE_MM[1] / 2
    if rank == "A":
        _draw_sign(texture, style, suit, at_mm=middle, height_mm=style.ace_height_mm)
    elif style.layout == "pips":
        for x, y in (PLACES if style.usual_places else OTHER_PLACES)[rank]:
            at_mm = middle[0] + x * style.pip_spread_mm[0], middle[1] + y * style.pip_spread_mm[1]
            turn = y > 0 and style.turned_pips
            if turn:
                at_mm = CARD_SIZE_MM[0] - at_mm[0], CARD_SIZE_MM[1] - at_mm[1]
            _draw_sign(texture, style, suit, at_mm=at_mm, height_mm=style.pip_height_mm, turn=turn)
    elif style.layout == "letter":
        _draw_letter(texture, style, rank, suit)
    else:
        height_mm = style.ace_height_mm * 0.5 + (24.0 if style.layout == "magnum" else 4.0)
        _draw_sign(texture, style, suit, at_mm=middle, height_mm=height_mm)


def _draw_letter(texture: Texture, style: FaceStyle, rank: str, suit: str) -> None:
    """Draw a large letter in the upper half and, rotated, in the lower one."""
    mask = style.masks[rank]
    height_mm = 20.0 + style.ace_height_mm * 0.3
    width_mm = min(height_mm * mask.shape[1] / mask.shape[0], 24.0)
    for turn in (False, True):
        stamp(texture, mask, style.inks[suit], box_mm=(31.5, 42.0 - height_mm / 2, width_mm, height_mm), turn=turn)


def _paste_court(texture: Texture, style: FaceStyle, picture: Texture) -> None:
    left, top = (round(inset * PX_PER_MM) for inset in style.court.frame_mm)
    rows, columns = slice(top, texture.shape[0] - top), slice(left, texture.shape[1] - left)
    size = columns.stop - left, rows.stop - top
    texture[rows, columns] = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)


def _draw_initial(texture: Texture, style: FaceStyle, rank: str, suit: str) -> None:
    """Draw a single large letter in the middle, with an edge of another colour."""
    mask = style.masks[rank]
    height_mm = 26.0 + style.ace_height_mm * 0.6
    width_mm = min(height_mm * mask.shape[1] / mask.shape[0], 36.0)
    rim: Colour = (206, 170, 80) if style.court.sparse or style.court.slanted else (120, 120, 126)
    stamp(texture, mask, rim, box_mm=(32.4, 44.9, width_mm, height_mm))
    stamp(texture, mask, style.inks[suit], box_mm=(31.5, 44.0, width_mm, height_mm))


def _draw_court_signs(texture: Texture, style: FaceStyle, suit: str) -> None:
    """Draw one sign beside each head, as most courts have."""
    height_mm = style.pip_height_mm * 0.8
    left, top = style.court.frame_mm
    at_mm = left + height_mm * 0.55 + 0.6, top + height_mm * 0.55 + 0.8
    for turn in (False, True):
        _draw_sign(texture, style, suit, at_mm=at_mm, height_mm=height_mm, turn=turn)


def _draw_indices(texture: Texture, style: FaceStyle, rank: str, suit: str) -> None:
    x, y = style.index_at_mm
    height, width = style.index_height_mm, _letter_width_mm(style, rank)
    pip_mm = height * style.index_pip
    columns = (x, CARD_SIZE_MM[0] - x) if style.corners == 4 else (x,)
    for column in columns:
        for turn in (False, True):
            stamp(
                texture, style.masks[rank], style.inks[suit], box_mm=(column, y + height / 2, width, height), turn=turn
            )
            if pip_mm:
                below = (column, y + height * 1.12 + pip_mm / 2)
                beside = (column + width / 2 + pip_mm * 0.6, y + height / 2)
                at_mm = beside if style.index_pip_beside else below
                _draw_sign(texture, style, suit, at_mm=at_mm, height_mm=pip_mm, turn=turn)
