"""Knaves, queens and kings as figures: head, crown, robe, an attribute; the lower half is the upper one, rotated."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.datasets.decks.canvas import Colour, Texture, fill, stroke, turned
from thirdcard.datasets.decks.cards import CARD_SIZE_MM, PX_PER_MM

_PALETTES: tuple[tuple[Colour, ...], ...] = (
    ((196, 30, 38), (240, 196, 40), (30, 60, 150), (20, 20, 24)),
    ((200, 44, 40), (232, 180, 60), (24, 24, 28), (244, 240, 228)),
    ((150, 30, 40), (206, 170, 90), (40, 90, 70), (40, 40, 60)),
    ((30, 70, 160), (236, 206, 70), (190, 40, 60), (30, 120, 80)),
    ((90, 40, 110), (220, 190, 120), (30, 40, 90), (180, 60, 60)),
)
_HAIR: tuple[Colour, ...] = ((240, 200, 90), (90, 56, 30), (40, 34, 34), (190, 190, 186), (160, 84, 40))


@dataclass(frozen=True, slots=True)
class CourtStyle:
    """The style that all courts of one deck share."""

    palette: int
    frame_mm: tuple[float, float]
    """Inset of the frame from the card's left and top edge."""
    frame_line_mm: float
    """0: no frame."""
    outline_mm: float
    skin: Colour
    slanted: bool
    """Whether the line between the halves is slanted."""
    sparse: bool
    """Whether there are only outlines in the suit's ink, and little colour."""


def draw_court_style(rng: np.random.Generator, index_width_mm: float) -> CourtStyle:
    """Draw the courts' style; the frame leaves room for the index."""
    inset = float(max(rng.uniform(7.0, 11.5), index_width_mm * rng.uniform(0.8, 1.05)))
    tone = float(rng.uniform(0.75, 1.0))
    return CourtStyle(
        palette=int(rng.integers(len(_PALETTES))),
        frame_mm=(min(inset, 16.0), float(rng.uniform(5.5, 11.0))),
        frame_line_mm=float(rng.choice([0.0, 0.3, 0.5, 0.8])),
        outline_mm=float(rng.uniform(0.2, 0.6)),
        skin=(int(250 * tone), int(222 * tone), int(192 * tone)),
        slanted=bool(rng.random() < 0.5),
        sparse=bool(rng.random() < 0.2),
    )


def draw_court(texture: Texture, rank: str, ink: Colour, style: CourtStyle, rng: np.random.Generator) -> None:
    """Draw both halves of a figure within the frame of `texture`, (440, 315, 3) uint8 RGB."""
    half = texture.copy()
    _Figure(half, rank, ink, style, rng).draw()
    left, top = (round(inset * PX_PER_MM) for inset in style.frame_mm)
    rows, columns = np.mgrid[: half.shape[0], : half.shape[1]]
    slope = -0.35 if style.slanted else 0.0
    upper = rows - half.shape[0] / 2 < (columns - half.shape[1] / 2) * slope
    whole = np.where(upper[..., None], half, turned(half))
    texture[top:-top, left:-left] = whole[top:-top, left:-left]
    if style.frame_line_mm:
        low, high = np.asarray(style.frame_mm), np.asarray(CARD_SIZE_MM) - style.frame_mm
        corners = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
        stroke(texture, corners, ink, width_mm=style.frame_line_mm)


class _Figure:
    """One upper half of a figure, drawn from the robe up; positions in mm of the card."""

    def __init__(self, texture: Texture, rank: str, ink: Colour, style: CourtStyle, rng: np.random.Generator) -> None:
        self.texture, self.rank, self.style, self.rng = texture, rank, style, rng
        self.ink = ink
        order = rng.permutation(len(_PALETTES[style.palette]))
        self.colours = [_PALETTES[style.palette][i] for i in order]
        if style.sparse:
            self.colours = [ink, (250, 246, 236), ink, (250, 246, 236)]
        self.head = np.array([CARD_SIZE_MM[0] / 2 + rng.uniform(-3, 3), style.frame_mm[1] + rng.uniform(12.5, 16.0)])
        self.radius = float(rng.uniform(4.6, 6.2))

    def draw(self) -> None:
        self._robe()
        self._attribute()
        self._hair_and_face()
        self._headdress()

    def _shape(self, points_mm: npt.ArrayLike, colour: Colour) -> None:
        points = np.asarray(points_mm, dtype=np.float64)
        fill(self.texture, points, colour)
        stroke(self.texture, points, (24, 22, 26), width_mm=self.style.outline_mm)

    def _oval(self, centre: npt.NDArray[np.float64], axes: tuple[float, float], colour: Colour) -> None:
        angles = np.linspace(0, 2 * np.pi, 40, endpoint=False)
        self._shape(centre + np.stack([np.cos(angles) * axes[0], np.sin(angles) * axes[1]], axis=1), colour)

    def _robe(self) -> None:
        x, y = self.head
        left, right, bottom = self.style.frame_mm[0], CARD_SIZE_MM[0] - self.style.frame_mm[0], 58.0
        shoulder = y + self.radius * 1.25
        self._shape(
            [
                (x - 4, shoulder),
                (x + 4, shoulder),
                (right, shoulder + 6),
                (right, bottom),
                (left, bottom),
                (left, shoulder + 6),
            ],
            self.colours[0],
        )
        bands = int(self.rng.integers(2, 6))
        for i in range(bands):
            reach = (right - left) * (0.46 - 0.4 * i / bands)
            top = shoulder + 2.0 + i * 0.8
            points = [(x - reach, bottom), (x - reach * 0.25, top), (x + reach * 0.25, top), (x + reach, bottom)]
            self._shape(points, self.colours[(i + 1) % len(self.colours)])
        self._ornaments(x, shoulder + 5, left, right)

    def _ornaments(self, x: float, top: float, left: float, right: float) -> None:
        step, size = float(self.rng.uniform(3.0, 6.0)), float(self.rng.uniform(0.5, 1.2))
        colour, sides = self.colours[-1], int(self.rng.choice([4, 12]))
        angles = np.linspace(0, 2 * np.pi, sides, endpoint=False)
        dot = np.stack([np.cos(angles), np.sin(angles)], axis=1) * size
        for row in np.arange(top, 50, step):
            for column in np.arange(left + 2, right - 1, step):
                if abs(column - x) > 2:
                    fill(self.texture, dot + np.array([column, row]), colour)

    def _attribute(self) -> None:
        side = float(self.rng.choice([-1, 1]))
        x = self.head[0] + side * self.rng.uniform(10, 14)
        top = self.style.frame_mm[1] + self.rng.uniform(2, 8)
        colour = self.colours[1]
        if self.rank == "Q":
            self._oval(np.array([x, top + 4]), (2.6, 2.6), self.colours[2])
            stroke(self.texture, np.array([[x, top + 6], [x, 40]]), (30, 90, 50), width_mm=0.7, closed=False)
            return
        width = float(self.rng.uniform(0.8, 1.8))
        self._shape([(x - width, top), (x + width, top), (x + width, 44), (x - width, 44)], colour)
        if self.rank == "K":
            self._shape([(x - 4, 33), (x + 4, 33), (x + 4, 35), (x - 4, 35)], colour)

    def _hair_and_face(self) -> None:
        hair = _HAIR[int(self.rng.integers(len(_HAIR)))]
        r = self.radius
        if self.rank == "Q":
            self._oval(self.head + np.array([0, 1.5]), (r * 1.35, r * 1.6), hair)
        else:
            self._oval(self.head + np.array([0, 0.6]), (r * 1.25, r * 1.15), hair)
        self._oval(self.head, (r * 0.85, r * 1.1), self.style.skin)
        if self.rank == "K":
            beard = [(-0.8, 0.3), (0.8, 0.3), (0.5, 1.4), (0.0, 1.8), (-0.5, 1.4)]
            self._shape(self.head + np.array(beard) * r, hair)
        middle_px = self.head * PX_PER_MM
        for side in (-1, 1):
            eye_px = (int(middle_px[0] + side * 1.8 * PX_PER_MM), int(middle_px[1] - 0.6 * PX_PER_MM))
            cv2.circle(self.texture, eye_px, 2, (30, 30, 40), -1, cv2.LINE_AA)
        mouth_px = (int(middle_px[0]), int(middle_px[1] + 2.6 * PX_PER_MM))
        cv2.ellipse(self.texture, mouth_px, (5, 2), 0, 0, 360, (190, 60, 60), -1, cv2.LINE_AA)

    def _headdress(self) -> None:
        x, y = self.head[0], self.head[1] - self.radius * 0.8
        half = self.radius * float(self.rng.uniform(1.0, 1.4))
        height = float(self.rng.uniform(3.5, 6.0)) * (1.0 if self.rank == "K" else 0.75)
        if self.rank == "J":
            self._shape(
                [(x - half, y), (x + half, y), (x + half * 0.9, y - 2.6), (x - half * 0.7, y - 3.4)], self.colours[1]
            )
            return
        points = int(self.rng.integers(3, 6)) if self.rank == "K" else int(self.rng.choice([3, 5, 7]))
        edge = [(x - half, y)]
        for i in range(points):
            left = x - half * 1.15 + 2.3 * half * i / points
            edge += [(left + 1.15 * half / points, y - height), (left + 2.3 * half / points, y - height * 0.45)]
        edge[-1] = (x + half, y)
        self._shape(edge, self.colours[1])
