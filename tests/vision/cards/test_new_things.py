"""Things of a card's size that came to lie on the cloth."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from thirdcard.vision.cards.new_things import NewThings
from thirdcard.vision.plane.change_gate import MARGIN_MM, Change, GridFrame, Mask
from thirdcard.vision.plane.occlusion import Cover

GRID = GridFrame((-MARGIN_MM, -MARGIN_MM), (84, 124))
BOX = np.array([[100.0, 100.0], [300.0, 100.0], [300.0, 200.0], [100.0, 200.0]])
CARD_MM = (63.0, 88.0)


def _card(x: float, y: float, *, size: tuple[float, float] = CARD_MM, angle_deg: float = 0.0) -> NDArray[np.float64]:
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * size
    cos, sin = np.cos(np.radians(angle_deg)), np.sin(np.radians(angle_deg))
    return np.asarray(corners @ np.array([[cos, sin], [-sin, cos]]) + [x, y], np.float64)


def _asked(
    *things: NDArray[np.float64], hands: Mask | None = None, named: NDArray[np.float64] | None = None
) -> list[NDArray[np.float64]]:
    strange = np.zeros(GRID.shape_hw, bool)
    for corners in things:
        strange |= GRID.mask_of(corners)
    picture, calm = np.zeros((*GRID.shape_hw, 3), np.float32), np.zeros(GRID.shape_hw, bool)
    change = Change(
        t=1.0, picture=picture, moving=calm, foreground=strange, strange=strange, still_s=np.full(GRID.shape_hw, 0.5)
    )
    new = NewThings(GRID, [({"box": BOX}, 40.0)], CARD_MM)
    new.update(Cover(GRID, change, calm if hands is None else hands), np.zeros((0, 2)) if named is None else named)
    return new.asked_mm()


@pytest.mark.parametrize("angle_deg", [0, 15, 30, 45, 60, 90])
def test_card_that_nobody_named_is_looked_at_again(angle_deg: float) -> None:
    (at_mm,) = _asked(_card(600, 400, angle_deg=angle_deg))
    assert np.linalg.norm(at_mm - [600, 400]) < 8


def test_two_cards_are_two_things() -> None:
    assert len(_asked(_card(600, 400), _card(750, 300, angle_deg=20))) == 2


@pytest.mark.parametrize(
    "thing",
    [
        pytest.param(_card(600, 400, size=(39.0, 39.0)), id="a chip"),
        pytest.param(_card(600, 400, size=(30.0, 180.0)), id="a pencil"),
        pytest.param(_card(600, 400, size=(160.0, 90.0)), id="a telephone"),
        pytest.param(_card(200, 150), id="a card in its box"),
        pytest.param(_card(200, 230), id="a card at the box's edge"),
        pytest.param(_card(600, -60), id="a sleeve beyond the cloth"),
    ],
)
def test_other_things_are_left_alone(thing: NDArray[np.float64]) -> None:
    assert _asked(thing) == []


def test_what_is_named_or_under_a_hand_is_left_alone() -> None:
    card = _card(600, 400)
    assert _asked(card, named=np.array([[605.0, 390.0]])) == []
    assert _asked(card, hands=GRID.mask_of(card, 30.0)) == []
    assert len(_asked(card, named=np.array([[700.0, 400.0]]))) == 1


def test_nothing_new_asks_nothing() -> None:
    assert _asked() == []
