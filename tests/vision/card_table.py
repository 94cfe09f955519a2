"""A simulated table of cards, look by look, for tests of tracking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.cards.card_monitor import PlaceLook, new_card_watch
from thirdcard.vision.cards.tracker import CardSight
from thirdcard.vision.observations import Observation, Point

LABELS = ("7H", "KS", "back", "unclear")
LEFT = np.array([[0, 0], [300, 0], [300, 150], [0, 150]], np.float64)
RIGHT = LEFT + np.array([400.0, 0.0])


def sight(x_mm: float, *, face_up: bool = True, y_mm: float = 75.0, score: float = 0.9) -> CardSight:
    corners = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]]) + np.array([x_mm, y_mm])
    return CardSight(corners_mm=corners, face_up=face_up, score=score)


@dataclass
class Table:
    """Feeds looks to a watch, ten a second."""

    faces: Callable[[float], str | None] = lambda x: "7H"
    covered: Callable[[float], bool] = lambda x: False
    covers: Callable[[NDArray[np.float64]], bool] = lambda corners: False
    blends: bool = False
    """Whether cards hardly differ from the cloth."""
    left: Callable[[float], bool] = lambda x: True
    """Whether bare cloth shows where a card lay."""
    entry: Point | None = None
    t: float = 0.0
    told: list[Observation] = field(default_factory=list)
    shown: tuple[CardSight, ...] = ()
    hidden_s: float = 0.0
    """The seconds for which every place was covered until just now."""
    misseen: bool = False
    """Whether the detector takes faces for backs."""
    dim: bool = False
    """Whether the reader takes a back for one with a probability of 0.65 only."""

    def __post_init__(self) -> None:
        self.watch = new_card_watch({"left": LEFT, "right": RIGHT}, LABELS)

    def look(self, *sights: CardSight, looks: int = 1) -> list[Observation]:
        new: list[Observation] = []
        self.shown = sights
        seen = [replace(each, face_up=False) for each in sights] if self.misseen else sights
        for _ in range(looks):
            new += self.watch.update(
                seen,
                self.t,
                PlaceLook(
                    is_covered=lambda corners: self.covered(float(corners[:, 0].mean())) or self.covers(corners),
                    blends=lambda seen: self.blends,
                    is_left=lambda old, others: self.left(float(old.at_mm[0])),
                    hidden_s=lambda corners: self.hidden_s,
                    entry_of=lambda corners: self.entry,
                ),
                self._read,
            )
            self.t = round(self.t + 0.1, 3)
        self.told += new
        return new

    def _read(self, places: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64] | None]:
        return [self._one(self._label_at(float(corners[:, 0].mean()))) for corners in places]

    def _label_at(self, x_mm: float) -> str | None:
        is_back = any(not each.face_up and abs(each.at_mm[0] - x_mm) < 1 for each in self.shown)
        return "back" if is_back else self.faces(x_mm)

    def _one(self, label: str | None) -> NDArray[np.float64]:
        if label is None:
            return np.array([-0.71, -0.71, -4.6, -4.6])
        if label == "back" and self.dim:
            return np.log([0.02, 0.02, 0.65, 0.31])
        sure, other = (-0.009, -5.8) if label == "back" else (-0.03, -4.6)
        return np.array([sure if each == label else other for each in LABELS])


def kinds(observations: Sequence[Observation]) -> list[type]:
    return [type(each) for each in observations]
