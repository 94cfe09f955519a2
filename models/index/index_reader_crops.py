"""Training samples for the index reader: indices cut out of drawn scenes as the finder would, each with its class.

A crop is (64, 48, 3) uint8 RGB. Classes: the 52 faces in the order of `CARDS`, then "unclear": anything that is no
index, or is upside down, covered, cut or too blurred.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from thirdcard.datasets.decks.cards import CARDS
from thirdcard.models.index.index_bank import IndexBank
from thirdcard.models.index.index_scenes import IndexScene, SceneLesson, SceneSchool
from thirdcard.vision.inference.index_crops import index_crop

CLASSES = (*CARDS, "unclear")
UNCLEAR = len(CLASSES) - 1
LESSON = SceneLesson(side_px=320, index_px=(8.0, 62.0), empty=0.02)
CLEAR, HIDDEN = 0.72, 0.35
PIXEL_BLUR_PX = 0.45
"""Blur from the pixel grid itself, sigma in px."""
READABLE_BLUR, UNREADABLE_BLUR = 0.078, 0.17
"""Blur as a share of the index's height: clearly readable up to the first, clearly unreadable from the second."""
LEAST_WIDTH, LEAST_HEIGHT_PX = 0.16, 7.0
CUTS = 2
"""Number of crops of each index of a scene, each cut slightly differently."""
MOST_OF_A_SCENE = 14

Picture = npt.NDArray[np.uint8]
Lesson = tuple[Picture, int, float]
"""A crop, its class, and the index's height in px in the scene (0 if there is no index)."""


class IndexCropSchool:
    """Draws crops from scenes; the same seed draws the same crops."""

    def __init__(self, banks: Sequence[IndexBank], *, seed: int, lesson: SceneLesson = LESSON) -> None:
        self._school = SceneSchool(banks, seed=seed, lesson=lesson)
        self._rng = np.random.default_rng([seed, 9])

    def lessons(self) -> Iterator[Lesson]:
        """Yield crops without end; those of a dozen scenes are mixed."""
        while True:
            mixed = [lesson for _ in range(12) for lesson in self._of_scene(self._school.scene())]
            yield from (mixed[i] for i in self._rng.permutation(len(mixed)))

    def batch(self, count: int) -> tuple[Picture, npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return `count` crops (N, 64, 48, 3), classes (N,), and index heights in px of the scene (N,)."""
        return stacked(self.lessons(), count)

    def _of_scene(self, scene: IndexScene) -> Iterator[Lesson]:
        rng = self._rng
        rows = rng.permutation(np.flatnonzero(is_readable(scene)))[:MOST_OF_A_SCENE]
        for i in rows:
            for _ in range(CUTS):
                yield self._cut(scene, i), int(scene.labels[i]), float(scene.sizes_px[i, 1])
        for i in rng.permutation(np.flatnonzero(_is_unreadable(scene)))[:2]:
            yield self._cut(scene, i), UNCLEAR, 0.0
        for i in rows[:1]:
            yield self._cut(scene, i, turn=float(rng.uniform(0.28, 1.72) * np.pi)), UNCLEAR, 0.0
        if rng.random() < 0.3 and len(rows):
            size = float(rng.choice([rng.uniform(0.3, 0.5), rng.uniform(1.9, 3.2)]))
            yield self._cut(scene, int(rows[-1]), size=size), UNCLEAR, 0.0
        for _ in range(2):
            anywhere = self._anywhere(scene)
            if anywhere is not None:
                yield anywhere, UNCLEAR, 0.0

    def _cut(self, scene: IndexScene, i: int, *, turn: float = 0.0, size: float = 1.0) -> Picture:
        """Cut out an index as an imperfect finder would."""
        rng, height = self._rng, scene.sizes_px[i, 1]
        up = _turned(scene.ups[i], turn + float(rng.normal(0, np.deg2rad(6))))
        centre = scene.centres_px[i] + rng.normal(0, 0.045, 2) * height
        sizes = scene.sizes_px[i] * size * np.exp(rng.normal(0, 0.07) + rng.normal(0, 0.05, 2))
        return index_crop(scene.picture, centre, up, sizes)

    def _anywhere(self, scene: IndexScene) -> Picture | None:
        """Cut out a place with no index near it (a pip, a court's face, print, cloth); None if an index is near."""
        rng, side = self._rng, scene.picture.shape[0]
        centre, height = rng.uniform(0, side, 2), float(np.exp(rng.uniform(np.log(9), np.log(70))))
        away = np.linalg.norm(scene.centres_px - centre, axis=1) / np.maximum(scene.sizes_px[:, 1], height)
        if len(away) and away.min() < 0.6:
            return None
        sizes = np.array([height * float(rng.uniform(0.35, 0.8)), height])
        return index_crop(
            scene.picture, centre, _turned(np.array([0.0, -1.0]), float(rng.uniform(0, 2 * np.pi))), sizes
        )


def stacked(lessons: Iterator[Lesson], count: int) -> tuple[Picture, npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Stack the next `count` training samples: crops (N, 64, 48, 3), classes (N,), index heights (N,) in pixels."""
    taken = [next(lessons) for _ in range(count)]
    return (
        np.stack([picture for picture, _, _ in taken]),
        np.array([label for _, label, _ in taken], np.int64),
        np.array([height for _, _, height in taken], np.float32),
    )


def is_readable(scene: IndexScene) -> npt.NDArray[np.bool_]:
    """Return whether a person could read each index, (N,)."""
    width, height = scene.sizes_px.T
    large = (height >= LEAST_HEIGHT_PX) & (width > LEAST_WIDTH * height)
    return np.asarray(large & (scene.shown >= CLEAR) & (_blur_px(scene) < READABLE_BLUR * height))


def _is_unreadable(scene: IndexScene) -> npt.NDArray[np.bool_]:
    """Return whether each index in the picture is clearly hidden or too blurred, (N,)."""
    side = scene.picture.shape[0]
    inside = ((scene.centres_px > 0) & (scene.centres_px < side)).all(axis=1)
    return np.asarray(inside & ((scene.shown < HIDDEN) | (_blur_px(scene) > UNREADABLE_BLUR * scene.sizes_px[:, 1])))


def _blur_px(scene: IndexScene) -> float:
    return float(np.hypot(scene.blur_px, PIXEL_BLUR_PX))


def _turned(up: npt.NDArray[np.float64], angle: float) -> npt.NDArray[np.float64]:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([cosine * up[0] - sine * up[1], sine * up[0] + cosine * up[1]])
