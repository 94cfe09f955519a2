"""What the command line does with a camera: fit from files, check, draw."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from tests.calibration.cameras import camera_over, reference_points_px
from tests.calibration.test_fit import picture_of_markers
from thirdcard.calibration.camera import load_calibration, save_calibration
from thirdcard.calibration.errors import DocumentError, FitError
from thirdcard.calibration.fit import LensSource
from thirdcard.calibration.layout import load_layout
from thirdcard.calibration.session import (
    calibrate_from_markers,
    calibrate_from_points,
    check_markers,
    check_points,
    draw_layout,
    read_points,
)

MINI = load_layout("mini-7", Path())
TRUE = camera_over(MINI, tilt_deg=20.0)
SIZE = (1920, 1080)


@pytest.fixture
def points_file(tmp_path: Path) -> Path:
    """The reference points as the true camera sees them."""
    path = tmp_path / "points.yaml"
    path.write_text(yaml.safe_dump({name: list(at) for name, at in reference_points_px(MINI, TRUE).items()}))
    return path


def test_fit_saved_and_loaded_checks_out_in_millimetres(points_file: Path, tmp_path: Path) -> None:
    fit = calibrate_from_points(points_file, MINI, image_size_wh_px=SIZE)
    save_calibration(tmp_path / "overhead.yaml", fit.calibration)
    check = check_points(load_calibration(tmp_path / "overhead.yaml"), MINI, points_file)
    assert check.residual_mm < 0.5
    assert check.residual_px == pytest.approx(fit.calibration.residual_px, abs=1e-6)


def test_lens_of_another_calibration_is_taken_over(points_file: Path) -> None:
    fit = calibrate_from_points(points_file, MINI, image_size_wh_px=SIZE, lens_of=TRUE)
    assert fit.lens is LensSource.GIVEN
    assert fit.calibration.residual_px == pytest.approx(0.0, abs=1e-4)


def test_lens_of_another_picture_size_is_refused(points_file: Path) -> None:
    with pytest.raises(FitError, match=r"image_size = \[1920, 1080\]; must be the picture's size, \[1280, 720\]"):
        calibrate_from_points(points_file, MINI, image_size_wh_px=(1280, 720), lens_of=TRUE)


def test_points_may_be_json(tmp_path: Path) -> None:
    (tmp_path / "points.json").write_text(json.dumps({"A": [1, 2.5]}))
    assert dict(read_points(tmp_path / "points.json")) == {"A": (1.0, 2.5)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("A: 3\n", "A = 3; must be a list of 2 numbers", id="one number"),
        pytest.param("A: [1, x]\n", "must be a list of 2 finite numbers", id="word"),
        pytest.param("{}\n", "must map reference points", id="none"),
        pytest.param("on: [1, 2]\nB: 3\n", r"true = \[1, 2\]; keys are words", id="key that is no word"),
        pytest.param("A: 7\nB: [3]\n", r"A = 7; must be a list of 2 numbers; and B = \[3\]: must be", id="two"),
    ],
)
def test_wrong_points_file_is_told_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "points.yaml").write_text(text)
    with pytest.raises(FitError, match=rf"points\.yaml: .*{told}"):
        read_points(tmp_path / "points.yaml")


def test_absent_points_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="no such file"):
        read_points(tmp_path / "points.yaml")


def test_fit_error_names_the_points_file(tmp_path: Path) -> None:
    (tmp_path / "points.yaml").write_text("P1: [100, 100]\n")
    with pytest.raises(FitError, match=r"points\.yaml: count = 1; at least 4"):
        calibrate_from_points(tmp_path / "points.yaml", MINI, image_size_wh_px=SIZE)


def test_check_tells_a_moved_camera(points_file: Path) -> None:
    moved = camera_over(MINI, tilt_deg=20.0, roll_deg=0.5)
    check = check_points(moved, MINI, points_file)
    assert check.residual_mm > 5.0
    assert check.errors_px[check.worst] == max(check.errors_px.values())


def test_check_of_an_unknown_point_is_refused(tmp_path: Path) -> None:
    (tmp_path / "points.yaml").write_text("Q9: [100, 100]\n")
    with pytest.raises(FitError, match="Q9 = .*must be a reference point of mini-7"):
        check_points(TRUE, MINI, tmp_path / "points.yaml")


def test_markers_fit_and_check_one_picture() -> None:
    picture = picture_of_markers(MINI, TRUE)
    fit = calibrate_from_markers(picture, MINI)
    check = check_markers(fit.calibration, MINI, picture)
    assert check.residual_mm < 1.0
    assert check_markers(TRUE, MINI, picture).residual_mm < 1.0


def test_check_of_a_picture_without_markers_is_refused() -> None:
    with pytest.raises(FitError, match="must show a marker of mini-7"):
        check_markers(TRUE, MINI, np.zeros((1080, 1920, 3), np.uint8))


def test_drawn_layout_lies_where_the_camera_sees_it() -> None:
    blank = np.zeros((1080, 1920, 3), np.uint8)
    drawn = draw_layout(blank, TRUE, MINI)
    assert not blank.any()
    x, y = TRUE.image_from_layout(MINI.area("player-box").polygon_mm[:1])[0].round().astype(int)
    assert drawn[y - 3 : y + 4, x - 3 : x + 4].any()
