"""Pictures of wagers that changed: taken from before the hand came, small, and not too many."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.calibration.cameras import camera_over
from thirdcard.calibration.history import CameraHistory
from thirdcard.calibration.layout import load_layout
from thirdcard.service.media import change_pictures
from thirdcard.service.media.change_pictures import HIGHEST_PX, LOOK_S, ChangePictures, side_by_side, write_picture
from thirdcard.vision.frames import Frame

LAYOUT = load_layout("mini-7", Path())
AREA = next(area.id for area in LAYOUT.of_kind("wager"))


CAMERA = camera_over(LAYOUT)


def frame(t: float, level: int) -> Frame:
    width, height = CAMERA.image_size_wh_px
    return Frame(0, t, np.full((height, width, 3), level, np.uint8))


def watched(*levels: int) -> ChangePictures:
    """Looks a second apart."""
    pictures = ChangePictures(LAYOUT, CameraHistory(CAMERA))
    for second, level in enumerate(levels):
        pictures.look(frame(float(second), level), [AREA])
    return pictures


def test_picture_shows_the_area_before_the_hand_came_and_now() -> None:
    pictures = watched(40, 60, 90)  # the hand's shadow fell on the last look
    name = pictures.change(frame(5.0, 200), AREA)
    assert name is not None
    data = pictures.take(name)
    assert data is not None
    shown = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None
    assert shown.shape[0] <= HIGHEST_PX
    assert shown[5, 5].mean() == pytest.approx(60, abs=3)
    assert shown[5, -5].mean() == pytest.approx(200, abs=3)
    assert len(data) < 20_000
    assert pictures.take(name) is None


def test_area_that_was_never_calm_has_no_picture() -> None:
    assert ChangePictures(LAYOUT, CameraHistory(CAMERA)).change(frame(1.0, 50), AREA) is None


def test_looks_are_kept_now_and_then() -> None:
    pictures = watched(40, 60)
    pictures.look(frame(1.0 + LOOK_S / 2, 90), [AREA])
    name = pictures.change(frame(5.0, 200), AREA)
    assert name is not None
    shown = cv2.imdecode(np.frombuffer(pictures.take(name) or b"", np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None
    assert shown[5, 5].mean() == pytest.approx(40, abs=3)


def test_high_pictures_are_made_smaller() -> None:
    tall = np.zeros((3 * HIGHEST_PX, 50, 3), np.uint8)
    assert side_by_side(tall, tall).shape[0] == HIGHEST_PX


def test_oldest_pictures_go_when_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_pictures, "MOST_FILES", 2)
    for second in range(4):
        write_picture(tmp_path, f"changes/{second:09.2f}-a.jpg", b"jpeg")
    assert sorted(path.name for path in (tmp_path / "changes").iterdir()) == ["000002.00-a.jpg", "000003.00-a.jpg"]
