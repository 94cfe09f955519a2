"""Print a card's face in other inks: four-colour decks use various, and suits must be recognised by shape as well."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]

DARK_INKS = ((20, 60, 160), (20, 120, 60), (96, 30, 140), (90, 90, 96), (120, 70, 20), (16, 110, 120), (24, 24, 80))
"""Replacements for black ink, RGB."""
BRIGHT_HUES_DEG = (330.0, 300.0, 30.0, 45.0, 210.0, 240.0, 130.0, 15.0)
"""Replacements for the hue of red ink: pink, magenta, orange, amber, blue, indigo, green, vermilion."""


def printed_anew(texture: Picture, rng: np.random.Generator) -> Picture:
    """Replace the black ink, the red ink or both of a texture, (H, W, 3) RGB; paper and shapes stay the same."""
    which = rng.random()
    made = texture
    if which < 0.65:
        made = _dark_replaced(made, DARK_INKS[int(rng.integers(len(DARK_INKS)))])
    if which > 0.35:
        made = _red_turned(made, BRIGHT_HUES_DEG[int(rng.integers(len(BRIGHT_HUES_DEG)))] + float(rng.normal(0, 5)))
    return made


def _dark_replaced(texture: Picture, ink: tuple[int, int, int]) -> Picture:
    """Replace black ink: colourless pixels range from paper to `ink` instead of from paper to black."""
    light = texture.max(axis=2, keepdims=True).astype(np.float32)
    colour = light - texture.min(axis=2, keepdims=True)
    share = (1 - light / 255) * np.clip(1 - colour / 60, 0, 1)
    return np.asarray((texture + share * np.asarray(ink, np.float32)).clip(0, 255), dtype=np.uint8)


def _red_turned(texture: Picture, hue_deg: float) -> Picture:
    """Replace the hue of red pixels; their brightness and saturation stay the same."""
    hsv = cv2.cvtColor(texture, cv2.COLOR_RGB2HSV)
    hue = hsv[..., 0].astype(np.int16)
    red = ((hue < 12) | (hue > 165)) & (hsv[..., 1] > 40)
    hsv[..., 0] = np.where(red, round((hue_deg % 360) / 2) % 180, hue).astype(np.uint8)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB), dtype=np.uint8)
