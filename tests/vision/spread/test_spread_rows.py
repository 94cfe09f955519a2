"""Rows of cards from a detector's boxes: straight, slanted, bent, side by side, and no row at all."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from thirdcard.vision.detections import CARD_FACE, Detections
from thirdcard.vision.spread.spread_rows import find_rows, in_reading_order

CARD_MM = (63.0, 88.0)


def boxes(middles: NDArray[np.float64], turn_deg: float = 0.0) -> Detections:
    angle = np.radians(turn_deg)
    right, down = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array(CARD_MM) / 2
    corners = middles[:, None] + (signs[:, :1] * right + signs[:, 1:] * down)[None]
    return Detections(corners, np.full(len(middles), CARD_FACE), np.full(len(middles), 0.8))


def line(count: int = 30, *, pitch: float = 31.0, y: float = 400.0, x: float = 300.0) -> NDArray[np.float64]:
    return np.stack([x + pitch * np.arange(count), np.full(count, y)], 1)


def test_row_runs_through_the_middles_and_ends_at_the_outer_edges() -> None:
    row = find_rows(boxes(line()), CARD_MM)[0]

    ends = row.layout_mm(np.array([row.from_mm, row.to_mm]), np.zeros(2))
    assert ends == pytest.approx(np.array([[268.5, 400.0], [1230.5, 400.0]]), abs=0.5)


def test_bent_row_is_followed_and_its_cards_stand_upright_on_it() -> None:
    middles = line(40)
    middles[:, 1] += 60 * (1 - np.linspace(-1, 1, 40) ** 2)

    row = find_rows(boxes(middles), CARD_MM)[0]

    assert row.bend(middles[20, 0]) == pytest.approx(middles[20, 1], abs=1.5)
    card = row.card_mm(middles[2, 0], CARD_MM)
    assert card.mean(axis=0) == pytest.approx(middles[2], abs=3)
    assert np.linalg.norm(card[1] - card[0]) == pytest.approx(63.0)
    assert card[1, 1] > card[0, 1]


def test_slanted_rows_are_found_along_their_cards() -> None:
    turn = np.radians(5.0)
    matrix = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])

    rows = find_rows(boxes(np.concatenate([line(), line(y=500.0)]) @ matrix, 5.0), CARD_MM)

    assert len(rows) == 2
    assert rows[0].along == pytest.approx(matrix[0], abs=0.01)


def test_row_with_a_stretch_without_boxes_is_one() -> None:
    middles = np.delete(line(40), slice(14, 24), axis=0)

    assert len(find_rows(boxes(middles), CARD_MM)) == 1


def test_hands_of_a_round_are_no_row() -> None:
    hands = np.array([[700.0, 250.0], [770.0, 250.0], [860.0, 250.0], [1100.0, 250.0], [1170.0, 250.0]])

    assert find_rows(boxes(hands[:4]), CARD_MM) == []
    assert find_rows(Detections.empty(), CARD_MM) == []


def test_rows_side_by_side_are_read_column_by_column() -> None:
    lines = [line(8, x=x, y=y) for x in (300.0, 1300.0) for y in (400.0, 500.0)]

    rows = in_reading_order(find_rows(boxes(np.concatenate(lines)), CARD_MM))

    starts = [row.layout_mm(np.array([row.from_mm]), np.zeros(1))[0] for row in rows]
    assert [(round(x / 100), round(y / 100)) for x, y in starts] == [(3, 4), (3, 5), (13, 4), (13, 5)]
