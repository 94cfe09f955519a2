"""Stills: the last frame at a moment, and none from far away."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.service.watch_fakes import LENGTH_S, picture_at, write_video
from thirdcard.service.media.stills import still_at


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_video(tmp_path_factory.mktemp("video") / "video.mp4")


@pytest.mark.parametrize("t", [0.0, 2.9, 3.0, 3.04, 5.5, 11.96])
def test_a_still_is_the_last_frame_at_or_before_the_moment(video: Path, t: float) -> None:
    still = still_at(video, t)
    assert still is not None
    assert still.t == pytest.approx(np.floor(t * 10 + 1e-6) / 10)
    assert np.abs(still.image_hw3.astype(int) - picture_at(still.t)).mean() < 6


def test_before_the_beginning_it_is_the_first_frame(video: Path) -> None:
    still = still_at(video, -0.5)
    assert still is not None and still.t == 0.0


def test_a_frame_that_is_too_far_away_is_none(video: Path) -> None:
    assert still_at(video, LENGTH_S + 3.0) is None
    assert still_at(video, -2.0) is None
