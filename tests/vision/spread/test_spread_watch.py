"""When a spread lies there, when it is read, and when play is watched again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.detections import CARD_FACE, Detections
from thirdcard.vision.frames import Frame, Image
from thirdcard.vision.plane.change_gate import CELLS_PER_MM, Change, GridFrame
from thirdcard.vision.spread.spread_likeness import compared
from thirdcard.vision.spread.spread_reading import SeenCard, SeenRow, Strip
from thirdcard.vision.spread.spread_watch import SpreadSight, SpreadWatch

GRID = GridFrame((0.0, 0.0), (round(1070 * CELLS_PER_MM), round(2130 * CELLS_PER_MM)))
CARD_MM = (63.0, 88.0)
PICTURE: Image = np.zeros((9, 16, 3), np.uint8)


def cards(count: int) -> Detections:
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array(CARD_MM) / 2
    middles = np.stack([300 + 31.0 * np.arange(count), np.full(count, 500.0)], 1)
    return Detections(middles[:, None] + signs[None], np.full(count, CARD_FACE), np.full(count, 0.8))


def change(t: float, still_s: float) -> Change:
    nothing = np.zeros(GRID.shape_hw, bool)
    still = np.full(GRID.shape_hw, still_s)
    picture = np.zeros((*GRID.shape_hw, 3), np.float32)
    return Change(t=t, picture=picture, moving=nothing, foreground=nothing, strange=nothing, still_s=still)


def watch(*looks: tuple[int, float]) -> tuple[list[bool], tuple[SpreadSight, ...], list[int]]:
    """Ten looks a second at (cards seen, seconds that they have lain still); gives what was said and how often read."""
    read: list[int] = []

    def read_rows(image: Image) -> list[SeenRow]:
        read.append(int(image.mean()))
        return [SeenRow((), True, 31.0)]

    spread = SpreadWatch(GRID, CARD_MM, read_rows)
    said = []
    for n, (count, still_s) in enumerate(looks):
        t = round(0.1 * n, 3)
        said.append(spread.update(Frame(n, t, PICTURE), change(t, still_s), cards(count)))
    spread.finish(0.1 * len(looks))
    return said, spread.take(), read


def test_cards_of_a_round_are_no_spread() -> None:
    assert watch(*[(6, 5.0)] * 20) == ([False] * 20, (), [])


def test_spread_that_lies_still_is_read_once_and_told_when_it_is_taken_away() -> None:
    said, told, read = watch(*[(30, 0.1)] * 5, *[(30, 2.0)] * 20, *[(30, 0.1)] * 5, *[(0, 0.1)] * 20)

    assert said[:40] == [True] * 40 and said[-1] is False
    assert len(read) == 1
    assert told[0].from_t == pytest.approx(0.5 - 0.9, abs=0.05) and told[0].to_t == pytest.approx(3.0, abs=0.05)


def test_row_that_is_added_is_read_with_the_others_as_one_lay() -> None:
    _, told, read = watch(*[(12, 2.0)] * 10, *[(20, 0.1)] * 5, *[(30, 2.0)] * 10, *[(0, 0.1)] * 20)

    assert len(read) == 2 and len(told) == 1


def test_decks_shown_one_after_the_other_are_two_lays() -> None:
    _, told, _ = watch(*[(30, 2.0)] * 10, *[(5, 0.1)] * 5, *[(30, 2.0)] * 10, *[(0, 0.1)] * 20)

    assert len(told) == 2


def test_spread_that_never_lay_still_is_not_read() -> None:
    assert watch(*[(30, 0.1)] * 30)[1:] == ((), [])


def test_spread_at_the_end_of_the_video_is_told() -> None:
    assert len(watch(*[(30, 2.0)] * 15)[1]) == 1


def seen(x_mm: float, y_mm: float, label: str) -> SeenCard:
    half = np.array(CARD_MM) / 2
    corners = np.array([x_mm, y_mm]) + np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half
    return SeenCard(Strip(corners, (0.0, 1.0), True), label, 0.99, label)


def drawn(places: Sequence[tuple[float, float, int]]) -> Image:
    """Cards from above at one pixel a millimetre, each with spots of its own kind."""
    image = np.full((1070, 2130, 3), (60, 90, 40), np.uint8)
    for x, y, kind in places:
        rng = np.random.default_rng(kind)
        face = np.full((88, 63, 3), 240, np.uint8)
        for _ in range(8):
            column, row = rng.integers(4, 50), rng.integers(4, 74)
            face[row : row + 9, column : column + 8] = rng.integers(0, 180, 3)
        left, top = round(x - 31.5), round(y - 44)
        image[top : top + 88, left : left + 63] = face
    return image


def flat_camera() -> Calibration:
    """Straight above the cloth, one pixel a millimetre."""
    return Calibration(
        image_size_wh_px=(2130, 1070),
        camera_matrix=np.array([[2000.0, 0, 0], [0, 2000.0, 0], [0, 0, 1]]),
        distortion=np.zeros(5),
        rvec=np.zeros(3),
        tvec=np.array([0.0, 0.0, 2000.0]),
    )


@pytest.mark.parametrize("decks", [pytest.param(3, id="three decks"), pytest.param(6, id="six decks")])
def test_card_unlike_the_others_of_its_face_is_odd_and_they_are_not(decks: int) -> None:
    kinds = {"AC": 1, "2C": 2, "3C": 3, "4C": 4}
    places = [
        (500.0 + 70 * n, 300.0 + 100 * row, 9 if (label, row) == ("2C", 1) else kind)
        for row in range(decks)
        for n, (label, kind) in enumerate(kinds.items())
    ]
    rows = [
        SeenRow(tuple(seen(500.0 + 70 * n, 300.0 + 100 * row, label) for n, label in enumerate(kinds)), True, 70.0)
        for row in range(decks)
    ]

    told = compared(rows, drawn(places), flat_camera())

    odd = [(r, n) for r, row in enumerate(told) for n, card in enumerate(row.cards) if card.is_odd]
    assert odd == [(1, 1)]
