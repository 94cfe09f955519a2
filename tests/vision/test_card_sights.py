"""Boxes that are no card of their own are dropped before cards are followed."""

from __future__ import annotations

import numpy as np
import pytest

from vision.card_sights import _one_a_place
from vision.detections import CARD_BACK, Detections


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
