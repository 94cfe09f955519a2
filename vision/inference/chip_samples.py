"""The appearance of a house's chips: their colours, and pictures of their faces where it has them all.

A picture shows more than a colour: rings, spots and inlay as this camera shows them. It is compared ring by ring, so
the chip's rotation and the sharpness of its print do not matter. Colours are BGR, 0 to 255, in the light of white
paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.errors import UnreadableImageError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.stack_height import DISC_PX

RINGS, ANGLES = 12, 32
"""The input of the reader of faces (models/registry.yaml): rings of a disc of 20 px radius, and places on each, 4 px
apart on the outermost."""
LEAST_SAMPLE_PX = 12
"""Least side of a sample picture: a chip at 0.3 px/mm is as wide; in a smaller picture rings blend into each other."""
SQUARE = 0.1
"""Tolerance of a picture's aspect: a picture that a chip fills is as wide as high."""
ALIKE = 12.0
"""CIELAB distance (CIE 76) below which colours are alike. A colour seen under the table's lamp and that in the file
differ by about as much; two chips that are nearer differ in their print only."""
GAINS = (0.75, 1.33)
"""How much darker or brighter than in its sample a chip may be elsewhere on the table: lamps on rendered tables
differ by a third."""
_RADII = (np.arange(RINGS) + 0.5) / RINGS * DISC_PX / 2
_TURNS = np.arange(ANGLES) * 2 * np.pi / ANGLES
_AREAS = _RADII / _RADII.sum()
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ChipLooks:
    """A house's chips, in a fixed order."""

    colours: FloatArray
    """(K, 3) the main colour of each."""
    rings: FloatArray | None = None
    """(K, RINGS, 3) the mean colour of each ring of their faces; None where not every chip has a picture."""

    def __len__(self) -> int:
        return len(self.colours)


NO_CHIPS = ChipLooks(np.zeros((0, 3)))


def load_looks(colours_rgb: Sequence[tuple[int, int, int]], samples: Sequence[Path | None]) -> ChipLooks:
    """Load the looks of chips from their colours and pictures; pictures are used only if every chip has one.

    Raises:
        UnreadableImageError: A picture cannot be read, or does not show a chip that fills it.
    """
    colours = np.array([colour[::-1] for colour in colours_rgb], np.float64).reshape(-1, 3)
    rings = [load_sample(path) for path in samples if path is not None]
    return ChipLooks(colours, np.stack(rings) if rings and len(rings) == len(colours) else None)


def load_sample(path: Path) -> FloatArray:
    """Load the mean ring colours, (RINGS, 3), of a chip's face from a picture that the chip fills.

    Raises:
        UnreadableImageError: The file cannot be read, or is too small or not square.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableImageError(str(path), error.strerror or "cannot be read") from error
    picture = cv2.imdecode(np.frombuffer(data or b"\0", np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        raise UnreadableImageError(str(path), "cannot be decoded")
    height, width = picture.shape[:2]
    if min(height, width) < LEAST_SAMPLE_PX or abs(height - width) > SQUARE * max(height, width):
        reason = f"is {width} x {height} px; must be a square picture that the chip fills, {LEAST_SAMPLE_PX} px or more"
        raise UnreadableImageError(str(path), reason)
    side = int(DISC_PX)
    small = cv2.resize(np.asarray(picture, np.uint8), (side, side), interpolation=cv2.INTER_AREA)
    return rings_of(sampled_face(np.asarray(small, np.uint8), (0.0, 0.0)))


def sampled_face(crop: Image, middle_px: tuple[float, float]) -> Image:
    """Sample a face on rings, (RINGS, ANGLES, 3) uint8; `middle_px` is its centre, right of and below the crop's."""
    x = np.outer(_RADII, np.cos(_TURNS)) + middle_px[0] + (crop.shape[1] - 1) / 2
    y = np.outer(_RADII, np.sin(_TURNS)) + middle_px[1] + (crop.shape[0] - 1) / 2
    flags = cv2.INTER_LINEAR
    return np.asarray(
        cv2.remap(crop, x.astype(np.float32), y.astype(np.float32), flags, borderMode=cv2.BORDER_REPLICATE)
    )


def rings_of(face: NDArray[np.uint8] | FloatArray) -> FloatArray:
    """Return the mean colour of each ring of a face, (RINGS, 3)."""
    return np.asarray(np.mean(face, axis=1, dtype=np.float64), np.float64)


def rings_apart(one: FloatArray, other: FloatArray) -> float:
    """Return the difference of two faces' rings in levels: the root of their mean square difference.

    Each ring counts by its area. The other face may be somewhat brighter or darker as a whole; the gain that brings it
    nearest is g = sum(one * other) / sum(other * other), within GAINS.
    """
    weight = _AREAS[:, None]
    gain = (weight * one * other).sum() / max(float((weight * other * other).sum()), 1e-9)
    away = one - np.clip(gain, *GAINS) * other
    return float(np.sqrt((weight * away * away).sum() / 3))


def colours_apart(one: FloatArray | tuple[int, ...], other: FloatArray | tuple[int, ...]) -> float:
    """Return the CIELAB distance of two colours, both BGR or both RGB."""
    pixels = np.array([[one, other]], np.float32) / 255.0
    lab = cv2.cvtColor(pixels, cv2.COLOR_BGR2LAB)[0]
    return float(np.linalg.norm(lab[0] - lab[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class AlikePair:
    """Two kinds of chips that the camera may confuse."""

    first: int
    second: int
    """Their positions in the house's order."""
    colour_apart: float
    """CIELAB distance; below ALIKE."""
    print_apart: float | None
    """Difference in levels, as `rings_apart` gives it; None where not every chip has a picture."""


def alike_pairs(looks: ChipLooks, *, print_needed: float) -> list[AlikePair]:
    """Return the pairs of chips whose colours are alike, and whose faces, where known, are alike too.

    Args:
        looks: The chips.
        print_needed: Levels by which faces must differ.
    """
    found = []
    for first, second in combinations(range(len(looks)), 2):
        colour = colours_apart(looks.colours[first, ::-1], looks.colours[second, ::-1])
        if colour >= ALIKE:
            continue
        apart = None if looks.rings is None else rings_apart(looks.rings[first], looks.rings[second])
        if apart is None or apart < print_needed:
            found.append(AlikePair(first=first, second=second, colour_apart=colour, print_apart=apart))
    return found
