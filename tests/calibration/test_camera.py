"""A camera's maps, checks and file."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.calibration.cameras import camera_over
from thirdcard.calibration.camera import (
    Calibration,
    format_calibration,
    load_calibration,
    parse_calibration,
    save_calibration,
)
from thirdcard.calibration.errors import CameraError, DocumentError, PoseMissingError
from thirdcard.calibration.layout import load_layout

MINI = load_layout("mini-7", Path())
CLOTH_MM = np.array([[x, y] for x in np.linspace(100, 2030, 9) for y in np.linspace(60, 1010, 7)])


def flat_only(camera: Calibration) -> Calibration:
    """The same camera, its pose forgotten."""
    return Calibration(
        image_size_wh_px=camera.image_size_wh_px,
        camera_matrix=camera.camera_matrix,
        distortion=camera.distortion,
        homography=camera.homography,
    )


@given(
    tilt_deg=st.floats(-35, 35),
    distance_mm=st.floats(1500, 3500),
    roll_deg=st.floats(-180, 180),
    k1=st.floats(-0.2, 0.1),
)
def test_layout_to_image_and_back_returns_the_points(
    tilt_deg: float, distance_mm: float, roll_deg: float, k1: float
) -> None:
    camera = camera_over(
        MINI, tilt_deg=tilt_deg, distance_mm=distance_mm, roll_deg=roll_deg, distortion=(k1, 0.02, 0.001, -0.001, 0.0)
    )
    returned = camera.layout_from_image(camera.image_from_layout(CLOTH_MM))
    assert np.abs(returned - CLOTH_MM).max() < 1e-3


def test_image_from_layout_agrees_with_opencv() -> None:
    camera = camera_over(MINI)
    points_mm = np.column_stack([CLOTH_MM, np.linspace(-120, 0, len(CLOTH_MM))])
    assert camera.rvec is not None
    assert camera.tvec is not None
    expected, _ = cv2.projectPoints(points_mm, camera.rvec, camera.tvec, camera.camera_matrix, camera.distortion)
    assert np.allclose(camera.image_from_layout(points_mm), expected[:, 0], atol=1e-9)


def test_homography_alone_maps_the_cloth_as_the_pose_does() -> None:
    camera = camera_over(MINI)
    points_px = camera.image_from_layout(CLOTH_MM)
    flat = flat_only(camera)
    assert np.allclose(flat.image_from_layout(CLOTH_MM), points_px, atol=1e-6)
    assert np.allclose(flat.layout_from_image(points_px), CLOTH_MM, atol=1e-6)
    assert flat.camera_centre_mm is None
    assert not flat.has_pose


def test_homography_scaled_by_minus_one_maps_alike() -> None:
    flat = flat_only(camera_over(MINI))
    mirrored = Calibration(
        image_size_wh_px=flat.image_size_wh_px,
        camera_matrix=flat.camera_matrix,
        distortion=flat.distortion,
        homography=-flat.homography,
    )
    assert np.allclose(mirrored.image_from_layout(CLOTH_MM), flat.image_from_layout(CLOTH_MM))


def test_point_above_the_cloth_without_pose_is_refused() -> None:
    with pytest.raises(PoseMissingError, match="rvec"):
        flat_only(camera_over(MINI)).image_from_layout(np.array([[100.0, 100.0, -40.0]]))


def test_camera_centre_is_where_it_was_put() -> None:
    camera = camera_over(MINI, tilt_deg=0.0, distance_mm=2200.0)
    assert camera.camera_centre_mm == pytest.approx([1065.0, 535.0, -2200.0])


def test_tilt_towards_the_players_moves_the_camera_down_the_layout() -> None:
    centre = camera_over(MINI, tilt_deg=20.0).camera_centre_mm
    assert centre is not None
    assert centre[1] > 535.0


def test_higher_point_appears_farther_from_the_foot_of_the_camera() -> None:
    camera = camera_over(MINI, tilt_deg=0.0)
    low, high = camera.image_from_layout(np.array([[1800.0, 535.0, 0.0], [1800.0, 535.0, -80.0]]))
    assert high[0] > low[0] + 5


def test_point_behind_the_camera_maps_to_nothing() -> None:
    camera = camera_over(MINI)
    assert np.isnan(camera.image_from_layout(np.array([[1065.0, 535.0, -5000.0]]))).all()


def test_point_beyond_the_field_of_the_lens_maps_to_nothing() -> None:
    camera = camera_over(MINI, distortion=(-0.3, 0.0, 0.0, 0.0, 0.0))
    assert np.isnan(camera.image_from_layout(np.array([[9000.0, 535.0]]))).all()


def test_no_points_map_to_no_points() -> None:
    camera = camera_over(MINI)
    assert camera.image_from_layout(np.empty((0, 2))).shape == (0, 2)
    assert camera.layout_from_image(np.empty((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("points", [np.zeros(2), np.zeros((3, 4))], ids=["flat", "four columns"])
def test_points_of_another_shape_are_refused(points: np.ndarray) -> None:
    with pytest.raises(CameraError, match="points_mm"):
        camera_over(MINI).image_from_layout(points)
    with pytest.raises(CameraError, match="points_px"):
        camera_over(MINI).layout_from_image(points)


def test_rectify_maps_show_the_cloth_at_scale() -> None:
    camera = camera_over(MINI)
    map_x, map_y = camera.rectify_maps((500.0, 200.0), (400, 300), px_per_mm=0.5)
    assert map_x.shape == map_y.shape == (300, 400)
    assert map_x.dtype == np.float32
    expected_px = camera.image_from_layout(np.array([[500.0 + 2 * 120, 200.0 + 2 * 70]]))[0]
    assert (map_x[70, 120], map_y[70, 120]) == pytest.approx(tuple(expected_px), abs=1e-3)


def test_rectified_picture_of_a_drawn_cloth_is_the_drawing() -> None:
    camera = camera_over(MINI, tilt_deg=25.0)
    grid_px = np.stack(np.meshgrid(np.arange(1920.0), np.arange(1080.0)), axis=-1).reshape(-1, 2)
    seen_mm = camera.layout_from_image(grid_px)
    bright = (np.floor(seen_mm[:, 0] / 100) + np.floor(seen_mm[:, 1] / 100)) % 2 * 200
    picture = bright.reshape(1080, 1920).astype(np.uint8)
    map_x, map_y = camera.rectify_maps((250.0, 250.0), (8, 4), px_per_mm=0.01)
    squares = cv2.remap(picture, map_x, map_y, cv2.INTER_NEAREST)
    assert squares.tolist() == [[200 * ((u + v) % 2) for u in range(8)] for v in range(4)]


def test_arrays_are_read_only() -> None:
    camera = camera_over(MINI)
    with pytest.raises(ValueError, match="read-only"):
        camera.camera_matrix[0, 0] = 1.0


@pytest.mark.parametrize("with_pose", [True, False], ids=["pose", "homography"])
def test_saved_calibration_loads_whole(tmp_path: Path, with_pose: bool) -> None:
    camera = camera_over(MINI) if with_pose else flat_only(camera_over(MINI))
    save_calibration(tmp_path / "overhead.yaml", camera)
    loaded = load_calibration(tmp_path / "overhead.yaml")
    assert format_calibration(loaded) == format_calibration(camera)
    assert np.array_equal(loaded.image_from_layout(CLOTH_MM), camera.image_from_layout(CLOTH_MM))


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        pytest.param("zoom", 2, "unknown key; allowed: image_size", id="unknown key"),
        pytest.param("image_size", [1920], r"must be \[width, height\]", id="size of one number"),
        pytest.param("image_size", [1920, 0], r"must be \[width, height\]", id="no height"),
        pytest.param("image_size", "big", "must be a list", id="size in words"),
        pytest.param("camera_matrix", None, "required", id="no matrix"),
        pytest.param("camera_matrix", [[1, 2], [3, 4]], "must be 3 x 3 finite numbers", id="small matrix"),
        pytest.param("camera_matrix", [["a"] * 3] * 3, "must be 3 x 3 finite numbers", id="matrix of words"),
        pytest.param("camera_matrix", [[-9, 0, 9], [0, 9, 9], [0, 0, 1]], "fx, fy above 0", id="negative focal length"),
        pytest.param("distortion", [0.1, 0.2], "must be 5 finite numbers", id="short distortion"),
        pytest.param("distortion", [0, 0, 0, 0, float("nan")], "must be 5 finite numbers", id="nan"),
        pytest.param("rvec", None, "stand together", id="no rotation"),
        pytest.param("tvec", None, "stand together", id="no translation"),
        pytest.param("tvec", [0.0, 0.0, -2000.0], "above the cloth", id="camera under the table"),
        pytest.param("residual_px", -1, "must be 0 or more", id="negative residual"),
        pytest.param("residual_px", "small", "must be 0 or more", id="residual in words"),
    ],
)
def test_wrong_calibration_is_told_in_one_line(key: str, value: object, allowed: str) -> None:
    fields = {**format_calibration(camera_over(MINI)), key: value}
    with pytest.raises(CameraError, match=f"^overhead.yaml: .*{allowed}") as caught:
        parse_calibration(fields, "overhead.yaml")
    assert "\n" not in str(caught.value)


def test_calibration_with_neither_pose_nor_homography_is_refused() -> None:
    fields = format_calibration(camera_over(MINI))
    kept = {key: fields[key] for key in ("image_size", "camera_matrix", "distortion")}
    with pytest.raises(CameraError, match=r"homography = \(missing\); required where rvec and tvec are absent"):
        parse_calibration(kept, "overhead.yaml")
    with pytest.raises(CameraError, match="must be invertible"):
        parse_calibration({**kept, "homography": [[1, 0, 0], [0, 1, 0], [0, 0, 0]]}, "overhead.yaml")


def test_absent_calibration_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"none\.yaml: no such file"):
        load_calibration(tmp_path / "none.yaml")


def test_numbers_are_written_unrounded(tmp_path: Path) -> None:
    camera = camera_over(MINI, tilt_deg=12.34567)
    save_calibration(tmp_path / "overhead.yaml", camera)
    written = yaml.safe_load((tmp_path / "overhead.yaml").read_text())
    assert camera.rvec is not None
    assert written["rvec"] == camera.rvec.tolist()
