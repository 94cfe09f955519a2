"""Render scenes of a world as its camera sees them, with the truth of what lies where.

What rests is composed once and kept; only what moves is composed for each frame. Several scenes given at once are
moments of one open shutter, and are averaged where they differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.datasets.decks.deck import load_deck
from thirdcard.datasets.scene.deck_art import DeckArt, DeckPictures
from thirdcard.datasets.scene.lighting import LightMap, Sensor
from thirdcard.datasets.scene.looks import look_of
from thirdcard.datasets.scene.model import ArmObject, CardObject, ChipStack, CutCardObject, Scene, World
from thirdcard.datasets.scene.projection import Projector
from thirdcard.datasets.scene.raster import Image, Patch, Points, Window, soften, window_around
from thirdcard.datasets.scene.sheets import MASK_STEP
from thirdcard.datasets.scene.table import DISCARD_FLOOR_MM, draw_table, lamp_corners
from thirdcard.datasets.scene.things import Drawn, ThingPainter

Thing = CardObject | CutCardObject | ChipStack | ArmObject
_HELD_MM = 110.0
_EDGE_ON = 0.12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RenderedObject:
    """One thing as a picture shows it: the fields of `objects.jsonl` and a few more."""

    kind: str
    """`card`, `chips`, `cut_card` or `hand`."""
    object_id: str
    card: str | None
    """The face, if it is visible; None for backs and other things."""
    face_up: bool | None
    """Which side of a card the camera sees; None for other things."""
    polygon_px: Points
    """(N, 2) distorted pixels: a card's quad (top left, top right, bottom right, bottom left), else the silhouette."""
    layout_polygon_mm: Points
    """(N, 2): that polygon projected onto the cloth plane, NaN outside the range of the lens model."""
    at_mm: tuple[float, float]
    count: int | None
    value: int | None
    visible: float
    """Share of its pixels that are hidden neither by other things nor by the frame."""
    slant: float = 1.0
    """For a card, the visible share of its width: 1 flat, 0 on edge."""


@dataclass(frozen=True, slots=True, eq=False)
class RenderedFrame:
    """A picture with the truth of what it shows."""

    image_hw3: Image
    """uint8 BGR, distorted as the camera sees it."""
    objects: tuple[RenderedObject, ...]


class SceneRenderer:
    """Renders one world. Construction draws the table (a second or two); frames after that are quick."""

    def __init__(self, world: World, *, deck: DeckPictures | None = None) -> None:
        self.world = world
        self.look = look_of(world.style, world.seed)
        self.projector = Projector(world.camera)
        self._art = DeckArt(load_deck(world.deck) if deck is None else deck)
        self._light = LightMap(self.look.light, self.projector.size_wh_px)
        self._sensor = Sensor(self.look.lens, self.projector.size_wh_px, world.seed)
        self._painter = ThingPainter(world, self.look, projector=self.projector, light=self._light, art=self._art)
        self._table = self._light.applied(draw_table(world, self.look, self.projector, self._art))
        self._lamp: Image | None = None
        self._rest_key: object = None
        self._rest: Image = self._table

    def render(self, subscenes: Sequence[Scene], *, with_truth: bool = True) -> RenderedFrame:
        """Render the moments of one open shutter; the last one gives the truth, empty if it is not asked for."""
        final = subscenes[-1]
        resting = _resting(subscenes)
        keys = set(resting)
        base = self._at_rest(resting, final)
        layers = [self._moving(scene, keys) for scene in subscenes]
        image = self._composed(base, layers)
        shot = round(final.t * 1000) & 0x7FFFFFFF
        exposed = self._sensor.expose(image, factor=final.light, shot=shot)
        return RenderedFrame(exposed, self._truth(final, resting) if with_truth else ())

    def still(self, scene: Scene, *, shots: int, apart_s: float) -> tuple[RenderedFrame, list[Image]]:
        """Render a scene without motion several times, each with its own noise; the truth is that of the first."""
        first, resting = self.render([scene]), _resting([scene])
        lit = self._composed(self._at_rest(resting, scene), [self._moving(scene, set(resting))])
        times = [scene.t + apart_s * k for k in range(shots)]
        images = [self._sensor.expose(lit, factor=scene.light, shot=round(t * 1000) & 0x7FFFFFFF) for t in times]
        return first, images

    def _at_rest(self, resting: tuple[Thing, ...], scene: Scene) -> Image:
        key = (resting, scene.lamp_lit, scene.discard_count)
        if key != self._rest_key:
            image = (self._lit_table() if scene.lamp_lit else self._table).copy()
            for patch in self._discards(scene.discard_count):
                patch.apply(image)
            for thing in resting:
                drawn = self._draw(thing)
                if drawn is not None:
                    drawn.patch.apply(image)
            self._rest, self._rest_key = image, key
        return self._rest

    def _discards(self, count: int) -> list[Patch]:
        patches = []
        for area in self.world.layout.of_kind("discard") if count else ():
            corner = area.polygon_mm[1] - area.polygon_mm[0]
            angle = float(np.degrees(np.arctan2(corner[1], corner[0]))) if abs(corner[0]) > abs(corner[1]) else 0.0
            drawn = self._painter.pile(area.centre_mm, angle_deg=angle, count=count, foot_mm=DISCARD_FLOOR_MM)
            if drawn is not None:
                patches.append(drawn.patch)
        return patches

    def _lit_table(self) -> Image:
        if self._lamp is None:
            image = self._table.copy()
            for area in self.world.layout.of_kind("no_more_bets_lamp"):
                corners = self.projector.px(lamp_corners(area), 7.0)
                window = window_around(corners, 60, self.projector.size_wh_px)
                if window.is_empty:
                    continue
                target = image[window.slices]
                quad = np.round((corners - [window.x0, window.y0]) * 16).astype(np.int32)
                glow = np.zeros(target.shape[:2], np.uint8)
                cv2.fillPoly(glow, [quad], 255, cv2.LINE_AA, 4)
                wide = soften(glow, 18.0).astype(np.float32)[:, :, None] / 255
                target[:] = np.clip(target + wide * np.array([20, 50, 160], np.float32), 0, 255).astype(np.uint8)
                cv2.fillPoly(target, [quad], (70, 95, 255), cv2.LINE_AA, 4)
            self._lamp = image
        return self._lamp

    def _draw(self, thing: Thing) -> Drawn | None:
        if isinstance(thing, CardObject):
            return self._painter.card(thing)
        if isinstance(thing, ChipStack):
            return self._painter.stack(thing)
        if isinstance(thing, CutCardObject):
            return self._painter.cut_card(thing)
        return self._painter.arm(thing)

    def _moving(self, scene: Scene, resting: set[Thing]) -> list[Patch]:
        patches = []
        thumbs: list[Patch] = []
        for thing in self._ordered(scene):
            if thing in resting:
                continue
            drawn = self._draw(thing)
            if drawn is None:
                continue
            if isinstance(thing, ArmObject) and drawn.thumb is not None:
                thumbs.append(drawn.thumb)
            patches.append(drawn.patch)
        return patches + thumbs

    def _ordered(self, scene: Scene) -> list[Thing]:
        """Return all things from the lowest up; an arm comes below what it holds between fingers and thumb."""
        order = in_order(scene)
        for arm in scene.arms:
            drawn = self._draw(arm)
            if drawn is None or drawn.thumb is None:
                continue
            held = [i for i, thing in enumerate(order) if _is_held(thing, arm)]
            if held:
                order.remove(arm)
                order.insert(held[0], arm)
        return order

    def _composed(self, base: Image, layers: list[list[Patch]]) -> Image:
        image = base.copy()
        patches = [patch for layer in layers for patch in layer]
        if not patches:
            return image
        if len(layers) == 1:
            for patch in patches:
                patch.apply(image)
            return image
        window = _union(patches)
        clean = base[window.slices]
        total = np.zeros(clean.shape, np.uint16)
        for layer in layers:
            moment = clean.copy()
            for patch in layer:
                patch.apply(moment, origin_xy_px=(window.x0, window.y0))
            cv2.add(total, moment, dst=total, dtype=cv2.CV_16U)
        image[window.slices] = cv2.convertScaleAbs(total, alpha=1 / len(layers))
        return image

    def _truth(self, scene: Scene, resting: tuple[Thing, ...]) -> tuple[RenderedObject, ...]:
        keys = set(resting)
        order = [*resting, *(thing for thing in self._ordered(scene) if thing not in keys)]
        drawn = [(thing, found) for thing in order if (found := self._draw(thing)) is not None]
        shares = visible_shares([found for _, found in drawn], self.projector.size_wh_px)
        return tuple(self._object(thing, found, share) for (thing, found), share in zip(drawn, shares, strict=True))

    def _object(self, thing: Thing, drawn: Drawn, visible: float) -> RenderedObject:
        face_up = drawn.shows_face if isinstance(thing, CardObject) else None
        stack = thing if isinstance(thing, ChipStack) else None
        chips = self.world.chips.chips
        kinds = {CardObject: "card", ChipStack: "chips", CutCardObject: "cut_card", ArmObject: "hand"}
        polygon = (
            clipped(drawn.outline_px, self.projector.size_wh_px) if isinstance(thing, ArmObject) else drawn.outline_px
        )
        return RenderedObject(
            kind=kinds[type(thing)],
            object_id=thing.object_id,
            card=thing.card if isinstance(thing, CardObject) and face_up else None,
            face_up=face_up,
            polygon_px=polygon,
            layout_polygon_mm=self.world.camera.layout_from_image(polygon),
            at_mm=thing.tip_mm if isinstance(thing, ArmObject) else thing.at_mm,
            count=len(stack.chips) if stack else None,
            value=sum(chips[i % len(chips)].value for i in stack.chips) if stack else None,
            visible=visible,
            slant=drawn.slant,
        )


def in_order(scene: Scene) -> list[Thing]:
    """Return all things from the lowest to the highest."""
    flat: list[Thing] = [c for c in scene.cards if not _is_raised(c)]
    flat += [c for c in scene.cut_cards if c.height_mm <= 0]
    flat += [s for s in scene.stacks if s.height_mm <= 0]
    lifted: list[Thing] = [c for c in scene.cards if _is_raised(c)]
    lifted += [c for c in scene.cut_cards if c.height_mm > 0]
    lifted += [s for s in scene.stacks if s.height_mm > 0]
    lifted.sort(key=_height)
    arms: list[Thing] = sorted(scene.arms, key=_height)
    return [*flat, *lifted, *arms]


def _height(thing: Thing) -> float:
    return thing.height_mm


def _is_held(thing: Thing, arm: ArmObject) -> bool:
    if isinstance(thing, ArmObject) or thing.height_mm <= 0:
        return False
    return float(np.hypot(thing.at_mm[0] - arm.tip_mm[0], thing.at_mm[1] - arm.tip_mm[1])) < _HELD_MM


def _is_raised(card: CardObject) -> bool:
    return card.height_mm > 0 or 0 < card.turn < 1


def _resting(subscenes: Sequence[Scene]) -> tuple[Thing, ...]:
    """Return what lies on the cloth unchanged through all moments, lowest first."""
    common: set[Thing] | None = None
    for scene in subscenes:
        lying: list[Thing] = [*scene.cards, *scene.cut_cards, *scene.stacks]
        flat = {thing for thing in lying if thing.height_mm <= 0}
        common = flat if common is None else common & flat
    kept = common or set()
    return tuple(thing for thing in in_order(subscenes[-1]) if thing in kept and not _turning(thing))


def _turning(thing: Thing) -> bool:
    return isinstance(thing, CardObject) and 0 < thing.turn < 1


def _union(patches: Sequence[Patch]) -> Window:
    window = patches[0].window
    for patch in patches[1:]:
        window = window.joined(patch.window)
    return window


def visible_shares(drawn: Sequence[Drawn], size_wh_px: tuple[int, int]) -> list[float]:
    """Return the visible share of each thing; later ones lie above earlier ones."""
    width, height = size_wh_px[0] // MASK_STEP, size_wh_px[1] // MASK_STEP
    ids: npt.NDArray[np.uint16] = np.zeros((height, width), np.uint16)
    polygons = [np.round(found.mask_px / MASK_STEP).astype(np.int32) for found in drawn]
    for i, polygon in enumerate(polygons):
        cv2.fillPoly(ids, [polygon], i + 1)
    shares = []
    for i, (found, polygon) in enumerate(zip(drawn, polygons, strict=True)):
        low, high = polygon.min(axis=0).clip(0), polygon.max(axis=0) + 1
        cut = ids[low[1] : max(high[1], 0), low[0] : max(high[0], 0)]
        shares.append(min(float(np.count_nonzero(cut == i + 1)) / max(found.whole, 1), 1.0))
    return shares


def clipped(polygon: Points, size_wh_px: tuple[int, int]) -> Points:
    """Clip a polygon at the picture's edges; return it whole if nothing of it is inside."""
    points = polygon
    for axis, bound, sign in ((0, 0.0, 1), (0, size_wh_px[0] - 1.0, -1), (1, 0.0, 1), (1, size_wh_px[1] - 1.0, -1)):
        inside = (points[:, axis] - bound) * sign >= 0
        if inside.all():
            continue
        if not inside.any():
            return polygon
        kept: list[Points] = []
        for i in range(len(points)):
            here, there = points[i], points[(i + 1) % len(points)]
            if inside[i]:
                kept.append(here)
            if inside[i] != inside[(i + 1) % len(points)]:
                share = (bound - here[axis]) / (there[axis] - here[axis])
                kept.append(here + (there - here) * share)
        points = np.array(kept)
    return points
