"""The four suit signs as outlines, and the places of a card's pips.

Outlines lie in a unit box: x right, y down, (0, 0) at the centre, height 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thirdcard.datasets.decks.cards import Variety

Outline = npt.NDArray[np.float64]

_HALF_9 = ((-1, -1), (1, -1), (-1, -1 / 3), (1, -1 / 3), (-1, 1 / 3), (1, 1 / 3), (-1, 1), (1, 1))
_SIX = ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1))
PLACES: Mapping[str, tuple[tuple[float, float], ...]] = {
    "A": ((0, 0),),
    "2": ((0, -1), (0, 1)),
    "3": ((0, -1), (0, 0), (0, 1)),
    "4": ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    "5": ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    "6": _SIX,
    "7": (*_SIX, (0, -1 / 2)),
    "8": (*_SIX, (0, -1 / 2), (0, 1 / 2)),
    "9": (*_HALF_9, (0, 0)),
    "10": (*_HALF_9, (0, -2 / 3), (0, 2 / 3)),
}
"""Places of the pips in units of half the spread, (0, 0) at the card's centre."""

_COLUMNS_OF_4 = ((-1, -1), (1, -1), (-1, -1 / 3), (1, -1 / 3), (-1, 1 / 3), (1, 1 / 3), (-1, 1), (1, 1))
OTHER_PLACES: Mapping[str, tuple[tuple[float, float], ...]] = {
    **PLACES,
    "7": (*_SIX, (0, 1 / 2)),
    "8": _COLUMNS_OF_4,
    "9": (*_COLUMNS_OF_4, (0, -2 / 3)),
    "10": (*_COLUMNS_OF_4, (0, -1 / 2), (0, 1 / 2)),
}
"""Another arrangement, found in some decks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PipShape:
    """The proportions of one deck's suit signs, as shares of a sign's height."""

    heart_width: float = 0.92
    heart_cleft: float = 0.16
    heart_belly: float = 0.12
    diamond_width: float = 0.74
    diamond_bend: float = 0.0
    """Below 0 the sides are concave, above 0 convex."""
    club_radius: float = 0.235
    club_spread: float = 0.25
    stem_width: float = 0.22
    """0: no stem."""
    stem_bend: float = 0.6
    spade_lobe: float = 0.0
    """Radius of a spade's two round lobes; 0: the spade is an inverted heart."""
    spade_spread: float = 0.24
    """Distance of each lobe's centre from the middle."""
    spade_shoulder: float = 0.0
    """Below 0 the sides from tip to lobe are concave, above 0 convex."""
    flare: float = 0.0
    """How much wider every sign is at its bottom than at its middle."""


def draw_shape(rng: np.random.Generator, variety: Variety) -> PipShape:
    """Draw a shape; held-out ones are narrow and strongly curved, the varied ones have the widest range."""
    if variety in ("varied", "sparse"):
        return _draw_varied(rng)
    if variety == "held_out":
        return PipShape(
            heart_width=rng.uniform(0.76, 0.84),
            heart_cleft=rng.uniform(0.2, 0.26),
            diamond_width=rng.uniform(0.56, 0.63),
            diamond_bend=rng.uniform(-0.16, -0.1),
            club_radius=rng.uniform(0.205, 0.22),
            stem_width=rng.uniform(0.28, 0.32),
        )
    return PipShape(
        heart_width=rng.uniform(0.84, 1.05),
        heart_cleft=rng.uniform(0.08, 0.22),
        heart_belly=rng.uniform(0.02, 0.22),
        diamond_width=rng.uniform(0.62, 0.95),
        diamond_bend=float(rng.choice([0.0, rng.uniform(-0.12, 0.08)])),
        club_radius=rng.uniform(0.21, 0.27),
        club_spread=rng.uniform(0.23, 0.28),
        stem_width=rng.uniform(0.12, 0.3),
        stem_bend=rng.uniform(0.2, 0.9),
    )


def _draw_varied(rng: np.random.Generator) -> PipShape:
    return PipShape(
        heart_width=rng.uniform(0.84, 1.18),
        heart_cleft=rng.uniform(0.04, 0.3),
        heart_belly=rng.uniform(-0.06, 0.26),
        diamond_width=rng.uniform(0.62, 1.0),
        diamond_bend=float(rng.choice([0.0, rng.uniform(-0.1, 0.14)])),
        club_radius=rng.uniform(0.18, 0.28),
        club_spread=rng.uniform(0.22, 0.31),
        stem_width=float(rng.choice([rng.uniform(0.1, 0.42), 0.0], p=[0.94, 0.06])),
        stem_bend=rng.uniform(-0.3, 1.4),
        spade_lobe=float(rng.choice([0.0, rng.uniform(0.15, 0.25)], p=[0.4, 0.6])),
        spade_spread=rng.uniform(0.19, 0.3),
        spade_shoulder=rng.uniform(-0.14, 0.1),
        flare=rng.uniform(-0.15, 0.15),
    )


def suit_outlines(suit: str, shape: PipShape) -> tuple[Outline, ...]:
    """Return the closed outlines, (N, 2) float64 in the unit box, whose union is the sign of a suit."""
    return tuple(_flared(outline, shape.flare) for outline in _plain_outlines(suit, shape))


def _plain_outlines(suit: str, shape: PipShape) -> tuple[Outline, ...]:
    if suit == "H":
        return (_heart(shape),)
    if suit == "D":
        return (_diamond(shape),)
    stem = (_stem(shape),) if shape.stem_width else ()
    if suit == "S":
        return (*_spade_body(shape), *stem)
    radius, spread = shape.club_radius, shape.club_spread
    centres = ((0.0, radius - 0.5), (-spread, 0.06), (spread, 0.06))
    circles = tuple(_circle(radius) + centre for centre in centres)
    return (*circles, _circle(radius * 0.5) - (0.0, 0.04), *stem)


def _spade_body(shape: PipShape) -> tuple[Outline, ...]:
    if not shape.spade_lobe:
        return (_heart(shape) * (1.0, -0.84) - (0.0, 0.08),)
    radius, spread = shape.spade_lobe, shape.spade_spread
    height = 0.32 - radius
    waist = spread + radius
    shoulder = (waist * (0.45 + shape.spade_shoulder), -0.22)
    side = _bezier((0.0, -0.5), shoulder, (waist, height - radius), (waist, height))
    roof = _mirrored(np.concatenate([side, [(spread, height), (0.0, height + radius * 0.3)]]))
    left, right = (_circle(radius) + np.array([side * spread, height]) for side in (-1, 1))
    return (roof, left, right)


def _flared(outline: Outline, flare: float) -> Outline:
    return np.column_stack([outline[:, 0] * (1.0 + flare * outline[:, 1]), outline[:, 1]])


def _bezier(*points: tuple[float, float], steps: int = 14) -> Outline:
    """Return a quadratic or cubic Bézier curve through its end points, given the control points."""
    s = np.linspace(0.0, 1.0, steps)[:, None]
    curve = [np.asarray(point, dtype=np.float64) for point in points]
    while len(curve) > 1:
        curve = [(1 - s) * first + s * second for first, second in itertools.pairwise(curve)]
    return curve[0]


def _mirrored(right_half: Outline) -> Outline:
    return np.concatenate([right_half, right_half[::-1] * (-1.0, 1.0)])


def _heart(shape: PipShape) -> Outline:
    half, cleft = shape.heart_width / 2, shape.heart_cleft - 0.5
    lobe = _bezier((0.0, cleft), (half * 0.25, -0.6), (half, -0.62), (half, -0.2))
    side = _bezier((half, -0.2), (half, shape.heart_belly), (half * 0.3, 0.22), (0.0, 0.5))
    return _mirrored(np.concatenate([lobe, side]))


def _diamond(shape: PipShape) -> Outline:
    half, bend = shape.diamond_width / 2, shape.diamond_bend
    control = (half * (0.5 + bend), 0.25 + bend * 0.5)
    lower = _bezier((half, 0.0), control, (0.0, 0.5))
    return _mirrored(np.concatenate([lower[::-1] * (1.0, -1.0), lower]))


def _stem(shape: PipShape) -> Outline:
    half = shape.stem_width / 2
    return _mirrored(_bezier((0.035, -0.05), (0.05, 0.5 - 0.5 * shape.stem_bend * 0.3), (half, 0.5)))


def _circle(radius: float) -> Outline:
    angles = np.linspace(0.0, 2 * np.pi, 36, endpoint=False)
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
