"""A camera's calibrations over time."""

from __future__ import annotations

from pathlib import Path

from tests.calibration.cameras import camera_over
from thirdcard.calibration.history import CameraHistory
from thirdcard.calibration.layout import load_layout


def test_each_calibration_holds_from_its_moment_on() -> None:
    first, second, third = (camera_over(load_layout("mini-7", Path())) for _ in range(3))
    history = CameraHistory(first)
    assert history.now is history.at(99.0) is first
    history.change(10.0, second)
    history.change(20.0, third)
    assert [history.at(t) for t in (0.0, 9.9, 10.0, 19.9, 20.0, 99.0)] == [first, first, second, second, third, third]
    assert history.now is third
