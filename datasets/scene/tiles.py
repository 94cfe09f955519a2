"""Cut a rendered scene into training tiles for the detector: rectified pictures with oriented boxes.

Tile pixels: (x, y), pixel centres at integers. Boxes: YOLO-OBB, a class and four corners as shares of the tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from thirdcard.datasets.scene.model import Scene, World
from thirdcard.datasets.scene.raster import Image, Points, fine_grid
from thirdcard.datasets.scene.renderer import RenderedFrame, RenderedObject, SceneRenderer, clipped

CLASSES = ("card_face", "card_back", "chips", "cut_card", "hand")
TILE_PX = 320
PX_PER_MM = 0.5
_CARD_VISIBLE, _CHIPS_VISIBLE, _HAND_VISIBLE = 0.25, 0.30, 0.15
_EDGE_ON = 0.3
"""A card whose visible width is below this share is not labelled."""
_HAND_LEAST_PX2 = 150.0
_KIND_WEIGHTS = {"card": 0.45, "chips": 0.2, "cut_card": 0.25, "hand": 0.2}


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """One labelled object."""

    label: int
    """Index into `CLASSES`."""
    corners: Points
    """(4, 2), shares of the tile, 0 to 1."""


@dataclass(frozen=True, slots=True, eq=False)
class SchoolTile:
    """One training tile with its labels."""

    image_hw3: Image
    boxes: tuple[Box, ...]


def school_tiles(
    world: World, scene: Scene, rng: np.random.Generator, *, count: int = 4, renderer: SceneRenderer | None = None
) -> list[SchoolTile]:
    """Render a scene, degrade it as a recorder does, rectify it and cut tiles, most of them where things are."""
    painter = renderer or SceneRenderer(world)
    frame = painter.render(_moments(scene, rng))
    image = _recorded(frame.image_hw3, rng)
    return [_tile(world, frame, image, rng) for _ in range(count)]


def _moments(scene: Scene, rng: np.random.Generator) -> list[Scene]:
    """Return the moments of an open shutter: in a quarter of the scenes, what is in the air moves."""
    if rng.random() > 0.25 or not scene.arms:
        return [scene]
    shift = rng.normal(0, 9, (len(scene.arms) + len(scene.cards), 2))
    moments = []
    for share in np.linspace(-1, 0, 4):
        arms = tuple(
            replace(arm, tip_mm=(arm.tip_mm[0] + float(dx * share), arm.tip_mm[1] + float(dy * share)))
            for arm, (dx, dy) in zip(scene.arms, shift, strict=False)
        )
        cards = tuple(
            replace(card, at_mm=(card.at_mm[0] + float(dx * share), card.at_mm[1] + float(dy * share)))
            if card.height_mm > 0
            else card
            for card, (dx, dy) in zip(scene.cards, shift[len(scene.arms) :], strict=True)
        )
        moments.append(replace(scene, arms=arms, cards=cards))
    return moments


def _recorded(image: Image, rng: np.random.Generator) -> Image:
    if rng.random() < 0.15:
        return image
    if rng.random() < 0.12:
        height, width = image.shape[:2]
        share = float(rng.uniform(0.5, 0.9))
        small = cv2.resize(image, (int(width * share), int(height * share)), interpolation=cv2.INTER_AREA)
        image = np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 91))])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8) if done else image


def _tile(world: World, frame: RenderedFrame, image: Image, rng: np.random.Generator) -> SchoolTile:
    scale = PX_PER_MM * (float(rng.uniform(0.8, 1.25)) if rng.random() < 0.25 else 1.0)
    width, height = world.layout.size_mm
    span = TILE_PX / scale
    known = [o for o in frame.objects if np.isfinite(o.layout_polygon_mm).all() and o.visible > 0.2]
    if known and rng.random() < 0.85:
        chosen = _chosen(known, rng)
        near = chosen.at_mm if chosen.kind == "hand" else chosen.layout_polygon_mm.mean(axis=0)
        middle = np.array(near) + rng.uniform(-0.45, 0.45, 2) * span
    else:
        middle = rng.uniform([-60, -60], [width + 60, height + 60])
    origin = middle - span / 2
    step = 8
    size = (TILE_PX // step + 1, TILE_PX // step + 1)
    coarse = world.camera.rectify_maps((float(origin[0]), float(origin[1])), size, px_per_mm=scale / step)
    maps = fine_grid(np.dstack(coarse), step, (TILE_PX, TILE_PX))
    picture = np.asarray(cv2.remap(image, maps[0], maps[1], cv2.INTER_LINEAR), np.uint8)
    boxes = []
    for thing in frame.objects:
        box = taught_box(thing, origin, scale)
        if box is not None:
            boxes.append(box)
    return SchoolTile(picture, tuple(boxes))


def _chosen(things: Sequence[RenderedObject], rng: np.random.Generator) -> RenderedObject:
    """Choose a thing for a tile: first a kind, so that rare kinds appear often enough, then one of its things."""
    kinds = sorted({thing.kind for thing in things})
    weights = np.array([_KIND_WEIGHTS[kind] for kind in kinds])
    kind = kinds[int(rng.choice(len(kinds), p=weights / weights.sum()))]
    alike = [thing for thing in things if thing.kind == kind]
    return alike[int(rng.integers(len(alike)))]


def taught_box(thing: RenderedObject, origin_mm: Points, px_per_mm: float) -> Box | None:
    """Return the label of a thing in a tile, None if too little of it is visible."""
    if not np.isfinite(thing.layout_polygon_mm).all():
        return None
    points = (np.asarray(thing.layout_polygon_mm, np.float64) - origin_mm) * px_per_mm
    size = (TILE_PX, TILE_PX)
    inside = clipped(points, size)
    whole = polygon_area(points)
    is_out = (points.max(axis=0) < 0).any() or (points.min(axis=0) > TILE_PX - 1).any()
    if whole < 4 or is_out:
        return None
    within = polygon_area(inside) / whole
    if thing.kind == "hand":
        if polygon_area(inside) < _HAND_LEAST_PX2 or thing.visible < _HAND_VISIBLE:
            return None
        return Box(4, _shares(_rectangle(inside)))
    seen = thing.visible * within
    if thing.kind == "chips":
        return Box(2, _shares(_rectangle(inside))) if seen >= _CHIPS_VISIBLE else None
    if seen < _CARD_VISIBLE or thing.slant < _EDGE_ON:
        return None
    label = 3 if thing.kind == "cut_card" else 0 if thing.face_up else 1
    return Box(label, _shares(_within_tile(points, inside)))


def _shares(corners: Points) -> Points:
    return np.asarray(np.clip(corners / TILE_PX, 0.0, 1.0), np.float64)


def _within_tile(quad: Points, inside: Points) -> Points:
    """Return a card's quad, or the rectangle along its own sides round the part inside the tile."""
    if len(inside) == 4 and np.allclose(inside, quad):
        return quad
    across, along = quad[1] - quad[0], quad[3] - quad[0]
    shares = np.linalg.solve(np.column_stack([across, along]), (inside - quad[0]).T)
    low, high = shares.min(axis=1).clip(0, 1), shares.max(axis=1).clip(0, 1)
    corners = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
    return np.array([quad[0] + across * u + along * v for u, v in corners])


def polygon_area(points: Points) -> float:
    """Return a polygon's area, never negative."""
    return float(cv2.contourArea(points.astype(np.float32)))


def _rectangle(points: Points) -> Points:
    return np.asarray(cv2.boxPoints(cv2.minAreaRect(points.astype(np.float32))), np.float64)


def label_lines(boxes: Sequence[Box]) -> str:
    """Return boxes as the lines of a YOLO-OBB label file."""
    lines = []
    for box in boxes:
        numbers = " ".join(f"{value:.6f}" for value in box.corners.ravel())
        lines.append(f"{box.label} {numbers}")
    return "\n".join(lines) + ("\n" if lines else "")
