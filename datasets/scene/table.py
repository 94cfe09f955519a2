"""Draw everything that stands still at a table: floor, cloth, rail, dealer's edge, shoe, racks, tray, lamp, clutter.

The picture is without the room's light, in the camera's pixels.
"""

from __future__ import annotations

import cv2
import numpy as np

from thirdcard.calibration.layout import Area, Layout
from thirdcard.datasets.scene.cloth import ClothDrawing
from thirdcard.datasets.scene.clutter import put_clutter
from thirdcard.datasets.scene.deck_art import DeckArt
from thirdcard.datasets.scene.emblems import print_emblems
from thirdcard.datasets.scene.furniture import Backdrop, oriented, shaded
from thirdcard.datasets.scene.looks import Look
from thirdcard.datasets.scene.model import World
from thirdcard.datasets.scene.projection import Projector
from thirdcard.datasets.scene.raster import Image, Points, fine_grid, mixed
from thirdcard.datasets.scene.surroundings import draw_floor, put_people, put_stools

_BEYOND = -1e6
DISCARD_FLOOR_MM = 6.0


def draw_table(world: World, look: Look, projector: Projector, art: DeckArt) -> Image:
    """Draw the empty table."""
    rng = np.random.default_rng([world.seed, 71])
    image = draw_floor(look, projector.size_wh_px, rng)
    backdrop = Backdrop(image, projector, look.light)
    outline = table_outline(world.layout, look.cloth.outline)
    put_stools(backdrop, outline, rng)
    _skirt(backdrop, outline, look)
    _lay_cloth(backdrop, world, look, outline)
    _dealer_edge(backdrop, world.layout, look)
    for area in world.layout.areas:
        _furnish(backdrop, area, world, look, art=art)
    put_clutter(backdrop, world.layout, look, outline=outline, rng=rng)
    _rail(backdrop, outline, look)
    if rng.random() < 0.6:
        put_people(backdrop, outline, rng)
    return backdrop.image


def table_outline(layout: Layout, kind: str) -> Points:
    """Return the cloth's visible outline, from its top left corner down the left side and round to the top right."""
    for name in (kind, "rounded", "straight"):
        outline = _outline(layout, name)
        if name == "straight" or _holds(outline, _printed(layout), 60.0):
            return outline
    return outline


def _outline(layout: Layout, kind: str) -> Points:
    width, height = layout.size_mm
    if kind == "arched":
        turn = np.linspace(np.pi, 0, 41)
        low = height * 0.42
        arc = np.column_stack([width / 2 + width / 2 * np.cos(turn), low + (height - low) * np.sin(turn) ** 0.8])
        return np.concatenate([[[0.0, 0.0]], arc, [[width, 0.0]]])
    radius = 4.0 if kind == "straight" else min(width, height) * 0.24
    turn = np.linspace(0, np.pi / 2, 12)
    left = np.column_stack([radius - radius * np.cos(turn), height - radius + radius * np.sin(turn)])
    right = np.column_stack([width - radius + radius * np.sin(turn), height - radius + radius * np.cos(turn)])
    return np.concatenate([[[0.0, 0.0]], left, right, [[width, 0.0]]])


def _printed(layout: Layout) -> Points:
    """Return points that must lie on the cloth: areas, markers, reference points, room for patrons' chips."""
    points = [area.polygon_mm for area in layout.areas]
    marks = [*layout.reference_points.values(), *(layout.markers.at.values() if layout.markers else ())]
    points += [np.array([mark]) for mark in marks]
    points += [np.array([[x, y + 110.0]]) for x, y in (area.centre_mm for area in layout.of_kind("wager"))]
    return np.concatenate(points)


def _holds(outline: Points, points: Points, margin_mm: float) -> bool:
    shape = outline.astype(np.float32)[:, None]
    lower = points[points[:, 1] > points[:, 1].mean()]
    return all(cv2.pointPolygonTest(shape, (float(x), float(y)), True) > margin_mm for x, y in lower)


def dense(line_mm: Points, step_mm: float) -> Points:
    """Return points along a line no farther apart than the step."""
    lengths = np.linalg.norm(np.diff(line_mm, axis=0), axis=1)
    run = np.concatenate([[0.0], np.cumsum(lengths)])
    at = np.linspace(0, run[-1], max(int(run[-1] / step_mm), 2))
    return np.column_stack([np.interp(at, run, line_mm[:, 0]), np.interp(at, run, line_mm[:, 1])])


def _skirt(backdrop: Backdrop, outline: Points, look: Look) -> None:
    middle = outline.mean(axis=0)
    wide = middle + (outline - middle) * 1.05
    backdrop.fill(backdrop.projector.px(dense(np.concatenate([wide, wide[:1]]), 30.0)), shaded(look.rail, 0.35))


def draw_cloth(world: World, look: Look, projector: Projector) -> ClothDrawing:
    """Print a world's cloth, as finely as its camera sees it."""
    width_mm, height_mm = world.layout.size_mm
    finest = max(
        projector.px_per_mm(p)
        for p in ((width_mm / 2, height_mm), (0, height_mm / 2), (width_mm, height_mm / 2), (width_mm / 2, 0))
    )
    scale = world.print_px_per_mm or float(np.clip(finest * 1.15, 0.6, 2.6))
    drawing = ClothDrawing(world.layout, look.cloth, scale=scale, seed=world.seed)
    print_emblems(drawing, world.layout, look.cloth.ink, np.random.default_rng([world.seed, 79]))
    drawing.draw()
    return drawing


def _lay_cloth(backdrop: Backdrop, world: World, look: Look, outline: Points) -> None:
    projector = backdrop.projector
    drawing = draw_cloth(world, look, projector)
    texture, scale = drawing.image, drawing.scale
    width, height = projector.size_wh_px
    step = 8
    x, y = np.meshgrid(np.arange(0, width + step, step), np.arange(0, height + step, step))
    grid = projector.camera.layout_from_image(np.column_stack([x.ravel(), y.ravel()]).astype(np.float64))
    grid = np.nan_to_num(grid, nan=_BEYOND).reshape(*x.shape, 2).clip(-20000, 20000) * scale - 0.5
    fine = fine_grid(grid.astype(np.float32), step, (width, height))
    laid = cv2.remap(texture, fine[0], fine[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mask = np.zeros((height, width), np.uint8)
    edge = projector.px(dense(np.concatenate([outline, outline[:1]]), 20.0))
    cv2.fillPoly(mask, [np.round(edge * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    share = mask.astype(np.float32)[:, :, None] / 255
    backdrop.image[:] = np.round(backdrop.image * (1 - share) + laid * share).astype(np.uint8)


def _dealer_edge(backdrop: Backdrop, layout: Layout, look: Look) -> None:
    width = layout.size_mm[0]
    rim = look.rail_mm * 0.75
    strip = np.array([[-rim, -rim], [width + rim, -rim], [width + rim, -6.0], [-rim, -6.0]])
    line = dense(strip[:2], 60.0)
    back = dense(strip[[3, 2]], 60.0)
    foot = np.concatenate([line, back[::-1]])
    backdrop.fill(backdrop.projector.px(foot, 22.0), look.rail)
    inner = np.concatenate([back, back[::-1] + np.array([0.0, 8.0])])
    backdrop.fill(backdrop.projector.px(inner, 10.0), shaded(look.rail, 0.55))


def _rail(backdrop: Backdrop, outline: Points, look: Look) -> None:
    line = dense(outline, 45.0)
    ahead = np.gradient(line, axis=0)
    normal = np.column_stack([ahead[:, 1], -ahead[:, 0]])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-6)
    middle = outline.mean(axis=0)
    if float(((line - middle) * normal).sum()) < 0:
        normal = -normal
    run = line + normal * look.rail_mm / 2
    backdrop.tube(run, look.rail, width_mm=look.rail_mm, height_mm=34.0, gloss=0.35)


def _furnish(backdrop: Backdrop, area: Area, world: World, look: Look, *, art: DeckArt) -> None:
    if area.kind == "shoe":
        _shoe(backdrop, area, world, look, art=art)
    elif area.kind == "discard":
        foot = _box(area, 0.9)
        backdrop.open_box(foot, look.shoe, top_mm=32.0, wall_mm=6.0)
    elif area.kind == "chip_tray":
        _tray(backdrop, area, world, look)
    elif area.kind == "no_more_bets_lamp":
        foot = _box(area, 0.95)
        backdrop.prism(foot, shaded(look.metal, 0.5), top_mm=6.0)


def lamp_corners(area: Area) -> Points:
    """Return the corners of the lamp's glass."""
    return _box(area, 0.72)


def _box(area: Area, share: float) -> Points:
    (x, y), (width, height), angle = cv2.minAreaRect(area.polygon_mm.astype(np.float32))
    return oriented((x, y), (width * share, height * share), angle)


def _shoe(backdrop: Backdrop, area: Area, world: World, look: Look, *, art: DeckArt) -> None:
    (x, y), (width, height), angle = cv2.minAreaRect(area.polygon_mm.astype(np.float32))
    if width > height:
        width, height, angle = height, width, angle + 90
    centre = np.array([x, y])
    down = np.array([-np.sin(np.radians(angle)), np.cos(np.radians(angle))])
    inward = np.array(world.layout.size_mm) / 2 - centre
    if down @ inward < 0:
        angle, down = angle + 180, -down
    width, height = min(width, 150.0), float(height)
    mouth = centre + down * height * 0.36
    card = min(world.card_size_mm[0], width * 0.62)
    backdrop.prism(oriented(mouth, (width * 0.9, height * 0.28), angle), shaded(look.shoe, 0.7), top_mm=20.0)
    backdrop.sheet(
        oriented(mouth, (card, height * 0.24), angle),
        art.back_picture()[: art.back_picture().shape[0] // 2],
        height_mm=21,
    )
    backdrop.prism(oriented(centre - down * height * 0.12, (width, height * 0.7), angle), look.shoe, top_mm=105.0)
    lid = oriented(centre - down * height * 0.14, (width * 0.66, height * 0.42), angle)
    backdrop.fill(backdrop.projector.px(lid, 106.0), mixed(look.shoe, (200, 200, 200), 0.18))


def _tray(backdrop: Backdrop, area: Area, world: World, look: Look) -> None:
    rng = np.random.default_rng([world.seed, 73])
    foot = _box(area, 0.98)
    if np.linalg.norm(foot[1] - foot[0]) < np.linalg.norm(foot[3] - foot[0]):
        foot = foot[[1, 2, 3, 0]]
    inner = backdrop.open_box(foot, look.metal, top_mm=14.0, wall_mm=8.0)
    along, across = inner[1] - inner[0], inner[3] - inner[0]
    pitch = world.chips.diameter_mm + 4
    count = max(int(np.linalg.norm(along) / pitch), 1)
    chips = world.chips.chips
    for k in range(count):
        chip = chips[(k * len(chips) // count + (1 if rng.random() < 0.15 else 0)) % len(chips)]
        fill = float(rng.uniform(0.35, 1.0))
        colour = (float(chip.colour_rgb[2]), float(chip.colour_rgb[1]), float(chip.colour_rgb[0]))
        texture = _tube_texture(colour, float(np.linalg.norm(across)) * fill, world.chips.thickness_mm, rng)
        start = inner[0] + along * (k + 0.06) / count
        step = along * 0.88 / count
        corners = np.array([start, start + step, start + step + across * fill, start + across * fill])
        backdrop.sheet(corners, texture, height_mm=18.0)


def _tube_texture(
    colour: tuple[float, float, float], length_mm: float, thick_mm: float, rng: np.random.Generator
) -> Image:
    fine = 3
    chips = max(int(length_mm / thick_mm), 1)
    height, width = max(int(length_mm * fine), 4), 40 * fine
    x = np.linspace(-0.98, 0.98, width)
    angle = np.arcsin(x)
    spot = (235.0, 238.0, 240.0) if sum(colour) < 500 else (60.0, 50.0, 50.0)
    rows = np.minimum((np.arange(height) / fine / thick_mm).astype(int), chips - 1)
    phase = rng.uniform(0, 2 * np.pi, chips)[rows]
    on = np.abs((angle[None] + phase[:, None]) % (np.pi / 3) - np.pi / 6) < 0.17
    picture = np.where(on[:, :, None], np.array(spot), np.array(colour))
    seam = ((np.arange(height) / fine) % thick_mm < 0.5)[:, None, None]
    picture = picture * np.where(seam, 0.6, 1.0) * (0.4 + 0.6 * np.sqrt(1 - x**2))[None, :, None]
    return np.clip(picture, 0, 255).astype(np.uint8)
