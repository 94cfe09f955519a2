"""What segments say about a camera that was moved becomes one history of the shift."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from tests.calibration.cameras import camera_over
from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.layout import load_layout
from thirdcard.service.review.camera_moves import camera_history, move_texts, told_move
from thirdcard.vision.observations import CameraRefitted

FIRST = camera_over(load_layout("mini-7", Path()))
MOVED = Calibration(
    image_size_wh_px=FIRST.image_size_wh_px,
    camera_matrix=FIRST.camera_matrix,
    distortion=FIRST.distortion,
    rvec=FIRST.rvec,
    tvec=np.asarray(FIRST.tvec, np.float64) + np.array([20.0, 0.0, 0.0]),
)


@dataclass
class Part:
    """What was found in one segment."""

    from_t: float
    to_t: float
    moves: list[dict[str, object]] = field(default_factory=list)


def move(t: float, calibration: Calibration = MOVED, *, is_used: bool = True) -> dict[str, object]:
    """As it stands in a segment's result, in the segment's own time where it began at 0."""
    told = CameraRefitted(t=t, calibration=calibration, moved_mm=20.0, within_mm=0.2, is_used=is_used)
    kept: dict[str, object] = json.loads(json.dumps(told_move(told, 0.0)))
    return kept


def is_moved(history_at: Calibration) -> bool:
    """Which of the two it is."""
    assert history_at.tvec is not None and FIRST.tvec is not None
    return bool(abs(history_at.tvec - FIRST.tvec).max() > 1.0)


@pytest.mark.parametrize(
    ("parts", "moved_at"),
    [
        pytest.param([Part(0.0, 100.0), Part(90.0, 200.0)], [], id="never"),
        pytest.param(
            [Part(0.0, 100.0, [move(50.0)]), Part(90.0, 200.0, [move(93.0)])], [60, 99, 120, 150], id="for good"
        ),
        pytest.param([Part(0.0, 100.0, [move(50.0), move(70.0, FIRST)]), Part(90.0, 200.0)], [60], id="and back"),
        pytest.param([Part(0.0, 100.0, [move(50.0)]), Part(130.0, 200.0)], [60, 99, 120], id="back in a gap"),
        pytest.param([Part(0.0, 100.0, [move(50.0, is_used=False)])], [], id="too far to be used"),
    ],
)
def test_history_follows_the_segments(parts: list[Part], moved_at: list[int]) -> None:
    history = camera_history(FIRST, parts)
    assert [t for t in (10, 60, 99, 120, 150) if is_moved(history.at(float(t)))] == moved_at


def test_what_two_segments_saw_is_said_once() -> None:
    parts = [Part(0.0, 100.0, [move(95.0)]), Part(90.0, 200.0, [move(95.2), move(150.0, FIRST)])]
    assert [t for t, _ in move_texts(parts)] == [95.0, 150.0]
