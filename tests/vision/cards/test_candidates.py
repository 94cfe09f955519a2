"""Boxes that are no card of their own are dropped before cards are followed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.drawn_clips import CLOTH_MM, cloth, straight_down
from thirdcard.vision.cards.candidates import CardLook, CardSights, _one_a_place
from thirdcard.vision.detections import CARD_BACK, CARD_FACE, Detections
from thirdcard.vision.frames import Frame
from thirdcard.vision.plane.change_gate import SMALL_WH_PX, ChangeGate
from thirdcard.vision.plane.occlusion import Cover
from thirdcard.vision.plane.rectify import Rectifier


def boxes(*middles_and_scores: tuple[float, float, float]) -> Detections:
    shape = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
    corners = np.array([shape + np.array([x, y]) for x, y, _ in middles_and_scores])
    scores = np.array([score for *_, score in middles_and_scores])
    return Detections(corners, np.full(len(scores), CARD_BACK), scores)


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        pytest.param([(0, 0, 0.9), (66, 0, 0.8)], [0.0, 66.0], id="side-by-side"),
        pytest.param([(0, 0, 0.9), (40, 20, 0.8)], [0.0, 40.0], id="overlapping"),
        pytest.param([(0, 0, 0.9), (10, 5, 0.8)], [0.0], id="twice"),
        pytest.param([(0, 0, 0.9), (64, 0, 0.8), (32, 2, 0.6)], [0.0, 64.0], id="halves-of-two"),
        pytest.param([(0, 0, 0.6), (64, 0, 0.5), (32, 20, 0.9)], [0.0, 32.0, 64.0], id="on-top-of-two"),
    ],
)
def test_one_box_a_place(found: list[tuple[float, float, float]], kept: list[float]) -> None:
    assert sorted(_one_a_place(boxes(*found)).centres_mm[:, 0].tolist()) == kept


LABELS = ("7H", "back", "unclear")
FACE, BACK = (600.0, 300.0), (1100.0, 300.0)


def found_at(**places: tuple[float, float]) -> Detections:
    """A face or a back of 63 x 88 mm with its middle there."""
    shape = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
    corners = np.array([shape + np.array(at) for at in places.values()]).reshape(-1, 4, 2)
    labels = np.array([CARD_FACE if kind == "face" else CARD_BACK for kind in places], int)
    return Detections(corners, labels, np.full(len(places), 0.9))


def picture(t: float, *middles: tuple[float, float]) -> Frame:
    """The cloth with a light box for each card."""
    image = cloth().copy()
    for x, y in middles:
        left, top = int(30 + (x - 31.5) / 2), int(45 + (y - 44) / 2)
        image[top : top + 44, left : left + 32] = 230
    return Frame(round(t * 10), t, image)


class Table:
    """Card sights of two boxes on the drawn cloth."""

    def __init__(self) -> None:
        camera = straight_down()
        self.gate, rectifier = ChangeGate(camera, CLOTH_MM), Rectifier(camera, CLOTH_MM)
        corners = np.array([[-180.0, -90], [180, -90], [180, 90], [-180, 90]])
        boxes_mm = {"one": corners + np.array(FACE), "other": corners + np.array(BACK)}
        self.sights = CardSights(boxes_mm, rectifier, self.gate.grid, card_mm=(63.0, 88.0), labels=LABELS)

    @staticmethod
    def read(polygon_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        is_face = abs(polygon_mm.mean(axis=0)[0] - FACE[0]) < 9
        return np.log([0.98, 0.01, 0.01] if is_face else [0.01, 0.98, 0.01])

    def look(self, t: float, *, shown: tuple[tuple[float, float], ...] = (), **found: tuple[float, float]) -> int:
        """How many cards are in sight."""
        frame = picture(t, *shown)
        change = self.gate.update(frame.small(SMALL_WH_PX), t)
        still = replace(change, still_s=np.full_like(change.still_s, 9.0))
        look = CardLook(
            frame=frame,
            change=still,
            cover=Cover(self.gate.grid, still, np.zeros(self.gate.grid.shape_hw, bool)),
            looked_mm=[(0.0, 0.0, *CLOTH_MM)],
            read=lambda places: [self.read(at) for at in places],
        )
        return len(self.sights.of(found_at(**found), look))


def test_back_that_lay_there_at_the_first_look_is_no_print_for_ever() -> None:
    """A watch that began amid play learns the bare cloth when it is bare."""
    table = Table()
    table.look(0.0, shown=(FACE, BACK), face=FACE, back=BACK)
    for step in range(1, 10):
        table.look(step / 10)
    assert table.look(1.0) == 0
    assert table.look(1.1, shown=(BACK,), back=BACK) == 1
