"""Draw the printed cloth of a layout, seen from straight above, in layout millimetres.

Pixel (u, v) of the drawing has its centre at layout point ((u + 0.5) / scale, (v + 0.5) / scale).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
from PIL import Image as PillowImage
from PIL import ImageDraw

from thirdcard.calibration.layout import Area, Layout
from thirdcard.datasets.fonts.shipped import CLOTH_FONTS, open_font
from thirdcard.datasets.scene.looks import Cloth, Colour
from thirdcard.datasets.scene.patterns import pattern_mask
from thirdcard.datasets.scene.raster import FloatImage, Image, Points, mixed, smooth_noise

_WORDS = {
    "player": ("PLAYER", "PLAYER", "PUNTO", "JOUEUR"),
    "banker": ("BANKER", "BANKER", "BANK", "BANCO"),
    "tie": ("TIE", "TIE", "EGALITE", "TIE 8:1"),
    "player_pair": ("P PAIR", "PAIR", "PLAYER PAIR"),
    "banker_pair": ("B PAIR", "PAIR", "BANKER PAIR"),
    "super_six": ("SUPER 6", "SIX", "LUCKY 6"),
}
_OTHER_WORDS = (
    "ROYAL", "CASINO", "PALACE", "PLAZA", "GRAND", "HARBOUR", "STAR", "TIGER", "SUPER 6", "PAIR", "LUCKY 6",
    "DRAGON 7", "PANDA 8", "BIG", "SMALL", "BACCARAT", "PARADISE", "BAY CLUB", "PLACE", "LAYER", "BARKER", "VIP",
    "NO. 5", "25-5000",
)  # fmt: skip
"""Words of houses, of other bets, and words that look alike: none of them names an outcome."""
_SHIFT = 4
_FINE = 8
"""Markers are drawn with so many pixels along each pixel of the cloth, since cameras are fitted to their corners."""


@lru_cache(maxsize=256)
def text_mask(text: str, height_px: int, font: int) -> Image:
    """Draw a line of text in one of the shipped fonts, white on black, cropped to its ink."""
    face = open_font(CLOTH_FONTS[font % len(CLOTH_FONTS)], max(int(height_px * 1.35), 6))
    left, top, right, bottom = face.getbbox(text)
    canvas = PillowImage.new("L", (max(int(right - left) + 4, 2), max(int(bottom - top) + 4, 2)))
    ImageDraw.Draw(canvas).text((2 - left, 2 - top), text, fill=255, font=face)
    return np.asarray(canvas, np.uint8)


class ClothDrawing:
    """One cloth during printing."""

    def __init__(self, layout: Layout, cloth: Cloth, *, scale: float, seed: int) -> None:
        self._layout = layout
        self._cloth = cloth
        self.scale = scale
        """Pixels per millimetre."""
        self._rng = np.random.default_rng([seed, 31])
        width, height = round(layout.size_mm[0] * scale), round(layout.size_mm[1] * scale)
        self.image: Image = np.empty((height, width, 3), np.uint8)
        self.image[:] = np.round(cloth.colour).astype(np.uint8)
        self.lettering: list[tuple[str, Image]] = []
        """Every line of text printed so far, with its mask."""
        self._font = int(self._rng.integers(1000))
        self._pattern()

    def draw(self) -> Image:
        """Print everything, add wear, and return the picture, (H, W, 3) uint8 BGR."""
        for area in self._layout.areas:
            if area.kind in ("wager", "hand", "paddle"):
                self._area(area)
        self._titles()
        self._seat_numbers()
        self._reference_points()
        self._markers()
        self._age()
        return self.image

    def ink(self, mask: Image, colour: Sequence[float], opacity: float) -> None:
        """Print a colour through a mask of the cloth's size."""
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        if not len(rows):
            return
        cut = (slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1))
        blend(self.image[cut], mask[cut], colour, opacity)

    def line(self, points_mm: Points, colour: Sequence[float], *, width_mm: float, closed: bool = True) -> None:
        """Print a line."""
        fixed = np.round((points_mm * self.scale - 0.5) * (1 << _SHIFT)).astype(np.int32)
        thick = max(round(width_mm * self.scale), 1)
        cv2.polylines(self.image, [fixed], closed, tuple(colour), thick, cv2.LINE_AA, _SHIFT)

    def text(
        self,
        text: str,
        at_mm: Sequence[float] | Points,
        *,
        height_mm: float,
        angle_deg: float,
        colour: Colour,
        font: int = 0,
    ) -> None:
        """Print a line of text centred on a point."""
        mask = text_mask(text, max(round(height_mm * self.scale), 5), self._font + font)
        self.lettering.append((text, mask))
        height, width = mask.shape
        reach = int(np.hypot(width, height) / 2) + 2
        cx, cy = round(at_mm[0] * self.scale), round(at_mm[1] * self.scale)
        turn = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), -angle_deg, 1.0)
        turn[:, 2] += np.array([reach - (width - 1) / 2, reach - (height - 1) / 2])
        big = np.asarray(cv2.warpAffine(mask, turn, (2 * reach + 1, 2 * reach + 1)), np.uint8)
        x0, y0 = max(cx - reach, 0), max(cy - reach, 0)
        x1, y1 = min(cx + reach + 1, self.image.shape[1]), min(cy + reach + 1, self.image.shape[0])
        if x1 > x0 and y1 > y0:
            cut = big[y0 - cy + reach : y1 - cy + reach, x0 - cx + reach : x1 - cx + reach]
            blend(self.image[y0:y1, x0:x1], cut, colour, 0.95)

    def _pattern(self) -> None:
        height, width = self.image.shape[:2]
        mask = pattern_mask(self._cloth.family, (width, height), scale=self.scale, rng=self._rng)
        if mask is not None:
            tone = self._cloth.ink if self._rng.random() < 0.5 else mixed(self._cloth.colour, (0, 0, 0), 0.6)
            blend(self.image, mask, tone, self._cloth.pattern * 0.6)

    def _area(self, area: Area) -> None:
        cloth = self._cloth
        points = self._rounded(area)
        bet = area.bet or area.hand or "tie"
        colour = self._bet_colour(bet)
        if cloth.fill > 0 and area.kind == "wager":
            mask = np.zeros(self.image.shape[:2], np.uint8)
            fixed = np.round((points * self.scale - 0.5) * (1 << _SHIFT)).astype(np.int32)
            cv2.fillPoly(mask, [fixed], 255, cv2.LINE_AA, _SHIFT)
            self.ink(mask, mixed(colour, cloth.colour, 0.25), cloth.fill)
        is_filled = cloth.fill > 0.3 and area.kind == "wager"
        edge = cloth.ink if is_filled or area.kind == "hand" else colour
        self.line(points, edge, width_mm=cloth.line_mm)
        if self._font % 3 == 0:
            centre = np.array(area.centre_mm)
            self.line(centre + (points - centre) * 0.93, edge, width_mm=cloth.line_mm * 0.5)
        self._label(area, cloth.ink if is_filled else colour)

    def _bet_colour(self, bet: str) -> Colour:
        bets = self._cloth.bets
        if bet in bets:
            return bets[bet]
        return bets["pair"] if "pair" in bet or bet.startswith("match") else bets["bonus"]

    def _rounded(self, area: Area) -> Points:
        points = area.polygon_mm
        if self._font % 2 or len(points) > 6:
            return points
        return rounded(points, 0.12)

    def _label(self, area: Area, colour: Colour) -> None:
        if self._cloth.words == "none":
            return
        name = area.bet or area.hand or area.kind
        words = _WORDS.get(name, (name.replace("_", " ").upper(),))
        if self._cloth.words == "other":
            words = _OTHER_WORDS[len(name) :] + _OTHER_WORDS[: len(name)]
        word = words[self._font % len(words)]
        centre = np.array(area.centre_mm)
        along, across, angle = _long_side(area.polygon_mm)
        height = (
            min(across * 0.3, along / max(len(word), 1) * 1.2, 60 if area.kind == "hand" else 34) * self._cloth.text_mm
        )
        down = np.array([-np.sin(np.radians(angle)), np.cos(np.radians(angle))])
        offset = across * (0.5 if area.kind == "hand" else 0.28)
        if area.kind == "hand":
            at = centre + down * (offset + height)
        else:
            at = centre + down * offset * (1 if self._font % 5 else 0)
        turn = 180.0 if self._cloth.facing == "dealer" else 0.0
        self.text(word, at, height_mm=height, angle_deg=angle + turn, colour=colour)

    def _titles(self) -> None:
        cloth = self._cloth
        hands = [area.centre_mm for area in self._layout.of_kind("hand")]
        if not cloth.title or not hands:
            return
        y = max(float(area.polygon_mm[:, 1].max()) for area in self._layout.of_kind("hand"))
        x = float(np.mean([point[0] for point in hands]))
        size = float(self._rng.uniform(25, 62))
        down = float(self._rng.uniform(95, 190)) + size / 2
        self.text(cloth.title, (x, y + down), height_mm=size, angle_deg=0, colour=cloth.ink, font=3)
        if self._rng.random() < 0.5:
            note = str(
                self._rng.choice(["TIE PAYS 8 TO 1", "BANKER PAYS 19 TO 20", "PAIR 11 TO 1", "MIN 25  MAX 5000"])
            )
            self.text(note, (x, y + down + size * 1.5), height_mm=size * 0.4, angle_deg=0, colour=cloth.ink, font=5)

    def _seat_numbers(self) -> None:
        seats: dict[int, list[tuple[float, float]]] = {}
        for area in self._layout.of_kind("wager"):
            if area.seat is not None:
                seats.setdefault(area.seat, []).append(area.centre_mm)
        size = float(self._rng.uniform(22, 48))
        ring = self._rng.random() < 0.6
        for seat, centres in seats.items():
            points = np.array(centres)
            at = points.mean(axis=0) + np.array([0, 1.0]) * (np.ptp(points[:, 1]) / 2 + 70)
            self.text(str(seat), at, height_mm=size, angle_deg=0, colour=self._cloth.ink, font=7)
            if ring:
                turn = np.linspace(0, 2 * np.pi, 33)[:-1]
                self.line(at + np.column_stack([np.cos(turn), np.sin(turn)]) * size * 0.9, self._cloth.ink, width_mm=2)

    def _reference_points(self) -> None:
        for x, y in self._layout.reference_points.values():
            arm = 14.0
            self.line(np.array([[x - arm, y], [x + arm, y]]), self._cloth.ink, width_mm=2.5, closed=False)
            self.line(np.array([[x, y - arm], [x, y + arm]]), self._cloth.ink, width_mm=2.5, closed=False)

    def _markers(self) -> None:
        markers = self._layout.markers
        if markers is None:
            return
        dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, markers.dictionary))
        side = round(markers.side_mm * self.scale * _FINE)
        rim = max(side // 6, 2 * _FINE)
        for number, at_mm in markers.at.items():
            tile = cv2.aruco.generateImageMarker(dictionary, int(number), side)
            tile = cv2.copyMakeBorder(tile, rim, rim, rim, rim, cv2.BORDER_CONSTANT, value=(255,))
            self._marker(np.asarray(tile, np.uint8), np.array(at_mm))

    def _marker(self, tile: Image, at_mm: Points) -> None:
        """Print a marker about its middle; the tile has `_FINE` pixels along each pixel of the cloth."""
        corner_px = at_mm * self.scale - tile.shape[0] / (2 * _FINE)
        whole_px = np.floor(corner_px)
        reach = tile.shape[0] // _FINE + 2
        height, width = self.image.shape[:2]
        for part, tone in ((np.full_like(tile, 255), 245.0), (255 - tile, 0.0)):
            fine = cv2.warpAffine(part, _shift_by((corner_px - whole_px) * _FINE), (reach * _FINE, reach * _FINE))
            mask = cv2.resize(fine, (reach, reach), interpolation=cv2.INTER_AREA)
            mask = cv2.warpAffine(mask, _shift_by(whole_px), (width, height), flags=cv2.INTER_NEAREST)
            self.ink(np.asarray(mask, np.uint8), (tone, tone, tone), 1.0)

    def _age(self) -> None:
        cloth = self._cloth
        height, width = self.image.shape[:2]
        size = (width, height)
        wear: FloatImage = 1 + cloth.wear * 0.7 * smooth_noise(self._rng, size, 160 * self.scale)
        wear += cloth.wear * 0.5 * smooth_noise(self._rng, size, 30 * self.scale)
        fine = self._rng.standard_normal((height, width), dtype=np.float32)
        wear += cloth.weave * cv2.GaussianBlur(fine, (0, 0), 0.7)
        streak = self._rng.standard_normal((height, width), dtype=np.float32)
        wear += cloth.weave * 1.5 * cv2.GaussianBlur(streak, (0, 0), sigmaX=3.0, sigmaY=0.5)
        wear = np.clip(wear, 0.4, 1.6)
        self.image = np.asarray(cv2.multiply(self.image, cv2.merge([wear, wear, wear]), dtype=cv2.CV_8U), np.uint8)


def _shift_by(by_px: Points) -> Points:
    """Return the affine map that moves a picture by so many pixels, (2, 3)."""
    return np.column_stack([np.eye(2), by_px])


def blend(target: Image, mask: Image, colour: Sequence[float], opacity: float) -> None:
    """Blend a colour into a picture through a mask, in place."""
    share = (mask.astype(np.float32) * (opacity / 255.0))[:, :, None]
    mixed_in = target.astype(np.float32)
    mixed_in += (np.asarray(colour, np.float32) - mixed_in) * share
    target[:] = np.round(mixed_in).astype(np.uint8)


def rounded(points: Points, share: float) -> Points:
    """Cut a polygon's corners with short curves; `share` of each side is taken."""
    before, after = np.roll(points, 1, axis=0), np.roll(points, -1, axis=0)
    curve = np.linspace(0, 1, 5)[:, None]
    pieces = []
    for here, back, on in zip(points, before, after, strict=True):
        start, end = here + (back - here) * share, here + (on - here) * share
        pieces.append((1 - curve) ** 2 * start + 2 * curve * (1 - curve) * here + curve**2 * end)
    return np.concatenate(pieces)


def _long_side(points: Points) -> tuple[float, float, float]:
    """Return the length along and across a polygon, and the angle of its long side, -90 to 90 degrees."""
    (_, _), (width, height), angle = cv2.minAreaRect(points.astype(np.float32))
    if width < height:
        width, height, angle = height, width, angle + 90
    angle = (angle + 90) % 180 - 90
    if angle > 60:
        width, height, angle = height, width, angle - 90
    elif angle < -60:
        width, height, angle = height, width, angle + 90
    return float(width), float(height), float(angle)
