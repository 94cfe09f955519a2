"""Lines and signs that many cloths carry beside their areas: borders, arcs, emblems, outlines of cards."""

from __future__ import annotations

import numpy as np

from thirdcard.calibration.layout import Layout
from thirdcard.datasets.scene.cloth import ClothDrawing, rounded
from thirdcard.datasets.scene.furniture import oriented
from thirdcard.datasets.scene.looks import Colour
from thirdcard.datasets.scene.raster import Points


def print_emblems(drawing: ClothDrawing, layout: Layout, ink: Colour, rng: np.random.Generator) -> None:
    """Print a random selection of them."""
    width, height = layout.size_mm
    if rng.random() < 0.35:
        inset = float(rng.uniform(25, 60))
        drawing.line(oriented((width / 2, height / 2), (width - 2 * inset, height - 2 * inset), 0), ink, width_mm=3.0)
    if rng.random() < 0.5:
        _arcs(drawing, layout, ink, rng)
    if rng.random() < 0.45:
        _ring(drawing, layout, ink, rng)
    if rng.random() < 0.2:
        _card_outlines(drawing, layout, ink, rng)


def _arcs(drawing: ClothDrawing, layout: Layout, ink: Colour, rng: np.random.Generator) -> None:
    width, height = layout.size_mm
    reach, sag = width * float(rng.uniform(0.18, 0.36)), height * float(rng.uniform(0.03, 0.16))
    low = height * float(rng.uniform(0.38, 0.48))
    x = np.linspace(-1, 1, 60)
    for k in range(int(rng.integers(1, 4))):
        line = np.column_stack([width / 2 + x * reach, low + sag * (1 - x**2) + k * 14])
        drawing.line(line, ink, width_mm=float(rng.uniform(1.5, 4)), closed=False)


def _ring(drawing: ClothDrawing, layout: Layout, ink: Colour, rng: np.random.Generator) -> None:
    hands = [np.array(area.centre_mm) for area in layout.of_kind("hand")]
    middle = np.mean(hands, axis=0) if hands and rng.random() < 0.5 else np.array(layout.size_mm) * [0.5, 0.48]
    radius = float(rng.uniform(25, 70))
    for share in (1.0, 0.86):
        drawing.line(middle + _circle(radius * share), ink, width_mm=2.5)
    sign = str(rng.choice(["8", "9", "B", "VIP", "NO 1", "88", "*"]))
    drawing.text(sign, middle, height_mm=radius * 0.7, angle_deg=0, colour=ink, font=9)


def _card_outlines(drawing: ClothDrawing, layout: Layout, ink: Colour, rng: np.random.Generator) -> None:
    """Print places for the cards, as some houses do."""
    for area in layout.of_kind("hand"):
        for k in range(int(rng.integers(2, 4))):
            at = (area.centre_mm[0] + (k - 1) * 82.0, area.centre_mm[1])
            turned = 90.0 if k == 2 else 0.0
            drawing.line(rounded(oriented(at, (66.0, 92.0), turned), 0.08), ink, width_mm=2.0)


def _circle(radius: float) -> Points:
    turn = np.linspace(0, 2 * np.pi, 49)[:-1]
    return np.column_stack([np.cos(turn), np.sin(turn)]) * radius
