"""Draw backdrops for photographs of cards, including things that must not be mistaken for a card's index.

Cloths, wood, tiles, gradients and clutter; on them words, single letters and signs, keyboards, screens and printed
tables. Pictures are (512, 512, 3) uint8 RGB.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.datasets.decks.cards import RANKS, SUITS
from thirdcard.datasets.decks.pips import draw_shape, suit_outlines
from thirdcard.models.reader.reader_scenery import draw_cloths

SIZE_PX = 512
_LETTERS = list("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdeghknopqrst0123456789%&$.,:-")
_FONTS = (0, 1, 2, 3, 4, 6, 7)
_SHIFT = 4

Picture = npt.NDArray[np.uint8]


def draw_backdrops(rng: np.random.Generator, count: int) -> Picture:
    """Draw `count` backdrops: (count, 512, 512, 3)."""
    return np.stack([_draw_backdrop(rng) for _ in range(count)])


def _draw_backdrop(rng: np.random.Generator) -> Picture:
    ground = (_cloth, _wood, _gradient, _tiles, _clutter)[int(rng.choice(5, p=[0.4, 0.15, 0.2, 0.1, 0.15]))](rng)
    things = (_words, _page, _keyboard, _screen, _lone_marks, _printed_table)
    for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.35, 0.3, 0.2, 0.15]))):
        things[int(rng.integers(len(things)))](ground, rng)
    return ground


def _cloth(rng: np.random.Generator) -> Picture:
    cloth = draw_cloths(rng, 1)[0]
    return np.array(cv2.resize(cloth, (SIZE_PX, SIZE_PX), interpolation=cv2.INTER_CUBIC), np.uint8)


def _wood(rng: np.random.Generator) -> Picture:
    """Draw streaks along one axis in shades of one colour."""
    coarse = rng.normal(0, 1, (int(rng.integers(2, 7)), int(rng.integers(40, 200)))).astype(np.float32)
    grain = cv2.resize(coarse, (SIZE_PX, SIZE_PX), interpolation=cv2.INTER_CUBIC)
    colour = np.array([rng.uniform(70, 225), rng.uniform(50, 180), rng.uniform(30, 150)]) * rng.uniform(0.5, 1.05)
    made = colour * (1 + 0.09 * float(rng.uniform(0.3, 1.6)) * grain[..., None])
    return np.array(made.clip(0, 255), np.uint8)


def _gradient(rng: np.random.Generator) -> Picture:
    corners = (
        rng.uniform(0, 255, (2, 2, 3)) if rng.random() < 0.5 else rng.uniform(0, 255, 3) + rng.normal(0, 18, (2, 2, 3))
    )
    field = cv2.resize(corners.astype(np.float32), (SIZE_PX, SIZE_PX), interpolation=cv2.INTER_LINEAR)
    return np.array((field + rng.normal(0, rng.uniform(0, 6), (SIZE_PX, SIZE_PX, 1))).clip(0, 255), np.uint8)


def _tiles(rng: np.random.Generator) -> Picture:
    picture = _gradient(rng)
    pitch, line = int(rng.integers(24, 160)), int(rng.integers(1, 5))
    colour = _colour(rng)
    for at in range(int(rng.integers(0, pitch)), SIZE_PX, pitch):
        cv2.line(picture, (at, 0), (at, SIZE_PX), colour, line, cv2.LINE_AA)
        cv2.line(picture, (0, at), (SIZE_PX, at), colour, line, cv2.LINE_AA)
    return picture


def _clutter(rng: np.random.Generator) -> Picture:
    picture = _gradient(rng)
    for _ in range(int(rng.integers(5, 60))):
        at = rng.uniform(0, SIZE_PX, 2)
        size = float(np.exp(rng.uniform(np.log(6), np.log(160))))
        corners = at + rng.normal(0, size, (int(rng.integers(3, 7)), 2))
        if rng.random() < 0.3:
            axes = (max(1, round(size)), max(1, round(size * rng.uniform(0.3, 1))))
            turn, width = float(rng.uniform(0, 180)), int(rng.choice([-1, 2, 5]))
            cv2.ellipse(picture, at.astype(int).tolist(), axes, turn, 0, 360, _colour(rng), width, cv2.LINE_AA)
        else:
            cv2.fillConvexPoly(picture, cv2.convexHull(corners.astype(np.int32)), _colour(rng), cv2.LINE_AA)
    return picture


def _words(picture: Picture, rng: np.random.Generator) -> None:
    for _ in range(int(rng.integers(1, 12))):
        _write(picture, rng, rng.integers(-20, SIZE_PX, 2), float(rng.uniform(0.3, 2.2)), int(rng.integers(1, 9)))


def _page(picture: Picture, rng: np.random.Generator) -> None:
    """Draw white paper with lines of print."""
    corner, size = rng.integers(-60, 380, 2), rng.integers(120, 420, 2)
    cv2.rectangle(picture, corner.tolist(), (corner + size).tolist(), _paper(rng), -1)
    scale = float(rng.uniform(0.3, 0.9))
    for y in range(int(corner[1] + 20), int(corner[1] + size[1]), max(9, round(34 * scale))):
        x = int(corner[0] + 8)
        while x < corner[0] + size[0] - 30:
            count = int(rng.integers(1, 9))
            _write(picture, rng, (x, y), scale, count, colour=(30, 30, 34))
            x += round((count + 1) * 19 * scale)


def _keyboard(picture: Picture, rng: np.random.Generator) -> None:
    pitch = int(rng.integers(20, 60))
    corner = rng.integers(-40, 300, 2)
    case, key, ink = _colour(rng), _colour(rng), _paper(rng) if rng.random() < 0.5 else (20, 20, 20)
    rows, columns = 5, int(rng.integers(8, 15))
    cv2.rectangle(picture, corner.tolist(), (corner + 6 + np.array([columns, rows]) * pitch).tolist(), case, -1)
    for row in range(rows):
        for column in range(columns):
            at = corner + 4 + np.array([column, row]) * pitch
            cv2.rectangle(picture, at.tolist(), (at + pitch - 4).tolist(), key, -1)
            text = str(rng.choice(_LETTERS))
            where = (at + np.array([pitch // 5, pitch * 3 // 5])).tolist()
            cv2.putText(picture, text, where, 0, pitch / 55, ink, 1, cv2.LINE_AA)


def _screen(picture: Picture, rng: np.random.Generator) -> None:
    """Draw a bright rectangle with windows and words on it."""
    corner, size = rng.integers(-60, 330, 2), rng.integers(140, 460, 2)
    cv2.rectangle(picture, (corner - 8).tolist(), (corner + size + 8).tolist(), (18, 18, 20), -1)
    cv2.rectangle(picture, corner.tolist(), (corner + size).tolist(), _colour(rng), -1)
    for _ in range(int(rng.integers(1, 6))):
        low = corner + rng.uniform(0, 0.7, 2) * size
        high = np.minimum(low + rng.uniform(0.1, 0.6, 2) * size, corner + size)
        cv2.rectangle(picture, low.astype(int).tolist(), high.astype(int).tolist(), _colour(rng), -1)
        _write(picture, rng, low.astype(int) + 12, float(rng.uniform(0.3, 0.9)), int(rng.integers(2, 12)))


def _lone_marks(picture: Picture, rng: np.random.Generator) -> None:
    """Draw letters without a suit sign, signs without a letter, and letters above something that is no suit sign."""
    for _ in range(int(rng.integers(2, 14))):
        at, height = rng.uniform(0, SIZE_PX, 2), float(rng.uniform(12, 60))
        colour = _colour(rng) if rng.random() < 0.5 else ((190, 20, 30) if rng.random() < 0.5 else (20, 20, 24))
        kind = rng.random()
        if kind < 0.4:
            _sign(picture, rng, at, height, colour)
        else:
            rank = str(rng.choice(RANKS))
            scale = height / 22
            cv2.putText(picture, rank, at.astype(int).tolist(), int(rng.choice(_FONTS)), scale, colour, 2, cv2.LINE_AA)
            if kind > 0.75:
                middle = (at + height * np.array([0.4, 0.7])).astype(int).tolist()
                cv2.circle(picture, middle, max(2, round(height * 0.35)), colour, int(rng.choice([-1, 2])), cv2.LINE_AA)


def _printed_table(picture: Picture, rng: np.random.Generator) -> None:
    """Draw the boxes, arcs and words of a gaming table, sometimes with suit signs."""
    colour = _colour(rng)
    for _ in range(int(rng.integers(2, 6))):
        low, size = rng.integers(-60, 420, 2), rng.integers(40, 240, 2)
        line = int(rng.integers(1, 5))
        if rng.random() < 0.5:
            cv2.rectangle(picture, low.tolist(), (low + size).tolist(), colour, line, cv2.LINE_AA)
        else:
            cv2.ellipse(picture, low.tolist(), size.tolist(), 0, 0, 360, colour, line, cv2.LINE_AA)
        _write(picture, rng, low + size // 3, float(rng.uniform(0.5, 2.0)), int(rng.integers(1, 7)), colour=colour)
        if rng.random() < 0.4:
            _sign(picture, rng, low + size / 2.0, float(rng.uniform(14, 80)), colour)


def _write(
    picture: Picture,
    rng: np.random.Generator,
    at: npt.ArrayLike,
    scale: float,
    count: int,
    colour: tuple[int, int, int] | None = None,
) -> None:
    text = "".join(rng.choice(_LETTERS, count))
    where = [int(each) for each in np.asarray(at)]
    width = max(1, round(scale * float(rng.uniform(1, 2.6))))
    cv2.putText(picture, text, where, int(rng.choice(_FONTS)), scale, colour or _colour(rng), width, cv2.LINE_AA)


def _sign(
    picture: Picture, rng: np.random.Generator, at: npt.NDArray[np.float64], height: float, colour: tuple[int, int, int]
) -> None:
    turn = float(rng.uniform(0, 2 * np.pi)) if rng.random() < 0.5 else 0.0
    matrix = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) * height
    for outline in suit_outlines(str(rng.choice(SUITS)), draw_shape(rng, "plain")):
        points = np.round((outline @ matrix + at) * (1 << _SHIFT)).astype(np.int32)
        cv2.fillPoly(picture, [points], colour, cv2.LINE_AA, _SHIFT)


def _colour(rng: np.random.Generator) -> tuple[int, int, int]:
    red, green, blue = (int(each) for each in rng.integers(0, 256, 3))
    if rng.random() < 0.3:
        return red, red, red
    return red, green, blue


def _paper(rng: np.random.Generator) -> tuple[int, int, int]:
    tone = int(rng.integers(205, 256))
    return tone, tone, tone - int(rng.integers(0, 20))
