"""Draw random layouts: hands at the top, seats on an arc with their wager areas, and shoe, rack and tray."""

from __future__ import annotations

import numpy as np

from thirdcard.calibration.layout import Area, Layout
from thirdcard.datasets.scene.furniture import oriented
from thirdcard.datasets.scene.raster import Points

_SHAPES = ("box", "box", "box", "oval", "hexagon", "trapezium")


def random_layout(rng: np.random.Generator) -> Layout:
    """Draw a layout; generators with equal seeds give the same one."""
    width, height = float(rng.uniform(1700, 2700)), float(rng.uniform(950, 1350))
    areas = [*_hands(rng, width), *_furniture(rng, width), *_seats(rng, width, height)]
    points = {
        name: (float(x * width + rng.normal(0, 8)), float(y * height + rng.normal(0, 8)))
        for name, x, y in (("A", 0.06, 0.3), ("B", 0.94, 0.3), ("C", 0.1, 0.62), ("D", 0.9, 0.62))
    }
    return Layout(
        name="random",
        size_mm=(width, height),
        areas=tuple(areas),
        reference_points=points if rng.random() < 0.6 else {},
    )


def _hands(rng: np.random.Generator, width: float) -> list[Area]:
    box_w, box_h = float(rng.uniform(240, 400)), float(rng.uniform(120, 210))
    gap, top = float(rng.uniform(20, 220)), float(rng.uniform(190, 260))
    middle = width / 2 + float(rng.normal(0, 30))
    tilt = float(rng.choice([0.0, 0.0, rng.uniform(2, 9)]))
    names = ("player", "banker") if rng.random() < 0.75 else ("banker", "player")
    areas = []
    for sign, name in zip((-1, 1), names, strict=True):
        centre = (middle + sign * (gap + box_w) / 2, top + box_h / 2)
        areas.append(
            Area(id=f"{name}-box", kind="hand", hand=name, polygon_mm=oriented(centre, (box_w, box_h), sign * -tilt))
        )
    return areas


def _furniture(rng: np.random.Generator, width: float) -> list[Area]:
    shoe_right = rng.random() < 0.75
    shoe_x = width - rng.uniform(170, 260) if shoe_right else rng.uniform(170, 260)
    rack_x = width - shoe_x + rng.normal(0, 20)
    areas = [
        Area(
            id="shoe",
            kind="shoe",
            polygon_mm=oriented((shoe_x, rng.uniform(160, 220)), (125, rng.uniform(250, 340)), rng.normal(0, 16)),
        ),
        Area(
            id="discard",
            kind="discard",
            polygon_mm=oriented((rack_x, rng.uniform(100, 170)), (85, 112), rng.normal(0, 6)),
        ),
    ]
    tray_w = float(rng.uniform(450, 850))
    areas.append(
        Area(
            id="float",
            kind="chip_tray",
            polygon_mm=oriented((width / 2, rng.uniform(75, 95)), (tray_w, rng.uniform(110, 150)), 0),
        )
    )
    if rng.random() < 0.4:
        lamp = (shoe_x - 200 if shoe_right else shoe_x + 200, float(rng.uniform(70, 120)))
        areas.append(Area(id="lamp", kind="no_more_bets_lamp", polygon_mm=oriented(lamp, (60, 60), 0)))
    return areas


def _seats(rng: np.random.Generator, width: float, height: float) -> list[Area]:
    count = int(rng.integers(4, 10))
    bets = _bets(rng)
    spread = float(rng.uniform(0.36, 0.43)) * width
    low, rise = height * float(rng.uniform(0.62, 0.68)), height * float(rng.uniform(0.05, 0.2))
    turn_share = float(rng.uniform(0.3, 1.0))
    shape = str(rng.choice(_SHAPES))
    slot = 2 * spread / count
    box_w = min(slot * float(rng.uniform(0.6, 0.85)), 170.0)
    areas = []
    for seat in range(1, count + 1):
        share = ((seat - 0.5) / count) * 2 - 1
        centre = np.array([width / 2 + share * spread, low - rise * share**2])
        slope = float(np.degrees(np.arctan2(-2 * rise * share, spread)))
        angle = slope * turn_share
        areas += _seat(seat, bets, centre, angle=angle, box_w=box_w, shape=shape)
    return areas


def _bets(rng: np.random.Generator) -> list[tuple[str, float, float, float]]:
    """Return each bet's place in a seat: across, down (in box widths) and its share of the width."""
    flat = float(rng.uniform(0.38, 0.55))
    order = ["player", "banker"] if rng.random() < 0.5 else ["banker", "player"]
    bets = [(order[0], 0.0, 0.0, 1.0), (order[1], 0.0, flat * 1.12, 1.0)]
    if rng.random() < 0.25:
        bets = [(order[0], -0.27, 0.0, 0.5), (order[1], 0.27, 0.0, 0.5)]
    if rng.random() < 0.9:
        bets.append(("tie", 0.0 if rng.random() < 0.5 else -0.28, -flat * 1.0, 0.5))
    if rng.random() < 0.4:
        bets.append((str(rng.choice(["super_six", "player_pair", "dragon_player"])), 0.36, -flat * 1.0, 0.36))
    return bets


def _seat(
    seat: int, bets: list[tuple[str, float, float, float]], centre: Points, *, angle: float, box_w: float, shape: str
) -> list[Area]:
    a = np.radians(angle)
    right, down = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])
    areas = []
    for bet, across, below, share in bets:
        at = centre + right * across * box_w + down * below * box_w
        size = (box_w * share, box_w * (0.46 if share > 0.6 else 0.4))
        outline = _shape(shape if share > 0.6 else "oval", (float(at[0]), float(at[1])), size, angle)
        areas.append(Area(id=f"s{seat}-{bet}", kind="wager", seat=seat, bet=bet, polygon_mm=outline))
    return areas


def _shape(shape: str, at: tuple[float, float], size: tuple[float, float], angle: float) -> Points:
    if shape == "box":
        return oriented(at, size, angle)
    if shape == "oval":
        turn = np.linspace(0, 2 * np.pi, 29)[:-1]
        points = np.column_stack([np.cos(turn) * size[0] / 2, np.sin(turn) * size[1] / 2])
    elif shape == "hexagon":
        w, h = size[0] / 2, size[1] / 2
        points = np.array([[-w, 0], [-w * 0.75, -h], [w * 0.75, -h], [w, 0], [w * 0.75, h], [-w * 0.75, h]])
    else:
        w, h = size[0] / 2, size[1] / 2
        points = np.array([[-w * 0.85, -h], [w * 0.85, -h], [w, h], [-w, h]])
    a = np.radians(angle)
    turned = points @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
    return np.asarray(turned + np.array(at), np.float64)
