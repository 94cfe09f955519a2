"""Cameras found again from points and markers, with errors in millimetres."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.calibration.cameras import camera_over, reference_points_px
from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.camera_problem import KnownLens
from thirdcard.calibration.errors import FitError, LayoutError
from thirdcard.calibration.fit import LensSource, fit_camera, fit_from_markers, fit_from_points
from thirdcard.calibration.layout import Layout, load_layout, parse_layout
from thirdcard.calibration.markers import find_markers, marker_corners_mm, marker_dictionary

MINI = load_layout("mini-7", Path())
SIZE = (1920, 1080)


def worst_error_mm(found: Calibration, true: Calibration, layout: Layout = MINI) -> float:
    """The largest distance on the cloth between where two cameras see the same pixel, over all areas."""
    centres_mm = np.array([area.centre_mm for area in layout.areas])
    return float(np.linalg.norm(found.layout_from_image(true.image_from_layout(centres_mm)) - centres_mm, axis=1).max())


def chips_error_px(found: Calibration, true: Calibration) -> float:
    """The largest distance between where two cameras see the tops of stacks 60 mm high."""
    tops = np.array([[*area.centre_mm, -60.0] for area in MINI.areas])
    return float(np.linalg.norm(found.image_from_layout(tops) - true.image_from_layout(tops), axis=1).max())


@pytest.mark.parametrize("tilt_deg", [-30.0, -8.0, 0.0, 15.0, 35.0])
@pytest.mark.parametrize("roll_deg", [0.0, 90.0, 180.0])
def test_fit_from_exact_points_finds_the_camera(tilt_deg: float, roll_deg: float) -> None:
    true = camera_over(MINI, tilt_deg=tilt_deg, roll_deg=roll_deg)
    fit = fit_from_points(reference_points_px(MINI, true), MINI, image_size_wh_px=SIZE)
    assert worst_error_mm(fit.calibration, true) < 1.0
    assert fit.calibration.residual_px is not None
    assert fit.calibration.residual_px < 0.5


@pytest.mark.parametrize("layout_name", ["mini-7", "midi-9", "full-14"])
def test_fit_from_clicked_points_is_good_to_millimetres(layout_name: str) -> None:
    layout = load_layout(layout_name, Path())
    true = camera_over(layout, tilt_deg=20.0)
    rng = np.random.default_rng(7)
    clicked = {
        name: (x + rng.normal(0, 0.7), y + rng.normal(0, 0.7))
        for name, (x, y) in reference_points_px(layout, true).items()
    }
    fit = fit_from_points(clicked, layout, image_size_wh_px=SIZE)
    assert worst_error_mm(fit.calibration, true, layout) < 4.0
    assert fit.calibration.residual_px == pytest.approx(0.7 * 2**0.5, rel=0.35)


def test_tilted_view_measures_the_focal_length_and_heights() -> None:
    true = camera_over(MINI, tilt_deg=30.0)
    fit = fit_from_points(reference_points_px(MINI, true), MINI, image_size_wh_px=SIZE)
    assert fit.lens is LensSource.MEASURED
    assert fit.calibration.camera_matrix[0, 0] == pytest.approx(true.camera_matrix[0, 0], rel=0.01)
    assert chips_error_px(fit.calibration, true) < 1.0


def test_straight_view_through_few_points_says_the_focal_length_is_assumed() -> None:
    true = camera_over(MINI, tilt_deg=0.0, distortion=(0.0, 0.0, 0.0, 0.0, 0.0))
    points = reference_points_px(MINI, true)
    few = {name: points[name] for name in ("P1", "B3", "S1R", "S7L", "S4L")}
    fit = fit_from_points(few, MINI, image_size_wh_px=SIZE)
    assert fit.lens is LensSource.ASSUMED
    assert worst_error_mm(fit.calibration, true) < 2.0


def test_given_lens_is_kept_and_four_points_suffice() -> None:
    true = camera_over(MINI, tilt_deg=10.0)
    points = reference_points_px(MINI, true)
    four = {name: points[name] for name in ("P1", "B3", "S2R", "S6L")}
    lens = KnownLens(camera_matrix=true.camera_matrix, distortion=true.distortion)
    fit = fit_from_points(four, MINI, image_size_wh_px=SIZE, lens=lens)
    assert fit.lens is LensSource.GIVEN
    assert np.array_equal(fit.calibration.distortion, true.distortion)
    assert worst_error_mm(fit.calibration, true) < 0.1
    assert chips_error_px(fit.calibration, true) < 0.1


@pytest.mark.parametrize("off_px", [15.0, 60.0, 300.0])
def test_point_that_was_clicked_wrong_is_left_out_and_named(off_px: float) -> None:
    true = camera_over(MINI)
    points = reference_points_px(MINI, true)
    points["S2L"] = (points["S2L"][0] + off_px, points["S2L"][1])
    fit = fit_from_points(points, MINI, image_size_wh_px=SIZE)
    assert fit.left_out == {"S2L": pytest.approx(off_px, rel=0.2)}
    assert "S2L" not in fit.errors_px
    assert worst_error_mm(fit.calibration, true) < 1.0


def test_no_point_is_left_out_where_two_may_be_the_wrong_one() -> None:
    points = reference_points_px(MINI, camera_over(MINI))
    five = {name: points[name] for name in ("P1", "B3", "S1R", "S7L", "S4L")}
    five["P1"] = (five["P1"][0] + 300.0, five["P1"][1] - 200.0)
    with pytest.raises(FitError, match="the points do not fit the layout"):
        fit_from_points(five, MINI, image_size_wh_px=SIZE)


def test_points_all_clicked_a_little_wrong_are_kept() -> None:
    rng = np.random.default_rng(5)
    points = reference_points_px(MINI, camera_over(MINI))
    clicked = {name: (x + rng.normal(0, 2.0), y + rng.normal(0, 2.0)) for name, (x, y) in points.items()}
    assert fit_from_points(clicked, MINI, image_size_wh_px=SIZE).left_out == {}


def test_marker_that_lies_elsewhere_is_left_out_with_all_its_corners() -> None:
    assert MINI.markers is not None
    true = camera_over(MINI, tilt_deg=20.0)
    moved = replace(MINI, markers=replace(MINI.markers, at={**MINI.markers.at, 3: (250.0, 830.0)}))
    fit = fit_from_markers(picture_of_markers(moved, true), MINI)
    assert set(fit.left_out) == {"3.0", "3.1", "3.2", "3.3"}
    assert worst_error_mm(fit.calibration, true) < 2.0


def test_unknown_point_is_refused() -> None:
    with pytest.raises(FitError, match=r"Q9 = \[1.0, 2.0\]; must be a reference point of mini-7: P1, "):
        fit_from_points({"Q9": (1.0, 2.0)}, MINI, image_size_wh_px=SIZE)


def test_three_points_are_too_few() -> None:
    points = reference_points_px(MINI, camera_over(MINI))
    with pytest.raises(FitError, match="count = 3; at least 4 are needed"):
        fit_from_points({name: points[name] for name in ("P1", "B3", "S1L")}, MINI, image_size_wh_px=SIZE)


def test_points_on_a_line_are_refused() -> None:
    points = reference_points_px(MINI, camera_over(MINI))
    with pytest.raises(FitError, match="must not lie on one line"):
        fit_from_points({name: points[name] for name in ("P1", "P2", "B1", "B2")}, MINI, image_size_wh_px=SIZE)


def test_point_beyond_the_picture_is_refused() -> None:
    points = reference_points_px(MINI, camera_over(MINI))
    with pytest.raises(FitError, match=r"P1, P2.* = .*must lie in the picture of 640 x 360 px"):
        fit_from_points(points, MINI, image_size_wh_px=(640, 360))


def test_all_points_that_are_unknown_or_outside_are_named_at_once() -> None:
    points = reference_points_px(MINI, camera_over(MINI)) | {"Q8": (10.0, 20.0), "Q9": (30.0, 40.0), "P1": (-5.0, 7.5)}
    with pytest.raises(FitError) as refused:
        fit_from_points(points, MINI, image_size_wh_px=(1920, 1080))
    assert str(refused.value).startswith("points: Q8, Q9 = [[10.0, 20.0], [30.0, 40.0]]; must be a reference point of")
    assert str(refused.value).endswith("; and P1 = [-5.0, 7.5]: must lie in the picture of 1920 x 1080 px")
    assert "float64" not in str(refused.value)


def test_mirrored_points_are_refused() -> None:
    points = reference_points_px(MINI, camera_over(MINI))
    mirrored = {name: (1919.0 - x, y) for name, (x, y) in points.items()}
    with pytest.raises(FitError, match="no camera above the cloth"):
        fit_from_points(mirrored, MINI, image_size_wh_px=SIZE)


def test_mixed_up_names_are_refused() -> None:
    points = reference_points_px(MINI, camera_over(MINI))
    points["S1L"], points["S7R"] = points["S7R"], points["S1L"]
    points["P1"], points["S4L"] = points["S4L"], points["P1"]
    with pytest.raises(FitError, match="points"):
        fit_from_points(points, MINI, image_size_wh_px=SIZE)


def picture_of_markers(layout: Layout, camera: Calibration, *, turns: int = 0, cloth: int = 230) -> np.ndarray:
    """What the camera sees of a cloth with its markers, all of them turned clockwise by quarter turns.

    Their paper is white and wider than their pattern by a cell on each side.
    """
    assert layout.markers is not None
    dictionary = marker_dictionary(layout.markers.dictionary)
    side = layout.markers.side_mm
    grid_px = np.stack(np.meshgrid(np.arange(1920.0), np.arange(1080.0)), axis=-1).reshape(-1, 2)
    cloth_mm = camera.layout_from_image(grid_px).reshape(1080, 1920, 2).astype(np.float32)
    picture = np.full((1080, 1920), cloth, np.uint8)
    for number, at in layout.markers.at.items():
        printed = np.minimum(np.rot90(cv2.aruco.generateImageMarker(dictionary, number, 240), -turns), 230)
        drawn = cv2.copyMakeBorder(printed, 40, 40, 40, 40, cv2.BORDER_CONSTANT, value=(230,))
        drawn = cv2.GaussianBlur(drawn, (0, 0), 3.0)  # as finely as the picture shows it
        own_px = (cloth_mm - np.array(at, np.float32) + side / 2) * (240 / side) + 40 - 0.5
        shown = cv2.remap(drawn, own_px[..., 0], own_px[..., 1], cv2.INTER_LINEAR, borderValue=cloth)
        lies = cv2.remap(np.ones_like(drawn), own_px[..., 0], own_px[..., 1], cv2.INTER_NEAREST, borderValue=0)
        picture = np.where(lies > 0, shown, picture)
    return cv2.cvtColor(cv2.GaussianBlur(picture, (3, 3), 0), cv2.COLOR_GRAY2BGR)


@pytest.mark.parametrize("turns", [0, 1, 2])
def test_fit_from_markers_finds_the_camera_whichever_way_up_they_lie(turns: int) -> None:
    true = camera_over(MINI, tilt_deg=25.0)
    fit = fit_from_markers(picture_of_markers(MINI, true, turns=turns), MINI)
    assert worst_error_mm(fit.calibration, true) < 0.5


@pytest.mark.parametrize("cloth", [20, 230])
def test_corners_of_markers_are_found_to_a_fifth_of_a_pixel(cloth: int) -> None:
    assert MINI.markers is not None
    camera = camera_over(MINI, tilt_deg=25.0)
    seen = find_markers(picture_of_markers(MINI, camera, cloth=cloth), MINI.markers)
    for number, corners in seen.items():
        true = camera.image_from_layout(marker_corners_mm(MINI.markers, number))
        assert np.linalg.norm(corners - true, axis=1).max() < 0.2


def test_a_marker_whose_pattern_does_not_match_keeps_the_corners_that_were_detected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_match(*_: object) -> None:
        raise cv2.error("the correlation is going to be minimized")

    assert MINI.markers is not None
    camera = camera_over(MINI)
    picture = picture_of_markers(MINI, camera)
    monkeypatch.setattr(cv2, "findTransformECC", no_match)
    seen = find_markers(picture, MINI.markers)
    assert set(seen) == set(MINI.markers.at)
    for number, corners in seen.items():
        true = camera.image_from_layout(marker_corners_mm(MINI.markers, number))
        assert np.linalg.norm(corners - true, axis=1).max() < 1.0


def test_markers_not_on_the_cloth_are_left_out() -> None:
    assert MINI.markers is not None
    picture = picture_of_markers(MINI, camera_over(MINI))
    assert set(find_markers(picture, MINI.markers)) == set(MINI.markers.at)


def test_picture_without_markers_is_refused() -> None:
    with pytest.raises(FitError, match=r"markers = \[\]; at least 2 of 0, 1, 2, 3, 4 must be seen"):
        fit_from_markers(np.zeros((1080, 1920, 3), np.uint8), MINI)


def test_layout_without_markers_is_refused() -> None:
    area = {"id": "p", "kind": "hand", "hand": "player", "polygon": [[0, 0], [9, 0], [9, 9]]}
    bare = parse_layout({"name": "bare", "size_mm": [900, 600], "areas": [area]}, "layout.yaml")
    with pytest.raises(FitError, match="bare has none"):
        fit_from_markers(np.zeros((1080, 1920, 3), np.uint8), bare)


def test_unknown_marker_dictionary_is_refused() -> None:
    with pytest.raises(LayoutError, match="dictionary = DICT_9X9; must be one of DICT_4X4_100"):
        marker_dictionary("DICT_9X9")


def test_fit_camera_takes_any_named_points() -> None:
    true = camera_over(MINI, tilt_deg=12.0)
    corners_mm = {"nw": (100.0, 100.0), "ne": (2000.0, 100.0), "se": (2000.0, 900.0), "sw": (100.0, 900.0)}
    seen = true.image_from_layout(np.array(list(corners_mm.values())))
    points_px = {name: (float(x), float(y)) for name, (x, y) in zip(corners_mm, seen, strict=True)}
    lens = KnownLens(camera_matrix=true.camera_matrix, distortion=true.distortion)
    assert fit_camera(points_px, corners_mm, image_size_wh_px=SIZE, lens=lens).calibration.residual_px == pytest.approx(
        0.0, abs=1e-6
    )
