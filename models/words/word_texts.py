"""The texts that cloths bear, and the fonts that they are drawn in.

A text is labelled with the bet whose areas bear it. Fonts are split by family, so that an evaluation shows letters that
training never saw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image as PillowImage
from PIL import ImageDraw

from thirdcard.datasets.fonts.shipped import CLOTH_FONTS, font_path, open_font_file
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.cloth_words import OTHER

LABELS = ("player", "banker", "tie", OTHER)
FONT_PX = 72
"""Size at which letters are drawn before they are scaled."""
HELD_OUT_FAMILIES = (
    "OpenSans", "RobotoSlab", "P052", "Cabin", "Caladea", "BebasNeue", "Vollkorn", "Jura", "Quattrocento", "Lobster",
    "lobster", "Tuffy", "GilliusADF", "Mekanus",
)  # fmt: skip
"""Beginnings of the names of fonts that no training sees."""
WORDS: Mapping[str, Sequence[str]] = {
    "player": ("PLAYER",) * 10 + ("PUNTO", "PUNTO", "JOUEUR", "JOUEUR", "JUGADOR", "SPIELER", "GIOCATORE", "PLAYERS"),
    "banker": ("BANKER",) * 10 + ("BANK", "BANK", "BANCO", "BANCO", "BANQUE", "BANQUIER", "BANCA", "BANKERS"),
    "tie": ("TIE",) * 6 + ("EGALITE", "ÉGALITÉ", "EMPATE", "PAREGGIO", "TIE BET", "STANDOFF"),
}
"""Words of cloths in English, Spanish, Italian, French and German."""
CHARACTERS: Mapping[str, Sequence[str]] = {
    "player": ("闲", "閒", "閑", "闲家"),
    "banker": ("庄", "莊", "庄家"),
    "tie": ("和", "和局"),
}
"""The same in simplified and traditional Chinese characters."""
PRICES: Mapping[str, Sequence[str]] = {
    "player": ("1:1", "PAYS 1 TO 1", "1 TO 1", "EVEN"),
    "banker": ("0.95:1", "1:1", "PAYS 19 TO 20", "PAYS 1 TO 1", "5% COMMISSION"),
    "tie": ("8:1", "PAYS 8 TO 1", "9 FOR 1", "8 TO 1", "9:1"),
}
"""Second lines that stand below a word."""
OTHERS = (
    "PAIR", "P PAIR", "B PAIR", "PLAYER PAIR", "BANKER PAIR", "EITHER PAIR", "PERFECT PAIR", "SUPER 6", "LUCKY 6",
    "SIX", "TIGER", "BIG TIGER", "SMALL TIGER", "DRAGON 7", "PANDA 8", "DRAGON BONUS", "DRAGON", "BIG", "SMALL",
    "BONUS", "BACCARAT", "PUNTO BANCO", "MINI BACCARAT", "NO COMMISSION", "ROYAL CLUB", "GRAND SALON", "MIDI", "CASINO",
    "MIN 25", "MAX 5000", "PAYS 11 TO 1", "11:1", "8:1", "1:1", "40:1", "LUCKY EIGHT", "NATURAL", "ANTE", "INSURANCE",
    "COVER", "HOUSE", "NO MORE BETS", "VIP", "EAST WING", "RED", "BLACK", "EVEN", "ODD", "PLAZA", "PALACE", "PARK",
    "LAYER", "PRAYER", "BAKER", "TANKER", "BANNER", "BUNKER", "BARKER", "PIE", "TEE", "THE", "TIME", "TEAM", "KO",
    "7 UP", "P", "B", "T", "COMMISSION", "DEALER", "DISCARD", "SHOE", "CARDS", "TABLE", "PLAY", "WIN", "LOSE", "HAND",
    "RESERVED",
)  # fmt: skip
"""Other bets, prices, houses' names, and words that look alike."""
OTHER_CHARACTERS = (
    "对", "對", "庄对", "闲对", "庄對", "閒對", "六", "虎", "龙", "龍", "大", "小", "百家乐", "百家樂", "免佣",
)  # fmt: skip
"""Pairs, tigers, dragons, big and small, the game's name, no commission."""
ALPHABET = "".join(
    dict.fromkeys(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" + "".join(each for texts in CHARACTERS.values() for each in texts)
    )
)
"""The letters and characters whose presence is learned beside the label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordFonts:
    """The fonts that words are drawn in."""

    latin: tuple[Path, ...]
    characters: tuple[Path, ...] = ()
    """Fonts with Chinese characters; empty: none is drawn."""


def fonts_of(split: str, characters: Sequence[Path] = ()) -> WordFonts:
    """The shipped fonts of a split, `train` or `held_out`, and further ones for Chinese characters."""
    stems = [stem for stem in CLOTH_FONTS if stem.startswith(HELD_OUT_FAMILIES) == (split == "held_out")]
    return WordFonts(latin=tuple(font_path(stem) for stem in stems), characters=tuple(characters))


def spelling(text: str) -> npt.NDArray[np.float32]:
    """Which letters of ALPHABET are in a text, (len(ALPHABET),): 1 or 0."""
    held = set(text.upper().replace("É", "E"))
    return np.array([letter in held for letter in ALPHABET], np.float32)


def letters(text: str, font: Path, *, apart: float = 0.0, stroke_px: int = 0) -> Image:
    """Draw a line of text, white on black, cropped to its ink: (height, width) uint8.

    Args:
        text: The text.
        font: The font's file.
        apart: Additional space between letters, in their size.
        stroke_px: Above 0 the letters are outlines of this width at FONT_PX.
    """
    face = open_font_file(font, FONT_PX)
    width = round(face.getlength(text) + len(text) * apart * FONT_PX) + 2 * FONT_PX
    canvas = PillowImage.new("L", (width, 3 * FONT_PX))
    pen = ImageDraw.Draw(canvas)
    x = float(FONT_PX)
    for part in text if apart else (text,):
        pen.text((x, FONT_PX), part, fill=255, font=face)
        x += face.getlength(part) + apart * FONT_PX
    mask = np.asarray(canvas, np.uint8)
    if stroke_px:
        grown = cv2.dilate(mask, np.ones((stroke_px, stroke_px), np.uint8))
        mask = np.asarray(cv2.subtract(grown, mask), np.uint8)
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return np.zeros((FONT_PX, FONT_PX), np.uint8)
    return np.ascontiguousarray(mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
