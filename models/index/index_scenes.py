"""Draw photographs of cards in fans, rows, piles and hands, with the visibility of every corner index.

Cards are warped onto a backdrop one after the other, as they would be laid; an owner map records which card covers
which pixel. Pictures are (S, S, 3) uint8 RGB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.datasets.decks.canvas import corner_alpha
from thirdcard.datasets.decks.cards import CARD_SIZE_MM, CORNER_RADIUS_MM
from thirdcard.models.index.index_backdrops import SIZE_PX as BACKDROP_PX
from thirdcard.models.index.index_backdrops import draw_backdrops
from thirdcard.models.index.index_bank import IndexBank
from thirdcard.models.index.index_places import draw_places
from thirdcard.models.reader.reader_bank import BACK
from thirdcard.models.reader.reader_camera import blur, light, sensor
from thirdcard.models.reader.reader_inks import printed_anew
from thirdcard.models.reader.reader_scenery import draw_chip, draw_fingers

NOTHING, OCCLUDER = -1, -2
_GRID_WH = (5, 10)
"""Grid of points at which an index's visibility is tested; half of them on the rank, half on the suit sign."""

Picture = npt.NDArray[np.uint8]
Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneLesson:
    """Settings of the drawn scenes."""

    side_px: int = 256
    index_px: tuple[float, float] = (11.0, 42.0)
    """Range of the index heights of a scene, drawn evenly in the logarithm."""
    strength: float = 1.0
    """0: clean; 1: all effects of light, lens, sensor and compression."""
    empty: float = 0.07
    """Share of scenes without cards."""
    shrunk: float = 0.3
    """Share of scenes that are drawn smaller and then enlarged."""
    other_inks: float = 0.1
    artwork_weight: float = 12.0
    """Weight of an artwork or photographed deck against a generated one."""
    backdrops: int = 120


@dataclass(frozen=True, slots=True, eq=False)
class IndexScene:
    """A picture and all indices in it, including hidden ones."""

    picture: Picture
    centres_px: npt.NDArray[np.float64]
    """(N, 2): middles of the indices."""
    ups: npt.NDArray[np.float64]
    """(N, 2): unit vectors from suit sign to rank."""
    sizes_px: npt.NDArray[np.float64]
    """(N, 2): width across and height along these vectors."""
    labels: npt.NDArray[np.int64]
    """(N,): index in `CARDS`."""
    shown: npt.NDArray[np.float64]
    """(N,): visible share of the rank or of the suit sign, whichever is covered more."""
    blur_px: float
    """Sigma of the blur."""


class SceneSchool:
    """Draws scenes without end; the same seed draws the same scenes."""

    def __init__(self, banks: Sequence[IndexBank], *, seed: int, lesson: SceneLesson) -> None:
        self._banks = banks
        self.rng = np.random.default_rng(seed)
        self.lesson = lesson
        self._backdrops = draw_backdrops(np.random.default_rng([seed, 1]), lesson.backdrops)
        self._odds = [_deck_odds(bank, lesson.artwork_weight) for bank in banks]

    def scene(self) -> IndexScene:
        """Draw one scene."""
        rng = self.rng
        bank, odds = self._one_of_banks()
        deck = int(rng.choice(bank.decks, p=odds))
        index_px = float(np.exp(rng.uniform(*np.log(self.lesson.index_px))))
        boxes = bank.boxes_mm[deck]
        px_per_mm = index_px / float(np.median(boxes[:, 3] - boxes[:, 1]))
        table = _Table(rng, self._ground(), px_per_mm, strength=self.lesson.strength * float(rng.beta(1.3, 1.5)))
        if rng.random() >= self.lesson.empty:
            for _ in range(int(rng.choice([1, 2, 3], p=[0.4, 0.35, 0.25]))):
                if rng.random() < 0.12:
                    deck = int(rng.choice(bank.decks, p=odds))
                self._lay_group(table, bank, deck)
            table.cover()
        return table.photograph(enlarged=bool(rng.random() < self.lesson.shrunk))

    def _one_of_banks(self) -> tuple[IndexBank, npt.NDArray[np.float64]]:
        i = int(self.rng.integers(len(self._banks)))
        return self._banks[i], self._odds[i]

    def _ground(self) -> Picture:
        rng, side = self.rng, self.lesson.side_px
        backdrop = self._backdrops[int(rng.integers(len(self._backdrops)))]
        backdrop = np.rot90(backdrop, int(rng.integers(4)))
        part = int(rng.integers(min(BACKDROP_PX, side) // 2, BACKDROP_PX + 1))
        x, y = rng.integers(0, BACKDROP_PX - part + 1, 2)
        ground = cv2.resize(backdrop[y : y + part, x : x + part], (side, side), interpolation=cv2.INTER_LINEAR)
        if rng.random() < 0.3:
            ground = ground[..., rng.permutation(3)]
        return np.ascontiguousarray(ground)

    def _lay_group(self, table: _Table, bank: IndexBank, deck: int) -> None:
        """Lay cards of one deck so that at least one card's index is in the picture."""
        rng = self.rng
        places = draw_places(rng)
        aim = places[int(rng.integers(len(places)))]
        corner = _move(aim[2], aim[:2])[:2] @ np.array([*rng.choice([-1, 1]) * np.array([25.0, 34.0]), 1.0])
        at_mm = table.mm_from_px(rng.uniform(0.05, 0.95, 2) * self.lesson.side_px)
        new_inks = int(rng.integers(2**31)) if rng.random() < self.lesson.other_inks else None
        for x, y, turn in places:
            face = BACK if rng.random() < 0.04 else int(rng.integers(BACK))
            place = _move(turn, (x - corner[0] + at_mm[0], y - corner[1] + at_mm[1]))
            if not table.sees(place):
                continue
            texture = bank.bank.textures[deck, face]
            if new_inks is not None and face != BACK:
                texture = printed_anew(texture, np.random.default_rng(new_inks))
            boxes = [] if face == BACK else index_frames(bank.boxes_mm[deck, face], int(bank.corners[deck]))
            table.lay(texture, place, face, boxes)


@dataclass(frozen=True, slots=True, eq=False)
class _Shadow:
    """The shadow that every card on a table casts."""

    size_px: float
    darkness: float
    direction: npt.NDArray[np.float64]
    """(2,): offset of the shadow, in units of its size."""

    @staticmethod
    def draw(rng: np.random.Generator, px_per_mm: float) -> _Shadow:
        size_mm, darkness = float(rng.uniform(0.2, 2.2)), float(rng.uniform(0.05, 0.55))
        return _Shadow(size_mm * px_per_mm, darkness, rng.normal(0, 1.0, 2))

    def on(self, under: npt.NDArray[np.float32], mask: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return a ground, (H, W, 3), darkened by the shadow of a card that covers `mask`, (H, W) of 0 to 1."""
        sigma = max(0.4, self.size_px)
        offset = np.column_stack([np.eye(2), self.direction * sigma])
        dark = cv2.GaussianBlur(cv2.warpAffine(mask, offset, mask.shape[::-1]), (0, 0), sigma)
        return np.asarray(under * (1 - dark[..., None] * self.darkness), np.float32)


class _Table:
    """The picture while cards are laid on it."""

    def __init__(self, rng: np.random.Generator, ground: Picture, px_per_mm: float, *, strength: float) -> None:
        self._rng, self._px_per_mm, self._strength = rng, px_per_mm, strength
        self._side = ground.shape[0]
        self._picture = ground
        self._view = _view(rng, px_per_mm, self._side)
        self._owner = np.full(ground.shape[:2], NOTHING, np.int16)
        self._indices: list[tuple[int, int, Matrix]] = []
        self._count = 0
        self._edge = int(rng.integers(90, 215)) if rng.random() < 0.5 else None
        self._shadow = _Shadow.draw(rng, px_per_mm)

    def mm_from_px(self, point_px: npt.NDArray[np.float64]) -> Matrix:
        return np.asarray(apply(np.asarray(np.linalg.inv(self._view), np.float64), point_px[None])[0], np.float64)

    def sees(self, place: Matrix) -> bool:
        """Return whether a card at a place may be in the picture and is not seen from too far aslant."""
        corners = np.column_stack([_card_corners(), np.ones(4)]) @ (self._view @ place).T
        if corners[:, 2].min() < 0.35:
            return False
        points = corners[:, :2] / corners[:, 2:]
        return bool((points.max(axis=0) > 0).all() and (points.min(axis=0) < self._side).all())

    def lay(self, texture: Picture, place: Matrix, face: int, frames: Sequence[Matrix]) -> None:
        """Lay one card over what is there; `frames` are its indices, (4, 2) mm each."""
        matrix = self._view @ place
        corners = apply(matrix, _card_corners())
        reach = 3 + self._shadow.size_px * 2
        low = np.clip(np.floor(corners.min(axis=0) - reach).astype(int), 0, self._side)
        high = np.clip(np.ceil(corners.max(axis=0) + reach).astype(int), 0, self._side)
        if (high - low).min() < 2:
            return
        shift = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1.0]])
        card, mask = self._warped(texture, shift @ matrix, (int(high[0] - low[0]), int(high[1] - low[1])))
        rows, columns = slice(low[1], high[1]), slice(low[0], high[0])
        under = self._shadow.on(self._picture[rows, columns].astype(np.float32), mask)
        self._picture[rows, columns] = under + (card - under) * mask[..., None]
        if self._edge is not None:
            points = np.round(corners * 16).astype(np.int32)
            cv2.polylines(self._picture, [points], True, (self._edge,) * 3, 1, cv2.LINE_AA, 4)
        self._owner[rows, columns][mask > 0.5] = self._count
        self._indices += [(self._count, face, apply(matrix, frame)) for frame in frames]
        self._count += 1

    def _warped(
        self, texture: Picture, matrix: Matrix, size: tuple[int, int]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        rng = self._rng
        width_px = min(texture.shape[1], max(6, round(CARD_SIZE_MM[0] * self._px_per_mm * 1.1)))
        small_size = (width_px, round(width_px * texture.shape[0] / texture.shape[1]))
        small = cv2.resize(texture, small_size, interpolation=cv2.INTER_AREA)
        alpha = cv2.resize(_ALPHA, small_size, interpolation=cv2.INTER_AREA)
        scale = CARD_SIZE_MM[0] / small_size[0], CARD_SIZE_MM[1] / small_size[1]
        from_px = np.array([[scale[0], 0, scale[0] / 2 - 31.5], [0, scale[1], scale[1] / 2 - 44.0], [0, 0, 1]])
        smooth = cv2.INTER_CUBIC if width_px == texture.shape[1] else cv2.INTER_LINEAR
        card = cv2.warpPerspective(small, matrix @ from_px, size, flags=smooth, borderMode=cv2.BORDER_REPLICATE)
        mask = cv2.warpPerspective(alpha, matrix @ from_px, size).astype(np.float32) * np.float32(1 / 255)
        lit = card.astype(np.float32) * float(rng.uniform(0.86, 1.0))
        if rng.random() < 0.3:
            ramp = np.linspace(1, float(rng.uniform(0.8, 1.1)), size[0], dtype=np.float32)
            lit = lit * ramp[None, :, None]
        return np.minimum(lit, 255), mask

    def cover(self) -> None:
        """Sometimes lay a hand or chips over the cards."""
        rng = self._rng
        if rng.random() < 0.18:
            tip = rng.uniform(0, self._side, 2)
            self._hide(draw_fingers(self._picture, tip, self._px_per_mm * float(rng.uniform(11, 22)), rng))
        for _ in range(int(rng.integers(1, 5)) if rng.random() < 0.15 else 0):
            self._hide(draw_chip(self._picture, rng.uniform(0, self._side, 2), self._px_per_mm * 19.5, rng))

    def _hide(self, mask: npt.NDArray[np.float32]) -> None:
        self._owner[mask > 0.4] = OCCLUDER

    def photograph(self, *, enlarged: bool) -> IndexScene:
        """Simulate the camera and return the scene with its indices."""
        rng, strength = self._rng, self._strength
        scale = CARD_SIZE_MM[0] * self._px_per_mm / 60
        picture = self._picture
        factor = float(rng.uniform(1.2, 2.4)) if enlarged else 1.0
        if enlarged:
            small = (round(self._side / factor),) * 2
            picture = np.asarray(cv2.resize(picture, small, interpolation=cv2.INTER_AREA), np.uint8)
        lit = light(picture.astype(np.float32), rng, strength=strength)
        soft, sigma_px = blur(lit, rng, scale=scale / factor, strength=strength)
        made = sensor(soft, rng, scale=scale / factor, strength=strength)
        if enlarged:
            smooth = cv2.INTER_CUBIC if rng.random() < 0.5 else cv2.INTER_LINEAR
            made = np.asarray(cv2.resize(made, (self._side, self._side), interpolation=smooth), np.uint8)
            sigma_px = float(np.hypot(sigma_px, 0.5)) * factor
        return self._told(made, sigma_px)

    def _told(self, picture: Picture, blur_px: float) -> IndexScene:
        frames = np.array([frame for _, _, frame in self._indices], np.float64).reshape(-1, 4, 2)
        tops, bottoms = frames[:, :2].mean(axis=1), frames[:, 2:].mean(axis=1)
        rights, lefts = frames[:, 1:3].mean(axis=1), frames[:, [0, 3]].mean(axis=1)
        heights = np.linalg.norm(tops - bottoms, axis=1)
        widths = np.linalg.norm(rights - lefts, axis=1)
        shown = [self._shown(owner, frame) for owner, _, frame in self._indices]
        return IndexScene(
            picture=picture,
            centres_px=frames.mean(axis=1),
            ups=(tops - bottoms) / np.maximum(heights, 1e-6)[:, None],
            sizes_px=np.column_stack([widths, heights]),
            labels=np.array([face for _, face, _ in self._indices], np.int64),
            shown=np.array(shown, np.float64),
            blur_px=blur_px,
        )

    def _shown(self, owner: int, frame: Matrix) -> float:
        """Return the visible share of the rank or of the suit sign of an index, whichever is covered more."""
        across, down = np.meshgrid(*((np.arange(n) + 0.5) / n for n in _GRID_WH))
        top = frame[0] + (frame[1] - frame[0]) * across[..., None]
        bottom = frame[3] + (frame[2] - frame[3]) * across[..., None]
        points = np.round(top + (bottom - top) * down[..., None]).astype(int)
        inside = ((points >= 0) & (points < self._side)).all(axis=2)
        x, y = np.clip(points, 0, self._side - 1).transpose(2, 0, 1)
        seen = inside & (self._owner[y, x] == owner)
        half = _GRID_WH[1] // 2
        return float(min(seen[:half].mean(), seen[half:].mean()))


def index_frames(box_mm: npt.NDArray[np.float32], corners: int) -> list[Matrix]:
    """Return the quads of a card's indices, (4, 2) each, in mm from the card's middle.

    Their corners run clockwise from each index's own top left.
    """
    left, top, right, bottom = box_mm.astype(np.float64) - np.tile(np.array(CARD_SIZE_MM) / 2, 2)
    quads = [np.array([[left, top], [right, top], [right, bottom], [left, bottom]])]
    if corners == 4:
        quads.append(np.array([[-right, top], [-left, top], [-left, bottom], [-right, bottom]]))
    return [*quads, *(-quad for quad in quads)]


def apply(matrix: Matrix, points: Matrix) -> Matrix:
    """Map points (N, 2) by a homography (3, 3)."""
    mapped = points @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def _view(rng: np.random.Generator, px_per_mm: float, side_px: int) -> Matrix:
    """Draw a homography from table mm to px; (0, 0) is mapped to the picture's middle.

    It rotates, foreshortens and adds perspective.
    """
    lean, short = rng.uniform(0, np.pi), float(rng.uniform(0.5, 1.0) ** 0.7)
    turn = _move(lean)[:2, :2]
    matrix = np.eye(3)
    matrix[:2, :2] = px_per_mm / np.sqrt(short) * turn @ np.diag([1.0, short]) @ turn.T
    matrix[2, :2] = rng.normal(0, 0.12, 2) * px_per_mm / side_px
    return np.array([[1, 0, side_px / 2], [0, 1, side_px / 2], [0, 0, 1.0]]) @ matrix


def _deck_odds(bank: IndexBank, artwork_weight: float) -> npt.NDArray[np.float64]:
    names = [bank.bank.names[deck] for deck in bank.decks]
    weights = np.array([1.0 if name.startswith("machine:") else artwork_weight for name in names])
    return np.asarray(weights / weights.sum())


def _move(turn: float, shift: npt.ArrayLike = (0.0, 0.0)) -> Matrix:
    """Return a rotation (clockwise on screen) followed by a shift: [[c, -s, x], [s, c, y], [0, 0, 1]]."""
    cosine, sine, (x, y) = np.cos(turn), np.sin(turn), np.asarray(shift, dtype=np.float64)
    return np.array([[cosine, -sine, x], [sine, cosine, y], [0, 0, 1]])


def _card_corners() -> Matrix:
    x, y = CARD_SIZE_MM[0] / 2, CARD_SIZE_MM[1] / 2
    return np.array([[-x, -y], [x, -y], [x, y], [-x, y]])


_ALPHA = np.asarray(cv2.resize(corner_alpha(CORNER_RADIUS_MM), (252, 352), interpolation=cv2.INTER_AREA), np.uint8)
