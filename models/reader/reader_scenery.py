"""Draw what lies under, beside and on top of a card in training samples: cloths, print, chips, fingers, sleeves.

Pictures are (H, W, 3) uint8 RGB at the camera's resolution; masks are (H, W) float32, 0..1.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.float32]

CLOTH_SIZE_PX = 320
_SKINS = ((236, 190, 160), (214, 160, 126), (186, 130, 96), (140, 92, 64), (96, 62, 44), (240, 204, 182))
_PRINTS = ((236, 230, 210), (240, 206, 96), (190, 40, 44), (30, 50, 120), (20, 20, 20), (120, 190, 230))


def draw_cloths(rng: np.random.Generator, count: int) -> Picture:
    """Draw `count` cloths with weave, wear and print: (count, 320, 320, 3) uint8 RGB."""
    return np.stack([_draw_cloth(rng) for _ in range(count)])


def _draw_cloth(rng: np.random.Generator) -> Picture:
    size = CLOTH_SIZE_PX
    hue, full, bright = rng.uniform(0, 180), rng.beta(2, 1.4) * 255, rng.uniform(15, 200)
    if rng.random() < 0.55:
        hue, full, bright = (
            rng.choice([60, 70, 108, 115, 0, 150]) + rng.normal(0, 8),
            rng.uniform(90, 240),
            rng.uniform(30, 140),
        )
    base = cv2.cvtColor(np.array([[[hue % 180, full, bright]]], dtype=np.uint8), cv2.COLOR_HSV2RGB)[0, 0].astype(
        np.float32
    )
    wear = cv2.resize(rng.normal(1, 0.08, (6, 6)).astype(np.float32), (size, size), interpolation=cv2.INTER_CUBIC)
    grain = rng.normal(0, rng.uniform(0.5, 9), (size, size)).astype(np.float32)
    cloth = base * wear[..., None] + cv2.GaussianBlur(grain, (0, 0), float(rng.uniform(0.5, 1.5)))[..., None]
    picture = np.clip(cloth, 0, 255).astype(np.uint8)
    for _ in range(int(rng.integers(0, 9))):
        _print_something(picture, rng)
    if rng.random() < 0.5:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.4, 1.2))), dtype=np.uint8)
    return np.asarray(picture, dtype=np.uint8)


def _print_something(picture: Picture, rng: np.random.Generator) -> None:
    colour = _colour(rng)
    points = rng.integers(-40, CLOTH_SIZE_PX + 40, (4, 2)).astype(np.int32)
    kind, width = rng.random(), int(rng.integers(1, 5))
    if kind < 0.35:
        cv2.polylines(picture, [points[:3]], False, colour, width, cv2.LINE_AA)
    elif kind < 0.5:
        cv2.fillConvexPoly(picture, cv2.convexHull(points), colour, cv2.LINE_AA)
    elif kind < 0.65:
        cv2.ellipse(
            picture,
            points[0].tolist(),
            (int(rng.integers(10, 120)), int(rng.integers(10, 90))),
            float(rng.uniform(0, 180)),
            0,
            360,
            colour,
            width,
            cv2.LINE_AA,
        )
    elif kind < 0.85:
        word = "".join(rng.choice(list("ABEINKPLRTY0123456789"), int(rng.integers(1, 7))))
        face = int(rng.choice([0, 2, 3, 4, 6]))
        cv2.putText(picture, word, points[0].tolist(), face, float(rng.uniform(0.4, 2.2)), colour, width, cv2.LINE_AA)
    else:
        draw_chip(picture, points[0].astype(np.float64), float(rng.uniform(10, 30)), rng)


def _colour(rng: np.random.Generator) -> tuple[int, int, int]:
    if rng.random() < 0.6:
        red, green, blue = _PRINTS[int(rng.integers(len(_PRINTS)))]
        return red, green, blue
    red, green, blue = (int(x) for x in rng.integers(0, 256, 3))
    return red, green, blue


def draw_chip(picture: Picture, at_px: npt.NDArray[np.float64], radius_px: float, rng: np.random.Generator) -> Mask:
    """Draw a chip, or a short stack of them, and return its mask."""
    body, spots, inlay = _colour(rng), _colour(rng), _colour(rng)
    mask = np.zeros(picture.shape[:2], dtype=np.uint8)
    turn, count = float(rng.uniform(0, 360)), int(rng.choice([4, 6, 8]))
    lean = rng.normal(0, 0.08, 2) * radius_px
    for level in range(int(rng.integers(1, 5))):
        centre = tuple(int(v) for v in np.round((at_px + lean * level) * 8))
        cv2.circle(picture, centre, int(radius_px * 8), body, -1, cv2.LINE_AA, 3)
        cv2.circle(mask, centre, int(radius_px * 8), 255, -1, cv2.LINE_AA, 3)
        axes = (int(radius_px * 7.2), int(radius_px * 7.2))
        for i in range(count):
            start = turn + 360 * i / count + 13 * level
            cv2.ellipse(
                picture,
                centre,
                axes,
                0,
                start,
                start + 160 / count,
                spots,
                max(1, round(radius_px * 0.2)),
                cv2.LINE_AA,
                3,
            )
        cv2.circle(picture, centre, int(radius_px * 4.8), inlay, -1, cv2.LINE_AA, 3)
    return np.asarray(mask / np.float32(255), dtype=np.float32)


def draw_fingers(picture: Picture, tip_px: npt.NDArray[np.float64], width_px: float, rng: np.random.Generator) -> Mask:
    """Draw one to four fingers, a palm or a sleeve reaching `tip_px` from a random side; return their mask."""
    skin = np.array(_SKINS[int(rng.integers(len(_SKINS)))]) * rng.uniform(0.6, 1.05)
    if rng.random() < 0.15:
        skin = np.array(_colour(rng)) * 0.6
    direction = rng.uniform(0, 2 * np.pi)
    reach, across = np.array([np.cos(direction), np.sin(direction)]), np.array([-np.sin(direction), np.cos(direction)])
    mask = np.zeros(picture.shape[:2], dtype=np.uint8)
    for i in range(int(rng.integers(1, 5))):
        tip = tip_px + across * width_px * 1.05 * i + reach * width_px * abs(rng.normal(0, 0.5))
        base = tip + reach * width_px * 14 + across * width_px * rng.normal(0, 0.6)
        first, second = (tuple(int(v) for v in np.round(point * 8)) for point in (tip, base))
        cv2.line(mask, first, second, 255, max(1, int(width_px)), cv2.LINE_AA, 3)
        shade = tuple(float(v) for v in skin * rng.uniform(0.85, 1.05))
        cv2.line(picture, first, second, shade, max(1, int(width_px)), cv2.LINE_AA, 3)
        if width_px > 5 and rng.random() < 0.6:
            nail = tuple(int(v) for v in np.round((tip + reach * width_px * 0.05) * 8))
            cv2.circle(
                picture,
                nail,
                int(width_px * 2.4),
                tuple(float(v) for v in np.minimum(skin * 1.15, 255)),
                -1,
                cv2.LINE_AA,
                3,
            )
    return np.asarray(mask / np.float32(255), dtype=np.float32)
