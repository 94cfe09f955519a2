"""Draw each movable thing: cards, cut cards, chip stacks, arms, the pile in the discard rack.

The result is a `Drawn`: a patch in the room's light, the silhouette in pixels, and the number of mask pixels that the
thing would cover if nothing hid it. Equal things give equal drawings, so drawings are cached.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

import cv2
import numpy as np

from thirdcard.datasets.scene.arm_frame import ArmFrame, band, sleeve_band
from thirdcard.datasets.scene.chips import PlacedChip, chip_looks, draw_side, ring_mm
from thirdcard.datasets.scene.deck_art import DeckArt
from thirdcard.datasets.scene.furniture import oriented, shaded
from thirdcard.datasets.scene.hands import LENGTH_MM, ArmSprite, arm_sprite
from thirdcard.datasets.scene.lighting import LightMap
from thirdcard.datasets.scene.looks import Look
from thirdcard.datasets.scene.model import ArmObject, CardObject, ChipStack, CutCardObject, World
from thirdcard.datasets.scene.projection import Projector
from thirdcard.datasets.scene.raster import (
    Brush,
    FloatImage,
    Image,
    Patch,
    Points,
    Sprite,
    Window,
    bgr_from_hex,
    window_around,
)
from thirdcard.datasets.scene.sheets import CARD_LIFT_MM, card_corners, shade_curled, signed_area, whole_pixels

_KEPT_BYTES = 200_000_000
_CUT_COLOURS = ("#e8c820", "#c02028", "#20a060", "#2060c0", "#e87820", "#f0f0f0", "#202020")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A thing as it is painted into a picture."""

    patch: Patch
    outline_px: Points
    """(N, 2): its silhouette, or a card's four corners (top left, top right, bottom right, bottom left as seen)."""
    mask_px: Points
    """(N, 2): the area that it hides, in pixels."""
    whole: int
    """Number of mask pixels it covers with nothing in front, including those beyond the frame."""
    shows_face: bool = False
    slant: float = 1.0
    """Visible share of a card's width: 1 flat, 0 on edge."""
    thumb: Patch | None = None
    """For an arm whose fingers are beneath a held thing: its thumb, to be drawn above that."""


class ThingPainter:
    """Draws the things of one world, and caches the drawings."""

    def __init__(self, world: World, look: Look, *, projector: Projector, light: LightMap, art: DeckArt) -> None:
        self._world = world
        self._look = look
        self._projector = projector
        self._light = light
        self._art = art
        self._size = projector.size_wh_px
        self._chips = chip_looks(world.chips, world.seed, split=look.split)
        rng = np.random.default_rng([world.seed, 61])
        self._cut_sprite = _plain_card(bgr_from_hex(str(rng.choice(_CUT_COLOURS))), rng)
        self._glare_mm = np.array([rng.uniform(0, world.layout.size_mm[0]), rng.uniform(0, world.layout.size_mm[1])])
        self._kept: OrderedDict[Hashable, Drawn | None] = OrderedDict()
        self._kept_bytes = 0
        self._arms: dict[tuple[int, str, bool], ArmSprite] = {}

    def card(self, card: CardObject) -> Drawn | None:
        """Draw a card; None if it is outside the picture."""
        return self._keep(card, lambda: self._card(card))

    def cut_card(self, card: CutCardObject) -> Drawn | None:
        """Draw a cut card; None if it is outside the picture."""
        return self._keep(card, lambda: self._cut_card(card))

    def stack(self, stack: ChipStack) -> Drawn | None:
        """Draw a stack of chips; None if it is outside the picture."""
        return self._keep(stack, lambda: self._stack(stack))

    def arm(self, arm: ArmObject) -> Drawn | None:
        """Draw an arm; None if it is outside the picture."""
        return self._keep(arm, lambda: self._arm(arm))

    def pile(self, at_mm: tuple[float, float], *, angle_deg: float, count: int, foot_mm: float) -> Drawn | None:
        """Draw a pile of cards, backs up; None if it is outside the picture."""
        key = ("pile", at_mm, angle_deg, count, foot_mm)
        return self._keep(key, lambda: self._pile(at_mm, angle_deg, count=count, foot_mm=foot_mm))

    def _keep(self, key: Hashable, make: Callable[[], Drawn | None]) -> Drawn | None:
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        drawn = make()
        self._kept[key] = drawn
        self._kept_bytes += _size_of(drawn)
        while self._kept_bytes > _KEPT_BYTES and len(self._kept) > 40:
            self._kept_bytes -= _size_of(self._kept.popitem(last=False)[1])
        return drawn

    def _card(self, card: CardObject) -> Drawn | None:
        corners, heights = card_corners(card, self._world.card_size_mm)
        quad = self._projector.px(corners, heights)
        flipped = signed_area(quad) < 0
        if flipped:
            quad = quad[[1, 0, 3, 2]]
        shows_face = card.face_up != flipped
        sprite = self._art.face(card.card) if shows_face and card.card else self._art.back()
        drawn = self._sheet(sprite, quad, corners, heights, curl_mm=card.curl_mm)
        if drawn is None:
            return None
        flat = self._projector.px(oriented(card.at_mm, self._world.card_size_mm, card.angle_deg), card.height_mm)
        slant = abs(signed_area(quad)) / max(abs(signed_area(flat)), 1e-6)
        patch, whole = drawn
        return Drawn(patch, quad, quad, whole, shows_face=shows_face, slant=min(slant, 1.0))

    def _cut_card(self, card: CutCardObject) -> Drawn | None:
        corners = oriented(card.at_mm, self._world.card_size_mm, card.angle_deg)
        heights = np.full(4, card.height_mm + CARD_LIFT_MM)
        quad = self._projector.px(corners, heights)
        drawn = self._sheet(self._cut_sprite, quad, corners, heights, curl_mm=0.0)
        return None if drawn is None else Drawn(drawn[0], quad, quad, drawn[1])

    def _sheet(
        self, sprite: Sprite, quad: Points, corners_mm: Points, heights_mm: Points, *, curl_mm: float
    ) -> tuple[Patch, int] | None:
        mean_height = float(heights_mm.mean())
        scale = self._projector.px_per_mm(corners_mm.mean(axis=0))
        shade_mm = corners_mm + np.outer(heights_mm + 0.8, self._look.light.lamp_mm)
        shade = self._projector.px(shade_mm)
        blur = (0.7 + 0.12 * mean_height + 0.3 * curl_mm) * scale
        window = window_around(np.concatenate([quad, shade]), blur * 2.5 + 2, self._size)
        if window.is_empty:
            return None
        brush = Brush(window)
        strength = self._look.light.shadow * (0.75 if mean_height < 3 else max(0.9 - mean_height / 300, 0.3))
        brush.shadow(shade, blur_px=blur, strength=strength)
        if curl_mm > 0.5:
            shade_curled(brush, sprite, quad, self._lifted(corners_mm, heights_mm, curl_mm))
        else:
            brush.quad(sprite, quad)
        brush.tint(self._bend(window, quad, curl_mm))
        return brush.patch(self._light.within(window), shine=self._shine(window, corners_mm)), whole_pixels(quad)

    def _lifted(self, corners_mm: Points, heights_mm: Points, curl_mm: float) -> Points:
        """Return the shift in px of the middle line in the picture by the curl, (2,)."""
        middle = corners_mm.mean(axis=0)[None]
        height = float(heights_mm.mean())
        return np.asarray(
            (self._projector.px(middle, height + curl_mm) - self._projector.px(middle, height))[0], np.float64
        )

    def _bend(self, window: Window, quad: Points, curl_mm: float) -> FloatImage:
        """Return the shading of a card: a slight slope, and light and dark ends if it is curled."""
        width, height = window.size_wh_px
        x, y = np.meshgrid(
            np.arange(window.x0, window.x1, dtype=np.float32), np.arange(window.y0, window.y1, dtype=np.float32)
        )
        middle, down = quad.mean(axis=0), (quad[3] + quad[2] - quad[0] - quad[1]) / 2
        along = ((x - middle[0]) * down[0] + (y - middle[1]) * down[1]) / max(float(down @ down), 1e-6)
        tilt = float(np.sin(quad[0, 0] * 0.37 + quad[0, 1] * 0.91)) * 0.05
        return np.asarray(np.clip(1 + (tilt - 0.03 * curl_mm) * along * 2, 0.6, 1.25), np.float32).reshape(
            height, width
        )

    def _shine(self, window: Window, corners_mm: Points) -> FloatImage | None:
        """Return the highlight of a glossy sheet, strongest where the lamp is reflected; None for a matt one."""
        gloss = self._look.light.gloss
        if gloss < 0.02:
            return None
        middle = corners_mm.mean(axis=0)
        wobble = np.array([np.sin(middle[0] * 0.13), np.cos(middle[1] * 0.17)]) * 220
        spot = self._projector.px(((self._glare_mm + wobble),))[0]
        reach = 210 * self._projector.px_per_mm(middle)
        x = np.arange(window.x0, window.x1, dtype=np.float32) - spot[0]
        y = np.arange(window.y0, window.y1, dtype=np.float32)[:, None] - spot[1]
        return np.asarray(gloss * 0.55 * np.exp(-(x * x + y * y) / (2 * reach * reach)), np.float32)

    def _stack(self, stack: ChipStack) -> Drawn | None:
        placed = self._placed(stack)
        if not placed:
            return None
        radius = self._world.chips.diameter_mm / 2
        rings = [ring_mm(chip, radius) for chip in placed]
        lows = [self._projector.px(ring, chip.foot_mm) for ring, chip in zip(rings, placed, strict=True)]
        highs = [self._projector.px(ring, chip.top_mm) for ring, chip in zip(rings, placed, strict=True)]
        outline = cv2.convexHull(np.concatenate([*lows, *highs]).astype(np.float32))[:, 0].astype(np.float64)
        top = placed[-1].top_mm
        shift = np.array(self._look.light.lamp_mm)
        foot = np.concatenate([rings[0] + shift * stack.height_mm, rings[-1] + shift * top])
        shade = self._projector.px(cv2.convexHull(foot.astype(np.float32))[:, 0])
        scale = self._projector.px_per_mm(stack.at_mm)
        blur = (1.2 + 0.1 * top) * scale
        window = window_around(np.concatenate([outline, shade]), blur * 2.5 + 2, self._size)
        if window.is_empty:
            return None
        brush = Brush(window, factor=3)
        brush.shadow(shade, blur_px=blur, strength=self._look.light.shadow * 0.85)
        lamp = shift / max(float(np.linalg.norm(shift)), 1e-6)
        for chip, low, high in zip(placed, lows, highs, strict=True):
            draw_side(brush, chip, low, high, lamp=lamp)
            if chip is not placed[-1]:
                brush.polygon(high, shaded(chip.look.base, 0.8))
        last = placed[-1]
        square = oriented(last.centre_mm, (2 * radius, 2 * radius), float(np.degrees(last.turn)))
        brush.quad(last.look.face, self._projector.px(square, last.top_mm))
        shine = self._shine(window, square)
        return Drawn(brush.patch(self._light.within(window), shine=shine), outline, outline, whole_pixels(outline))

    def _placed(self, stack: ChipStack) -> list[PlacedChip]:
        rng = np.random.default_rng([stack.seed & 0x7FFFFFFF, 67])
        loose = float(rng.choice([0.3, 0.8, 1.8]))
        thick = self._world.chips.thickness_mm
        placed = []
        for i, index in enumerate(stack.chips):
            dx, dy = rng.normal(0, loose, 2) if i else (0.0, 0.0)
            placed.append(
                PlacedChip(
                    look=self._chips[index % len(self._chips)],
                    centre_mm=(stack.at_mm[0] + float(dx), stack.at_mm[1] + float(dy)),
                    foot_mm=stack.height_mm + i * thick,
                    top_mm=stack.height_mm + (i + 1) * thick,
                    turn=float(rng.uniform(0, 2 * np.pi)),
                )
            )
        return placed

    def _pile(self, at_mm: tuple[float, float], angle_deg: float, *, count: int, foot_mm: float) -> Drawn | None:
        corners = oriented(at_mm, self._world.card_size_mm, angle_deg)
        top = foot_mm + max(count * 0.3, 0.4)
        low, high = self._projector.px(corners, foot_mm), self._projector.px(corners, top)
        window = window_around(np.concatenate([low, high]), 3, self._size)
        if window.is_empty:
            return None
        brush = Brush(window)
        hull = cv2.convexHull(np.concatenate([low, high]).astype(np.float32))[:, 0].astype(np.float64)
        brush.polygon(hull, (178, 188, 192))
        brush.quad(self._art.back(), high)
        return Drawn(brush.patch(self._light.within(window)), high, hull, whole_pixels(hull))

    def _arm(self, arm: ArmObject) -> Drawn | None:
        sprite, frame = self._arm_sprite(arm)
        bands = frame.bands(self._projector, self._size)
        outline = frame.outline(sprite.outline_mm, self._projector)
        if not bands or len(outline) < 3:
            return None
        lamp = np.array(self._look.light.lamp_mm)
        shade = self._projector.px(frame.last_outline_mm + np.outer(frame.last_heights_mm, lamp))
        scale = self._projector.px_per_mm(arm.tip_mm)
        blur = (3 + 0.16 * arm.height_mm) * scale
        window = window_around(np.concatenate([outline, shade]), blur, self._size)
        if window.is_empty:
            return None
        brush, thumb = Brush(window, factor=1), Brush(window, factor=1)
        brush.shadow(shade, blur_px=blur, strength=self._look.light.shadow * 0.85)
        for low_v, high_v, quad in reversed(bands):
            brush.quad(
                sleeve_band(sprite.whole, low_v) if low_v > LENGTH_MM - 20 else band(sprite.whole, low_v, high_v),
                quad,
            )
            if low_v < 120:
                thumb.quad(band(sprite.thumb, low_v, high_v), quad)
        light = self._light.within(window)
        above = thumb.patch(light) if sprite.thumb_over and arm.pose == "grip" else None
        return Drawn(brush.patch(light), outline, outline, whole_pixels(outline), thumb=above)

    def _arm_sprite(self, arm: ArmObject) -> tuple[ArmSprite, ArmFrame]:
        tip, base = np.array(arm.tip_mm), np.array(arm.base_mm)
        reach = float(np.linalg.norm(base - tip))
        key = (arm.seed, arm.pose, arm.owner == "dealer")
        if key not in self._arms:
            self._arms[key] = arm_sprite(seed=arm.seed, pose=arm.pose, is_dealer=key[2])
            if len(self._arms) > 40:
                self._arms.pop(next(iter(self._arms)))
        ahead = (base - tip) / max(reach, 1e-6)
        return self._arms[key], ArmFrame(tip, ahead, height_mm=arm.height_mm, length_mm=max(reach, 300.0) + 700.0)


def _plain_card(bgr: tuple[float, float, float], rng: np.random.Generator) -> Sprite:
    image: Image = np.zeros((264, 189, 4), np.uint8)
    image[:, :, :3] = np.round(bgr).astype(np.uint8)
    mask = np.zeros((264, 189), np.uint8)
    r = 10
    cv2.rectangle(mask, (r, 0), (188 - r, 263), 255, -1)
    cv2.rectangle(mask, (0, r), (188, 263 - r), 255, -1)
    for corner in ((r, r), (188 - r, r), (r, 263 - r), (188 - r, 263 - r)):
        cv2.circle(mask, corner, r, 255, -1, cv2.LINE_AA)
    image[:, :, 3] = mask
    noise = rng.normal(0, 2, (264, 189, 1))
    image[:, :, :3] = np.clip(image[:, :, :3] + noise, 0, 255).astype(np.uint8)
    return Sprite(image)


def _size_of(drawn: Drawn | None) -> int:
    if drawn is None:
        return 0
    return sum(patch.add.nbytes + patch.keep.nbytes for patch in (drawn.patch, drawn.thumb) if patch is not None)
