"""Draw positions of cards in fans, rows, columns, piles or alone, in the order in which they are laid.

A place is (x, y, turn): the card's middle in mm of the table, x right, y down, and its rotation in radians, clockwise
on the screen; 0 is upright.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.float64]
"""(N, 3)."""

_KINDS = {"fan": 0.36, "row": 0.2, "column": 0.12, "columns": 0.06, "pile": 0.1, "pair": 0.06, "apart": 0.1}


def draw_places(rng: np.random.Generator) -> Places:
    """Draw one group of cards about (0, 0), in a random rotation."""
    kinds = list(_KINDS)
    odds = np.array(list(_KINDS.values()))
    kind = str(rng.choice(kinds, p=odds / odds.sum()))
    places = _DRAW[kind](rng)
    places = places + rng.normal(0, 1, places.shape) * _mess(rng)
    if rng.random() < 0.4:
        places[:, 2] += np.pi * (rng.random(len(places)) < 0.5)
    return _turned(places, float(rng.uniform(0, 2 * np.pi)))


def _fan(rng: np.random.Generator) -> Places:
    count = int(rng.integers(2, 14))
    radius = float(np.exp(rng.uniform(np.log(60), np.log(420))))
    step_mm = float(rng.uniform(7, 30))
    angles = (np.arange(count) - (count - 1) / 2) * min(step_mm / (radius + 35), 0.35)
    if rng.random() < 0.15:
        angles = -angles
    x, y = radius * np.sin(angles), radius * (1 - np.cos(angles))
    return np.column_stack([x, y, angles])


def _row(rng: np.random.Generator) -> Places:
    count = int(rng.integers(2, 14))
    step_mm = float(rng.uniform(8, 34) if rng.random() < 0.75 else rng.uniform(34, 75))
    sign = -1.0 if rng.random() < 0.15 else 1.0
    x = (np.arange(count) - (count - 1) / 2) * step_mm * sign
    return np.column_stack([x, x * rng.normal(0, 0.15), np.zeros(count)])


def _column(rng: np.random.Generator) -> Places:
    count = int(rng.integers(2, 10))
    y = (np.arange(count) - (count - 1) / 2) * float(rng.uniform(13, 40))
    return np.column_stack([y * rng.normal(0, 0.2), y, np.zeros(count)])


def _columns(rng: np.random.Generator) -> Places:
    """Draw a bridge player's open hand: one column per suit."""
    step_mm, apart_mm = float(rng.uniform(14, 30)), float(rng.uniform(58, 80))
    parts = []
    for i in range(4):
        count = int(rng.integers(1, 6))
        y = np.arange(count) * step_mm - 40
        parts.append(np.column_stack([np.full(count, (i - 1.5) * apart_mm), y, np.zeros(count)]))
    return np.concatenate(parts)


def _pile(rng: np.random.Generator) -> Places:
    count = int(rng.integers(2, 12))
    reach_mm = float(rng.uniform(20, 120))
    away = rng.normal(0, reach_mm / 2, (count, 2))
    return np.column_stack([away, rng.uniform(0, 2 * np.pi, count)])


def _pair(rng: np.random.Generator) -> Places:
    count = int(rng.integers(2, 5))
    step = rng.uniform((8, 0), (30, 32)) * (1, rng.choice([-1, 1]))
    away = np.arange(count)[:, None] * step
    return np.column_stack([away, np.zeros(count)])


def _apart(rng: np.random.Generator) -> Places:
    """Draw places of whole cards that do not overlap."""
    columns, rows = int(rng.integers(1, 5)), int(rng.integers(1, 3))
    x, y = np.meshgrid(np.arange(columns) - (columns - 1) / 2, np.arange(rows) - (rows - 1) / 2)
    apart_mm = rng.uniform((66, 91), (110, 130))
    return np.column_stack([x.ravel() * apart_mm[0], y.ravel() * apart_mm[1], np.zeros(x.size)])


def _mess(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Draw the spread of cards about their ordered places: mm, mm, radians."""
    amount = float(rng.choice([0.3, 1.0, 3.0], p=[0.3, 0.5, 0.2]))
    return amount * np.array([1.2, 1.6, np.deg2rad(1.6)])


def _turned(places: Places, turn: float) -> Places:
    cosine, sine = np.cos(turn), np.sin(turn)
    x, y = places[:, 0], places[:, 1]
    return np.column_stack([cosine * x - sine * y, sine * x + cosine * y, places[:, 2] + turn])


_DRAW = {
    "fan": _fan,
    "row": _row,
    "column": _column,
    "columns": _columns,
    "pile": _pile,
    "pair": _pair,
    "apart": _apart,
}
