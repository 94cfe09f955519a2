"""The detector: its decoder by hand-made output, its seams, and the shipped weights on a scene of our own renderer."""

from __future__ import annotations

import numpy as np
import pytest

from vision.detections import CARD_BACK, CARD_FACE, LABELS, polygon_iou
from vision.detector import decode


def raw_output(*boxes: tuple[float, float, float, float, int, float, float]) -> np.ndarray:
    """A network's output: columns x, y, w, h, class, score, angle in radians, among empty anchors."""
    raw = np.zeros((4 + len(LABELS) + 1, 50), np.float32)
    raw[2:4] = 10
    for i, (x, y, w, h, label, score, angle) in enumerate(boxes):
        column = 7 * i + 3
        raw[:4, column] = (x, y, w, h)
        raw[4 + label, column] = score
        raw[-1, column] = angle
    return raw


def test_decode_of_nothing_is_empty() -> None:
    assert len(decode(raw_output(), score=0.1)) == 0


def test_decode_gives_corners_of_a_turned_box() -> None:
    found = decode(raw_output((100, 50, 20, 40, CARD_BACK, 0.9, np.pi / 2)), score=0.5)
    assert found.label.tolist() == [CARD_BACK]
    assert found.score.tolist() == pytest.approx([0.9])
    assert {tuple(corner) for corner in found.corners_mm[0].round(3)} == {(80, 40), (120, 40), (120, 60), (80, 60)}


def test_decode_gives_the_same_card_for_a_lying_and_a_standing_description() -> None:
    angle = 0.4
    standing = decode(raw_output((100, 80, 31, 44, CARD_FACE, 0.9, angle)), score=0.5).corners_mm[0]
    lying = decode(raw_output((100, 80, 44, 31, CARD_FACE, 0.9, angle - np.pi / 2)), score=0.5).corners_mm[0]
    assert polygon_iou(standing.astype(np.float32), lying.astype(np.float32)) == pytest.approx(1, abs=1e-4)
    assert np.linalg.norm(lying[1] - lying[0]) == pytest.approx(31, abs=1e-4)


def test_decode_drops_what_is_below_the_score_and_leaves_its_input_alone() -> None:
    raw = raw_output((10, 10, 5, 5, 0, 0.49, 0.0), (90, 10, 5, 5, 0, 0.51, 0.0))
    before = raw.copy()
    assert decode(raw, score=0.5).centres_mm.round(3).tolist() == [[90, 10]]
    assert np.array_equal(raw, before)
