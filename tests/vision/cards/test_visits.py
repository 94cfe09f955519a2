"""Hands that come over a region: told once each time, however often it is looked."""

from __future__ import annotations

import numpy as np
import pytest

from thirdcard.vision.cards.visits import Visits
from thirdcard.vision.plane.change_gate import GridFrame

GRID = GridFrame((0.0, 0.0), (20, 20))
PLACE = np.array([[40.0, 40], [100, 40], [100, 120], [40, 120]])


@pytest.mark.parametrize(
    ("looks", "told"),
    [
        pytest.param([(0.0, True), (0.1, True), (0.2, True)], [0.0], id="stays"),
        pytest.param([(0.0, True), (0.2, False), (0.4, True)], [0.0], id="hardly-gone"),
        pytest.param([(0.0, True), (0.2, False), (0.8, True)], [0.0, 0.8], id="comes-back"),
        pytest.param([(0.0, True), (2.0, True), (6.0, True)], [0.0], id="rests-while-few-looks-are-had"),
    ],
)
def test_each_visit_is_told_once(looks: list[tuple[float, bool]], told: list[float]) -> None:
    visits = Visits({"shoe": PLACE}, GRID)
    seen = [one for t, is_there in looks for one in visits.update(np.full(GRID.shape_hw, is_there), t)]
    assert [one.t for one in seen] == told
