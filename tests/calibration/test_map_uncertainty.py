"""What a fit says of its own exactness, against cameras that are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.calibration.cameras import camera_over, reference_points_px
from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.camera_problem import KnownLens
from thirdcard.calibration.fit import Fit, fit_from_points
from thirdcard.calibration.fit_quality import quality_of
from thirdcard.calibration.layout import load_layout
from thirdcard.datasets.script.camera import hang_camera
from thirdcard.datasets.script.script import Camera

MINI = load_layout("mini-7", Path())
SIZE = (1920, 1080)
CAMERAS = range(20)
SPREAD = ("P1", "B2", "B4", "S1L", "S2R", "S4L", "S6L", "S7R")
"""Eight points all over the cloth."""
BOXES = np.concatenate([area.polygon_mm for area in MINI.of_kind("hand")])


def clicked(camera: int, names: tuple[str, ...], noise_px: float = 1.0, *, knows_lens: bool) -> tuple[Calibration, Fit]:
    """A camera, and a fit to points of it that were clicked so exactly."""
    rng, true = np.random.default_rng(camera), hang_camera(Camera(), MINI, camera)
    seen = true.image_from_layout(np.array([MINI.reference_points[name] for name in names]))
    points = {
        name: (x + rng.normal(0, noise_px), y + rng.normal(0, noise_px))
        for name, (x, y) in zip(names, seen, strict=True)
    }
    lens = KnownLens(camera_matrix=true.camera_matrix, distortion=true.distortion) if knows_lens else None
    return true, fit_from_points(points, MINI, image_size_wh_px=SIZE, lens=lens)


def off_mm(true: Calibration, fit: Fit, points_mm: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far off the fit's map is."""
    found = fit.calibration.layout_from_image(true.image_from_layout(points_mm))
    return np.asarray(np.linalg.norm(found - points_mm, axis=1))


@pytest.mark.parametrize(
    ("names", "knows_lens"),
    [
        pytest.param(SPREAD, True, id="eight points, the lens known"),
        pytest.param(SPREAD, False, id="eight points"),
        pytest.param(("P1", "B3", "S2R", "S6L"), False, id="four points"),
    ],
)
def test_nine_places_in_ten_are_within_the_stated_radius(names: tuple[str, ...], knows_lens: bool) -> None:
    held = []
    for camera in CAMERAS:
        true, fit = clicked(camera, names, knows_lens=knows_lens)
        held.append(np.mean(off_mm(true, fit, BOXES) <= fit.uncertainty.radius_mm(BOXES)))
    assert 0.8 <= np.mean(held) <= 1.0


def test_eight_clicks_with_a_known_lens_are_within_three_millimetres_over_the_boxes() -> None:
    for camera in CAMERAS:
        true, fit = clicked(camera, SPREAD, knows_lens=True)
        assert np.sqrt(np.mean(off_mm(true, fit, BOXES) ** 2)) < 3.0


def test_points_in_one_place_know_little_of_the_far_side_however_small_their_residual() -> None:
    points = reference_points_px(MINI, camera_over(MINI))
    near = {name: at for name, at in points.items() if name[0] in "PB"}
    fit = fit_from_points(near, MINI, image_size_wh_px=SIZE)
    quality = quality_of(fit, MINI)

    assert fit.calibration.residual_px is not None
    assert fit.calibration.residual_px < 0.1
    assert quality.boxes_mm < 5.0
    assert quality.cloth_mm > 15.0
    assert quality.worst_at_mm[1] > 0.5 * MINI.size_mm[1]
    assert quality.add is not None
    assert quality.add.startswith("S")


def test_point_that_is_added_where_it_is_said_to_help_does() -> None:
    points = reference_points_px(MINI, camera_over(MINI))
    some = {name: points[name] for name in ("P1", "P3", "B2", "B4", "S2L")}
    before = quality_of(fit_from_points(some, MINI, image_size_wh_px=SIZE), MINI)
    assert before.add is not None
    after = quality_of(fit_from_points({**some, before.add: points[before.add]}, MINI, image_size_wh_px=SIZE), MINI)
    assert max(after.boxes_mm, after.wagers_mm) < 0.7 * max(before.boxes_mm, before.wagers_mm)


def test_all_points_used_leave_none_to_add() -> None:
    fit = fit_from_points(reference_points_px(MINI, camera_over(MINI)), MINI, image_size_wh_px=SIZE)
    assert quality_of(fit, MINI).add is None
