"""`thirdcard calibrate`: what it says of a fit, the sheets it prints, the lens it measures."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml
from typer.testing import CliRunner, Result

from tests.calibration.cameras import camera_over, reference_points_px
from tests.calibration.test_charuco import SIZE, view
from tests.calibration.test_fit import picture_of_markers
from tests.vision.health.test_print_refit import off_mm
from tests.vision.printed_cloth import LAYOUT, cloth, seen, turned
from thirdcard.calibration.camera import load_calibration, save_calibration
from thirdcard.calibration.layout import LAYOUT_FOLDER, load_layout
from thirdcard.service.cli.entry import app

MINI = load_layout("mini-7", Path())
TRUE = camera_over(MINI, tilt_deg=20.0)


def calibrate(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["calibrate", "--layout", "mini-7", *map(str, arguments)])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A picture of the markers."""
    path = tmp_path / "table.png"
    cv2.imwrite(str(path), picture_of_markers(MINI, TRUE))
    return path


def write_points(folder: Path, points: dict[str, tuple[float, float]]) -> Path:
    path = folder / "points.yaml"
    path.write_text(yaml.safe_dump({name: list(at) for name, at in points.items()}), encoding="utf-8")
    return path


def test_fit_says_how_far_off_it_may_be(table: Path, tmp_path: Path) -> None:
    result = calibrate(table, "--out", tmp_path / "overhead.yaml")

    assert result.exit_code == 0, result.output
    assert "mm over the card boxes" in result.output
    assert "More than" not in result.output
    assert load_calibration(tmp_path / "overhead.yaml").image_size_wh_px == (1920, 1080)


def test_points_that_say_too_little_ask_for_one_more(table: Path, tmp_path: Path) -> None:
    points = reference_points_px(MINI, TRUE)
    result = calibrate(
        table, "--points", write_points(tmp_path, {name: points[name] for name in ("S1L", "S1R", "S7L", "S7R")})
    )

    assert result.exit_code == 0, result.output
    assert "More than 5 mm: add " in result.output


@pytest.mark.parametrize("names", [("S1L", "S1R", "S2L", "X1"), ("P1", "P3", "B2", "B4")])
def test_points_in_one_corner_are_refused_and_nothing_is_written(
    names: tuple[str, ...], table: Path, tmp_path: Path
) -> None:
    points, out = reference_points_px(MINI, TRUE), tmp_path / "overhead.yaml"
    file = write_points(tmp_path, {name: points[name] for name in names})
    result = calibrate(table, "--points", file, "--out", out, "--drawn", tmp_path / "drawn.jpg")

    assert result.exit_code == 1
    assert "Nothing is written" in result.output and "more than 30 mm; add S" in result.output
    assert not out.exists() and not (tmp_path / "drawn.jpg").exists()


@pytest.mark.parametrize("option", ["--out", "--drawn", "--sheets"])
def test_output_in_a_folder_that_is_not_there_is_refused_before_anything_is_written(
    option: str, table: Path, tmp_path: Path
) -> None:
    out = tmp_path / "overhead.yaml"
    result = calibrate(table, "--out", out, option, tmp_path / "none" / "x.jpg")

    assert result.exit_code == 2
    assert f"{option} = " in result.output and "must be in a folder that exists" in result.output
    assert not out.exists()


def test_lens_of_another_picture_size_is_named_by_its_file(table: Path, tmp_path: Path) -> None:
    points = write_points(tmp_path, reference_points_px(MINI, TRUE))
    save_calibration(tmp_path / "lens.yaml", TRUE)
    cv2.imwrite(str(tmp_path / "half.png"), cv2.resize(picture_of_markers(MINI, TRUE), (960, 540)))
    result = calibrate(tmp_path / "half.png", "--points", points, "--lens", tmp_path / "lens.yaml")

    assert result.exit_code == 2
    assert "lens.yaml: image_size = [1920, 1080]; must be [960, 540]" in result.output


def test_text_in_place_of_a_picture_is_named_once(table: Path, tmp_path: Path) -> None:
    points = write_points(tmp_path, reference_points_px(MINI, TRUE))
    result = calibrate(points, "--points", points)

    assert result.exit_code == 2
    assert result.output.count("points.yaml") == 1


@pytest.mark.parametrize(
    ("markers", "says"),
    [
        ({"dictionary": "DICT_4X4_50", "side_mm": 60, "at": {57: [70, 140]}}, "has the markers 0 to 49"),
        ({"dictionary": "4x4_50", "side_mm": 60, "at": {0: [70, 140]}}, "must be one of DICT_"),
    ],
)
def test_sheets_of_markers_that_do_not_exist_are_refused(markers: dict[str, object], says: str, tmp_path: Path) -> None:
    document = yaml.safe_load((LAYOUT_FOLDER / "mini-7.yaml").read_text(encoding="utf-8")) | {"markers": markers}
    (tmp_path / "cloth.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    result = CliRunner().invoke(
        app, ["calibrate", "--layout", str(tmp_path / "cloth.yaml"), "--sheets", str(tmp_path / "sheets.pdf")]
    )

    assert result.exit_code == 2
    assert says in result.output
    assert not (tmp_path / "sheets.pdf").exists()


def test_point_that_does_not_fit_is_named_as_left_out(table: Path, tmp_path: Path) -> None:
    points = reference_points_px(MINI, TRUE)
    points["S2L"] = (points["S2L"][0] + 60.0, points["S2L"][1])
    result = calibrate(table, "--points", write_points(tmp_path, points))

    assert result.exit_code == 0, result.output
    assert "S2L: left out: 60 px from where the others put it" in result.output


def test_sheets_hold_a_page_for_each_marker_and_the_board(tmp_path: Path) -> None:
    assert MINI.markers is not None
    result = calibrate("--sheets", tmp_path / "sheets.pdf")

    assert result.exit_code == 0, result.output
    assert f"{len(MINI.markers.at) + 1} pages; print them at 100 %" in result.output
    assert (tmp_path / "sheets.pdf").read_bytes().startswith(b"%PDF")


def test_lens_is_measured_from_views_of_the_board(tmp_path: Path) -> None:
    table = tmp_path / "table.png"
    cv2.imwrite(str(table), cv2.resize(picture_of_markers(MINI, TRUE), SIZE))
    views: list[object] = []
    for number in range(6):
        path = tmp_path / f"view{number}.png"
        cv2.imwrite(str(path), view(number))
        views += ["--charuco", path]
    result = calibrate(table, *views, "--lens", table)
    assert result.exit_code == 2
    assert "--lens and --charuco" in result.output

    result = calibrate(table, *views)
    assert result.exit_code == 0, result.output
    assert "over 6 views" in result.output
    assert "lens given" in result.output


def test_nothing_to_look_at_is_refused() -> None:
    result = calibrate()
    assert result.exit_code == 2
    assert "needs a picture of the table, or --sheets FILE" in result.output


def test_bumped_camera_is_fitted_from_the_print(tmp_path: Path) -> None:
    before, after = camera_over(LAYOUT), turned(camera_over(LAYOUT), (0.3, 0.5, 0.4), (5.0, 5.0, 0.0))
    for name, camera in (("then", before), ("now", after)):
        cv2.imwrite(str(tmp_path / f"{name}.png"), seen(camera, cloth(1)))
    save_calibration(tmp_path / "overhead.yaml", before)
    given = ("--lens", tmp_path / "overhead.yaml", "--refit", tmp_path / "then.png", "--out", tmp_path / "new.yaml")
    result = calibrate(tmp_path / "now.png", *given)
    assert result.exit_code == 0, result.output
    assert "Moved by up to" in result.output and "mm over the card boxes" in result.output
    assert off_mm(load_calibration(tmp_path / "new.yaml"), after) < 1.0


def test_refit_says_what_it_needs(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "now.png"), seen(camera_over(LAYOUT), cloth(1)))
    result = calibrate(tmp_path / "now.png", "--refit", tmp_path / "now.png")
    assert result.exit_code == 2
    assert "--refit needs --lens FILE" in result.output
    save_calibration(tmp_path / "overhead.yaml", camera_over(LAYOUT))
    cv2.imwrite(str(tmp_path / "dark.png"), np.zeros((1080, 1920, 3), np.uint8))
    given = ("--refit", tmp_path / "now.png", "--lens", tmp_path / "overhead.yaml")
    result = calibrate(tmp_path / "dark.png", *given)
    assert result.exit_code == 2
    assert "too little of the printed cloth is found again" in result.output
