"""How long a place was covered until it came in sight."""

from __future__ import annotations

import numpy as np
import pytest

from thirdcard.vision.plane.change_gate import GridFrame
from thirdcard.vision.plane.occlusion import CoverMemory

GRID = GridFrame((0.0, 0.0), (20, 20))
PLACE = np.array([[40.0, 40], [100, 40], [100, 120], [40, 120]])


def remembered(covers: list[bool]) -> tuple[CoverMemory, float]:
    memory = CoverMemory(GRID)
    for step, is_covered in enumerate(covers):
        memory.update(np.full(GRID.shape_hw, is_covered), step / 10)
    return memory, (len(covers) - 1) / 10


@pytest.mark.parametrize(
    ("covers", "hidden_s"),
    [
        pytest.param([False] * 10, 0.0, id="never"),
        pytest.param([False] * 5 + [True] * 11, 1.0, id="still-covered"),
        pytest.param([True] * 11 + [False] * 3, 1.0, id="just-lifted"),
        pytest.param([True] * 11 + [False] * 20, 0.0, id="lifted-long-ago"),
        pytest.param([True] * 6 + [False] * 2 + [True] * 6, 1.3, id="lifted-for-a-moment"),
    ],
)
def test_hidden_time_is_that_of_the_last_cover(covers: list[bool], hidden_s: float) -> None:
    memory, t = remembered(covers)
    assert memory.hidden_s(PLACE, t) == pytest.approx(hidden_s)


def test_cover_that_no_look_saw_lifted_goes_on() -> None:
    """Key frames alone of a recording in which nothing moves are two seconds apart."""
    memory = CoverMemory(GRID)
    for t in (0.0, 2.0, 4.0):
        memory.update(np.full(GRID.shape_hw, True), t)
    assert memory.hidden_s(PLACE, 4.0) == pytest.approx(4.0)
