"""Draw training samples for the reader: crops of cards as an overhead camera shows them, each with its class.

A crop is (112, 80, 3) uint8 RGB: the card's rectangle enlarged by 8 % on each side, portrait, either way up. It is
drawn at the camera's resolution in any rotation, then rectified with an inexact rectangle, as at run time. Classes: the
52 faces in the order of `CARDS`, then the back, then "unclear".
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.datasets.decks.cards import CARD_SIZE_MM, CARDS
from thirdcard.models.reader.reader_bank import BACK, BANK_PX_PER_MM, BANK_SIZE_WH_PX, TextureBank
from thirdcard.models.reader.reader_camera import blur, light, sensor
from thirdcard.models.reader.reader_inks import printed_anew
from thirdcard.models.reader.reader_photos import PATCH_MARGIN, PATCH_PX_PER_MM, PhotoBook
from thirdcard.models.reader.reader_scenery import CLOTH_SIZE_PX, draw_chip, draw_cloths, draw_fingers

CROP_SIZE_WH_PX = (80, 112)
MARGIN = 0.08
CLASSES = (*CARDS, "back", "unclear")
UNCLEAR = len(CLASSES) - 1

Matrix = npt.NDArray[np.float64]
Picture = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Crop:
    """One training sample."""

    picture: Picture
    """(112, 80, 3) RGB."""
    label: int
    width_px: float
    """Width of the card in the camera's picture."""
    turn_deg: float
    """Rotation of the card in the camera's picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CropDifficulty:
    """Settings for the difficulty of the crops."""

    strength: float = 1.0
    """0: clean and straight; 1: all effects of a camera."""
    width_px: tuple[float, float] = (32.0, 106.0)
    unclear: float = 0.07
    """Share of crops that show no readable card on purpose."""
    occluded: float = 0.18
    neighbours: float = 0.55
    photos: float = 0.07
    """Share of crops cut from photographs, if there are any."""
    other_inks: float = 0.0
    """Share of drawn crops whose card is printed in inks other than its deck's."""
    cloths: int = 160
    """Number of cloths drawn at the start."""


class ReaderSchool:
    """Draws crops from a bank of textures; the same seed draws the same crops."""

    def __init__(
        self,
        bank: TextureBank,
        *,
        seed: int,
        lesson: CropDifficulty,
        photos: PhotoBook | None = None,
        artwork_weight: float = 1.0,
    ) -> None:
        self._bank, self._photos = bank, photos
        self._rng = np.random.default_rng(seed)
        self.lesson = lesson
        self._cloths = draw_cloths(np.random.default_rng([seed, 1]), lesson.cloths)
        self._alpha = _corner_alpha()
        self.weigh(np.array([1.0 if name.startswith("machine:") else artwork_weight for name in bank.names]))

    def weigh(self, weights: npt.NDArray[np.float64]) -> None:
        """Set the weights with which decks are drawn from now on, (decks,)."""
        self._deck_odds = np.cumsum(weights / weights.sum())

    def batch(self, count: int) -> tuple[Picture, npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Draw `count` crops: pictures (N, 112, 80, 3), classes (N,), and (width_px, turn_deg) as (N, 2)."""
        crops = [self.crop() for _ in range(count)]
        told = np.array([(crop.width_px, crop.turn_deg) for crop in crops], dtype=np.float32)
        return np.stack([crop.picture for crop in crops]), np.array([crop.label for crop in crops]), told

    def crop(self) -> Crop:
        """Draw one crop; crops that are neither clearly readable nor clearly unreadable are discarded."""
        while True:
            draw = self._rng.random()
            if draw < self.lesson.unclear:
                made = self._unclear()
            elif self._photos is not None and draw < self.lesson.unclear + self.lesson.photos:
                made = self._photograph(self._photos)
            else:
                made = self._readable()
            if made is not None:
                return made

    def _deck(self) -> int:
        return min(int(np.searchsorted(self._deck_odds, self._rng.random())), len(self._bank.names) - 1)

    def _label(self, deck: int) -> int:
        while True:
            label = BACK if self._rng.random() < 0.05 else int(self._rng.integers(BACK))
            if self._bank.has[deck, label]:
                return label

    def _readable(self) -> Crop | None:
        deck = self._deck()
        label = self._label(deck)
        scene = self._scene(deck, label)
        covered = self._cover(scene) if self._rng.random() < self.lesson.occluded else None
        if covered is not None:
            verdict = self._verdict(deck, label, covered)
            if verdict is None:
                return None
            label = verdict
        return self._shoot(scene, label)

    def _photograph(self, photos: PhotoBook) -> Crop:
        i = int(self._rng.integers(len(photos.labels)))
        width = float(np.exp(self._rng.uniform(*np.log(self.lesson.width_px))))
        scene = _Scene(self._rng, self._alpha, self._cloths, width_px=width, squash=1.0, strength=self._strength())
        scene.fill_with_photograph(photos.patches[i])
        return self._shoot(scene, int(photos.labels[i]))

    def _strength(self) -> float:
        return self.lesson.strength * float(self._rng.beta(1.3, 1.5))

    def _unclear(self) -> Crop | None:
        """Draw a crop with no card, one too small or blurred, two halves, one on edge, or blank paper."""
        kind = self._rng.random()
        deck = self._deck()
        if kind < 0.3:
            scene = self._scene(deck, None)
            for _ in range(int(self._rng.integers(0, 3))):
                self._cover(scene)
            return self._shoot(scene, UNCLEAR)
        label = self._label(deck)
        if kind < 0.45:
            return self._shoot(self._scene(deck, label, width_px=float(self._rng.uniform(9, 17))), UNCLEAR)
        if kind < 0.6:
            return self._shoot(self._scene(deck, label), UNCLEAR, extra_blur=float(self._rng.uniform(0.09, 0.2)))
        if kind < 0.75:
            return self._shoot(self._scene(deck, label, squash=float(self._rng.uniform(0.06, 0.3))), UNCLEAR)
        if kind < 0.9:
            away = self._rng.choice([-1, 1]) * self._rng.uniform(0.44, 0.62)
            shift = (
                (away * 63, self._rng.normal(0, 8)) if self._rng.random() < 0.6 else (self._rng.normal(0, 6), away * 88)
            )
            return self._shoot(self._scene(deck, label, crowd=3), UNCLEAR, shift_mm=shift)
        return self._shoot(self._scene(deck, label, blank=True), UNCLEAR)

    def _scene(
        self, deck: int, label: int | None, *, width_px: float | None = None, squash: float = 1.0,
        crowd: int | None = None, blank: bool = False,
    ) -> _Scene:  # fmt: skip
        rng, lesson = self._rng, self.lesson
        width = width_px or float(np.exp(rng.uniform(*np.log(lesson.width_px))))
        scene = _Scene(rng, self._alpha, self._cloths, width_px=width, squash=squash, strength=self._strength())
        neighbours = crowd if crowd is not None else int(rng.integers(1, 4)) * (rng.random() < lesson.neighbours)
        for _ in range(neighbours):
            other = deck if rng.random() < 0.9 else self._deck()
            scene.add_card(self._bank.textures[other, self._label(other)], scene.beside(rng), shadow=True)
        if label is not None:
            texture = self._bank.textures[deck, label]
            if blank:
                texture = np.full_like(texture, 245)
            elif lesson.other_inks and label != BACK and rng.random() < lesson.other_inks:
                texture = printed_anew(texture, rng)
            scene.add_card(texture, np.eye(3), shadow=bool(rng.random() < 0.7))
        return scene

    def _cover(self, scene: _Scene) -> npt.NDArray[np.float32]:
        """Cover the card with a hand, chips or another card; return the covered share of each mm of it, (88, 63)."""
        rng = self._rng
        kind = rng.random()
        if kind < 0.45:
            at_px = scene.px_from_mm(rng.uniform((-34, -46), (34, 46)))
            mask = draw_fingers(scene.picture, at_px, scene.px_per_mm * float(rng.uniform(11, 22)), rng)
        elif kind < 0.65:
            at_px = scene.px_from_mm(rng.uniform((-40, -52), (40, 52)))
            mask = draw_chip(scene.picture, at_px, scene.px_per_mm * 19.5, rng)
        else:
            deck = self._deck()
            mask = scene.add_card(
                self._bank.textures[deck, self._label(deck)], scene.beside(rng, overlap=True), shadow=True
            )
        return scene.seen_from_card(mask)

    def _verdict(self, deck: int, label: int, covered: npt.NDArray[np.float32]) -> int | None:
        """Return the class of a partly covered card: its face, "unclear", or None where people would disagree."""
        visible = 1.0 - float(covered.mean())
        indices = [1.0 - float(_part(covered, box).mean()) for box in self._bank.index_boxes_mm[deck]]
        if label == BACK:
            return BACK if visible > 0.4 else (UNCLEAR if visible < 0.2 else None)
        if (max(indices) > 0.9 and visible > 0.35) or visible > 0.9:
            return label
        return UNCLEAR if max(indices) < 0.45 and visible < 0.6 else None

    def _shoot(
        self, scene: _Scene, label: int, *, extra_blur: float = 0.0, shift_mm: tuple[float, float] = (0.0, 0.0)
    ) -> Crop:
        """Simulate the camera and rectify the crop; `extra_blur` is a sigma in units of the card's width."""
        rng, strength = self._rng, scene.strength
        picture = light(scene.picture.astype(np.float32), rng, strength=strength)
        picture, sigma_px = blur(picture, rng, scale=scene.width_px / 60, strength=strength)
        if extra_blur:
            picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), extra_blur * scene.width_px), dtype=np.float32)
        elif label != UNCLEAR and np.hypot(sigma_px, 0.4) / scene.width_px > 0.05:
            label = UNCLEAR if np.hypot(sigma_px, 0.4) / scene.width_px > 0.08 else label
        made = sensor(picture, rng, scale=scene.width_px / 60, strength=strength)
        return Crop(scene.rectify(made, shift_mm), label, scene.width_px, scene.turn_deg)


class _Scene:
    """A patch of the camera's picture round one card; mm are the card's own, with (0, 0) at its middle."""

    def __init__(
        self,
        rng: np.random.Generator,
        alpha: Picture,
        cloths: Picture,
        *,
        width_px: float,
        squash: float,
        strength: float,
    ) -> None:
        self._rng, self._alpha, self.strength = rng, alpha, strength
        self.width_px, self.px_per_mm = width_px, width_px / CARD_SIZE_MM[0]
        self.turn_deg = float(
            rng.choice([0, 0, 90, 180, 270]) + rng.normal(0, 8) if rng.random() < 0.7 else rng.uniform(0, 360)
        )
        view = _view(rng, np.deg2rad(self.turn_deg), self.px_per_mm, squash=squash)
        self._jitter = _jitter(rng, strength)
        corners = _apply(view, _apply(self._jitter, _crop_corners_mm()))
        low = corners.min(axis=0) - 6 - rng.integers(0, 8, 2)
        size = np.ceil(corners.max(axis=0) + 6 - low).astype(int).clip(8, CLOTH_SIZE_PX)
        self._view = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1.0]]) @ view
        x, y = rng.integers(0, CLOTH_SIZE_PX - size + 1)
        cloth = cloths[int(rng.integers(len(cloths)))]
        self.picture = np.ascontiguousarray(cloth[y : y + size[1], x : x + size[0]])

    def px_from_mm(self, point_mm: npt.ArrayLike) -> Matrix:
        return np.asarray(_apply(self._view, np.asarray(point_mm, dtype=np.float64)[None])[0])

    def beside(self, rng: np.random.Generator, *, overlap: bool = False) -> Matrix:
        """Draw the place of another card, (3, 3): next to this one as on a table, or overlapping it."""
        side = rng.choice([-1, 1])
        turn = (
            rng.normal(0, 0.08) + (np.pi / 2 if rng.random() < 0.15 else 0.0) + (np.pi if rng.random() < 0.5 else 0.0)
        )
        if overlap:
            away = rng.uniform((18, 0), (60, 20)) if rng.random() < 0.6 else rng.uniform((0, 25), (20, 84))
        else:
            away = rng.uniform((52, 0), (75, 14)) if rng.random() < 0.75 else rng.uniform((0, 60), (30, 96))
        return _move(turn, away * (side, rng.choice([-1, 1])))

    def add_card(self, texture: Picture, place: Matrix, *, shadow: bool) -> npt.NDArray[np.float32]:
        """Lay a card; return its mask in the picture."""
        rng = self._rng
        height, width = self.picture.shape[:2]
        shrink = min(1.0, self.px_per_mm * 1.15 / BANK_PX_PER_MM)
        size = max(4, round(BANK_SIZE_WH_PX[0] * shrink)), max(6, round(BANK_SIZE_WH_PX[1] * shrink))
        small, alpha = texture, self._alpha
        if shrink < 1.0:
            small = np.asarray(cv2.resize(texture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
            alpha = np.asarray(cv2.resize(alpha, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        scale = CARD_SIZE_MM[0] / size[0], CARD_SIZE_MM[1] / size[1]
        mm_from_texture = np.array([[scale[0], 0, scale[0] / 2 - 31.5], [0, scale[1], scale[1] / 2 - 44.0], [0, 0, 1]])
        matrix = self._view @ place @ mm_from_texture
        warped = cv2.warpPerspective(small, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
        mask = cv2.warpPerspective(alpha, matrix, (width, height)).astype(np.float32) * np.float32(1 / 255)
        under = self.picture.astype(np.float32)
        if shadow:
            offset = np.array(
                [[1, 0, rng.normal(0, 1.6) * self.px_per_mm], [0, 1, rng.normal(0, 1.6) * self.px_per_mm]]
            )
            dark = cv2.warpAffine(mask, offset, (width, height))
            dark = cv2.GaussianBlur(dark, (0, 0), max(0.4, float(rng.uniform(0.5, 2.5)) * self.px_per_mm))
            under *= 1 - dark[..., None] * float(rng.uniform(0.15, 0.7))
        grid = np.exp(rng.normal(0, 0.07 * self.strength, (3, 3))).astype(np.float32)
        shade = cv2.resize(grid, (width, height), interpolation=cv2.INTER_CUBIC) * float(rng.uniform(0.8, 1.0))
        card = warped.astype(np.float32) * shade[..., None]
        self.picture = (under + (card - under) * mask[..., None]).clip(0, 255).astype(np.uint8)
        return mask

    def fill_with_photograph(self, patch: Picture) -> None:
        """Fill the picture with a photographed card and its surroundings, instead of cloth."""
        height, width = self.picture.shape[:2]
        shrink = min(1.0, self.px_per_mm * 1.15 / PATCH_PX_PER_MM)
        small = cv2.resize(patch, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        full = np.asarray(CARD_SIZE_MM) * (1 + 2 * PATCH_MARGIN)
        scale_x, scale_y = full[0] / small.shape[1], full[1] / small.shape[0]
        mm_from_patch = np.array(
            [[scale_x, 0, (scale_x - full[0]) / 2], [0, scale_y, (scale_y - full[1]) / 2], [0, 0, 1]]
        )
        matrix = self._view @ mm_from_patch
        warped = cv2.warpPerspective(small, matrix, (width, height), borderMode=cv2.BORDER_REFLECT)
        self.picture = np.asarray(warped, dtype=np.uint8)

    def seen_from_card(self, mask: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Sample a mask of the picture at each mm of the card: (88, 63) float32."""
        mm_from_grid = np.array([[1, 0, 0.5 - 31.5], [0, 1, 0.5 - 44.0], [0, 0, 1]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(cv2.warpPerspective(mask, self._view @ mm_from_grid, (63, 88), flags=flags), dtype=np.float32)

    def rectify(self, picture: Picture, shift_mm: tuple[float, float]) -> Picture:
        """Return the crop, (112, 80, 3), as an inexact detector would frame it."""
        width, height = CROP_SIZE_WH_PX
        scale_x, scale_y = CARD_SIZE_MM[0] * (1 + 2 * MARGIN) / width, CARD_SIZE_MM[1] * (1 + 2 * MARGIN) / height
        half_turn = -1.0 if self._rng.random() < 0.5 else 1.0
        mm_from_crop = np.array(
            [
                [half_turn * scale_x, 0, half_turn * scale_x * (0.5 - width / 2)],
                [0, half_turn * scale_y, half_turn * scale_y * (0.5 - height / 2)],
                [0, 0, 1],
            ]
        )
        matrix = self._view @ _move(0.0, shift_mm) @ self._jitter @ mm_from_crop
        sampling = cv2.INTER_LINEAR if self._rng.random() < 0.8 else cv2.INTER_CUBIC
        flags = sampling | cv2.WARP_INVERSE_MAP
        border = cv2.BORDER_REPLICATE
        return np.asarray(
            cv2.warpPerspective(picture, matrix, (width, height), flags=flags, borderMode=border), dtype=np.uint8
        )


def _view(rng: np.random.Generator, turn: float, px_per_mm: float, *, squash: float) -> Matrix:
    """Draw a homography from card mm to px: a rotation, foreshortening by a tilted camera, and a little perspective."""
    lean, short = rng.uniform(0, np.pi), float(rng.uniform(0.76, 1.0))
    tilt = _move(lean)[:2, :2] @ np.diag([1.0, short]) @ _move(-lean)[:2, :2]
    matrix = np.eye(3)
    matrix[:2, :2] = px_per_mm * _move(turn)[:2, :2] @ tilt @ np.diag([squash, 1.0])
    matrix[2, :2] = rng.normal(0, 3e-4, 2)
    return matrix


def _jitter(rng: np.random.Generator, strength: float) -> Matrix:
    """Draw the error of a detector's rectangle, (3, 3): rotation, shift, size and shape, in mm of the card."""
    amount = 0.4 + 0.6 * strength
    turn = np.deg2rad(rng.normal(0, 2.6)) * amount
    size = 1 + rng.normal(0, 0.035) * amount
    shape = 1 + rng.normal(0, 0.022) * amount
    shift = rng.normal(0, 0.026, 2) * CARD_SIZE_MM * amount
    return _move(turn, shift) @ np.diag([size * shape, size / shape, 1.0])


def _move(turn: float, shift: npt.ArrayLike = (0.0, 0.0)) -> Matrix:
    """Return a rotation (clockwise on screen) followed by a shift: [[c, -s, x], [s, c, y], [0, 0, 1]]."""
    cosine, sine, (x, y) = np.cos(turn), np.sin(turn), np.asarray(shift, dtype=np.float64)
    return np.array([[cosine, -sine, x], [sine, cosine, y], [0, 0, 1]])


def _apply(matrix: Matrix, points: Matrix) -> Matrix:
    mapped = points @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def _crop_corners_mm() -> Matrix:
    x, y = CARD_SIZE_MM[0] * (0.5 + MARGIN), CARD_SIZE_MM[1] * (0.5 + MARGIN)
    return np.array([[-x, -y], [x, -y], [x, y], [-x, y]])


def _corner_alpha() -> Picture:
    width, height = BANK_SIZE_WH_PX
    mask = np.zeros((height * 4, width * 4), dtype=np.uint8)
    radius = int(3.2 * BANK_PX_PER_MM * 4)
    cv2.rectangle(mask, (radius, 0), (width * 4 - radius, height * 4), 255, -1)
    cv2.rectangle(mask, (0, radius), (width * 4, height * 4 - radius), 255, -1)
    for x in (radius, width * 4 - radius):
        for y in (radius, height * 4 - radius):
            cv2.circle(mask, (x, y), radius, 255, -1)
    return np.asarray(cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _part(covered: npt.NDArray[np.float32], box_mm: tuple[float, float, float, float]) -> npt.NDArray[np.float32]:
    left, top, right, bottom = (round(edge) for edge in box_mm)
    return covered[max(0, top) : max(top + 1, bottom), max(0, left) : max(left + 1, right)]
