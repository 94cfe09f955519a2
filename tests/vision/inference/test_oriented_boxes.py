"""The decoder of the detector's raw output, by output made by hand and by the shipped network's own."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.raw_boxes import SIZE_HW_PX, raw_output
from thirdcard.vision.detections import CARD_BACK, CARD_FACE, CHIPS, HAND, polygon_iou
from thirdcard.vision.inference.oriented_boxes import STEPS_PX, decode


def test_decode_of_nothing_is_empty() -> None:
    assert len(decode(raw_output(), SIZE_HW_PX, score=0.1)) == 0


def test_decode_gives_corners_of_a_turned_box() -> None:
    found = decode(raw_output((60, 50, 20, 40, CARD_BACK, 0.9, np.pi / 2)), SIZE_HW_PX, score=0.5)
    assert found.label.tolist() == [CARD_BACK]
    assert found.score.tolist() == pytest.approx([0.9])
    assert {tuple(corner) for corner in found.corners_mm[0].round(3)} == {(40, 40), (80, 40), (80, 60), (40, 60)}


@pytest.mark.parametrize("step_px", STEPS_PX)
def test_every_grid_tells_of_its_own_places(step_px: int) -> None:
    boxes = [(21.5, 33.0, 30.0, 44.0, CHIPS, 0.8, 0.3), (101.0, 70.5, 25.0, 61.0, HAND, 0.7, -0.2)]
    found = decode(raw_output(*boxes, step_px=step_px), SIZE_HW_PX, score=0.5)
    assert found.label.tolist() == [CHIPS, HAND]
    assert found.centres_mm == pytest.approx(np.array([box[:2] for box in boxes]), abs=1e-4)
    sides = np.linalg.norm(np.diff(found.corners_mm[:, :3], axis=1), axis=2)
    assert sides == pytest.approx(np.array([box[2:4] for box in boxes]), abs=1e-4)


def test_decode_gives_the_same_card_for_a_lying_and_a_standing_description() -> None:
    angle = 0.4
    standing = decode(raw_output((60, 50, 31, 44, CARD_FACE, 0.9, angle)), SIZE_HW_PX, score=0.5).corners_mm[0]
    described = raw_output((60, 50, 44, 31, CARD_FACE, 0.9, angle + np.pi / 2))
    lying = decode(described, SIZE_HW_PX, score=0.5).corners_mm[0]
    assert polygon_iou(standing.astype(np.float32), lying.astype(np.float32)) == pytest.approx(1, abs=1e-4)
    assert np.linalg.norm(lying[1] - lying[0]) == pytest.approx(31, abs=1e-4)


def test_decode_drops_what_is_below_the_score_and_leaves_its_input_alone() -> None:
    raw = raw_output((10, 10, 5, 5, 0, 0.49, 0.0), (90, 10, 5, 5, 0, 0.51, 0.0))
    before = raw.copy()
    assert decode(raw, SIZE_HW_PX, score=0.5).centres_mm.round(3).tolist() == [[90, 10]]
    assert np.array_equal(raw, before)
