"""Draw the surroundings of a table: the floor, stools, and sitting and standing people."""

from __future__ import annotations

import cv2
import numpy as np

from thirdcard.datasets.scene.furniture import Backdrop, shaded
from thirdcard.datasets.scene.looks import Colour, Look
from thirdcard.datasets.scene.raster import Image, Points, bgr_from_hex, smooth_noise

_STOOLS = ("#2a2a30", "#4a2020", "#203040", "#5a5040", "#181818", "#6a6a72", "#a09888")
_CLOTHES = (
    "#1a1c24",
    "#e8e8e4",
    "#28344a",
    "#5a1e22",
    "#6c6450",
    "#8aa0b8",
    "#30402c",
    "#b0a090",
    "#3c3c40",
    "#c0b8d0",
)
_HAIR = ("#120e0c", "#2a1c14", "#4a3420", "#7a6040", "#8a8680", "#c8c0b4", "#1c1412", "#b08c70")


def draw_floor(look: Look, size_wh_px: tuple[int, int], rng: np.random.Generator) -> Image:
    """Return a carpet that fills the picture."""
    width, height = size_wh_px[0] // 2, size_wh_px[1] // 2
    grain = smooth_noise(rng, (width, height), float(rng.uniform(3, 15))) * 0.1
    grain += smooth_noise(rng, (width, height), float(rng.uniform(30, 150))) * 0.15
    if rng.random() < 0.4:
        x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
        pitch, turn = float(rng.uniform(9, 35)), float(rng.uniform(0, np.pi))
        along, across = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
        waves = np.sin(along * 2 * np.pi / pitch) * np.sin(across * 2 * np.pi / pitch / float(rng.uniform(0.7, 1.6)))
        grain += (np.sign(waves) * float(rng.uniform(0.05, 0.3))).astype(np.float32)
    base = np.empty((height, width, 3), np.float32)
    base[:] = np.asarray(look.floor, np.float32)
    carpet = np.clip(base * (1 + grain)[:, :, None], 0, 255).astype(np.uint8)
    return np.asarray(cv2.resize(carpet, size_wh_px, interpolation=cv2.INTER_LINEAR), np.uint8)


def put_stools(backdrop: Backdrop, outline: Points, rng: np.random.Generator) -> None:
    """Add stools around the table, well below the cloth."""
    for _ in range(int(rng.integers(0, 10))):
        edge, away = _beside(outline, rng)
        at = edge + away * rng.uniform(180, 420)
        colour = bgr_from_hex(str(rng.choice(_STOOLS)))
        size = rng.uniform(120, 230, 2)
        _dome(backdrop, at, (float(size[0]), float(size[1])), colour, turn=0.0, heights_mm=(-250.0, -230.0))


def put_people(backdrop: Backdrop, outline: Points, rng: np.random.Generator) -> None:
    """Add sitting and standing people beyond the rail, only where they hide nothing of the cloth."""
    middle = outline.mean(axis=0)
    edge_px = backdrop.projector.px(outline).astype(np.float32)[:, None]
    width = float(outline[:, 0].max())
    places = [(np.array([width * rng.uniform(0.35, 0.65), -rng.uniform(230, 420)]), np.array([0.0, -1.0]))]
    for _ in range(int(rng.integers(0, 9))):
        edge, away = _beside(outline, rng)
        places.append((edge + away * rng.uniform(300, 480), away))
    for at, away in places:
        if rng.random() < 0.35 or not backdrop.projector.sees(at[None], 300.0):
            continue
        head = at - away * rng.uniform(20, 90)
        hides = backdrop.projector.px(np.array([head - away * 120, at - away * 150]), np.array([420.0, 200.0]))
        if any(cv2.pointPolygonTest(edge_px, (float(x), float(y)), True) > -12 for x, y in hides):
            continue
        facing = middle - at
        turn = float(np.arctan2(facing[1], facing[0])) + np.pi / 2 + float(rng.normal(0, 0.25))
        _person(backdrop, at, head, turn, rng)


def _person(backdrop: Backdrop, at: Points, head: Points, turn: float, rng: np.random.Generator) -> None:
    shirt, hair = bgr_from_hex(str(rng.choice(_CLOTHES))), bgr_from_hex(str(rng.choice(_HAIR)))
    size = float(rng.uniform(0.85, 1.15))
    _dome(backdrop, at, (235 * size, 125 * size), shirt, turn=turn, heights_mm=(60.0, 210.0))
    _dome(backdrop, head, (82 * size, 104 * size), hair, turn=turn, heights_mm=(270.0, 420.0))


def _beside(outline: Points, rng: np.random.Generator) -> tuple[Points, Points]:
    """Return a point of the edge and the direction away from the table there."""
    i = int(rng.integers(len(outline) - 1))
    edge = outline[i] + (outline[i + 1] - outline[i]) * rng.random()
    away = edge - outline.mean(axis=0)
    return edge, away / max(float(np.linalg.norm(away)), 1.0)


def _dome(
    backdrop: Backdrop,
    at: Points,
    radii_mm: tuple[float, float],
    colour: Colour,
    *,
    turn: float,
    heights_mm: tuple[float, float],
) -> None:
    """Draw a rounded body as ellipses that rise, shrink and brighten."""
    angle = np.linspace(0, 2 * np.pi, 48)
    ellipse = np.column_stack([np.cos(angle) * radii_mm[0], np.sin(angle) * radii_mm[1]])
    frame = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    lean = np.array(backdrop.light.lamp_mm) * -14
    for share in np.linspace(0, 1, 14)[:-1]:
        ring = at + (ellipse * np.sqrt(1 - share**2)) @ frame + lean * share
        height = heights_mm[0] + (heights_mm[1] - heights_mm[0]) * share
        if not backdrop.projector.sees(ring, height):
            return
        backdrop.fill(backdrop.projector.px(ring, height), shaded(colour, 0.5 + 0.55 * share**0.7))
