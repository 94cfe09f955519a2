"""A bumped camera is fitted anew from the print, and only where enough of it is found again."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.calibration.cameras import camera_over
from tests.vision.printed_cloth import LAYOUT, cloth, seen, turned
from thirdcard.calibration.camera import Calibration
from thirdcard.vision.health.print_refit import refit


def off_mm(found: Calibration, true: Calibration) -> float:
    """By how much the map is off over boxes and wagering areas, at the worst place."""
    points = np.concatenate([area.polygon_mm for kind in ("hand", "wager") for area in LAYOUT.of_kind(kind)])
    return float(np.linalg.norm(found.layout_from_image(true.image_from_layout(points)) - points, axis=1).max())


@pytest.mark.parametrize(
    ("turn_deg", "by_mm"),
    [
        pytest.param((0.0, 0.0, 2.0), (0.0, 0.0, 0.0), id="rolled"),
        pytest.param((1.2, -1.2, 0.0), (0.0, 0.0, 0.0), id="tilted"),
        pytest.param((0.0, 0.0, 0.0), (20.0, -10.0, 15.0), id="moved"),
        pytest.param((0.4, 0.6, -0.9), (-15.0, 12.0, -8.0), id="all of it"),
        pytest.param((0.0, 0.1, 0.0), (0.0, 0.0, 0.0), id="hardly"),
    ],
)
def test_bump_is_found_to_a_millimetre(turn_deg: tuple[float, float, float], by_mm: tuple[float, float, float]) -> None:
    camera = camera_over(LAYOUT)
    true = turned(camera, turn_deg, by_mm)
    found = refit(seen(camera, cloth(1)), seen(true, cloth(1)), camera, LAYOUT.size_mm)
    assert found is not None
    assert off_mm(found.fit.calibration, true) < 1.0
    assert found.moved_mm == pytest.approx(off_mm(camera, true), rel=0.35)


def test_arms_and_cards_that_lie_elsewhere_now_are_left_out() -> None:
    camera, drawn = camera_over(LAYOUT), cloth(1).copy()
    true = turned(camera, (0.3, 0.5, 0.4), (5.0, 5.0, 0.0))
    cv2.rectangle(drawn, (300, 300), (900, 560), 150, -1)
    cv2.rectangle(drawn, (1200, 700), (1500, 1060), 90, -1)
    found = refit(seen(camera, cloth(1)), seen(true, drawn), camera, LAYOUT.size_mm)
    assert found is not None
    assert off_mm(found.fit.calibration, true) < 1.0


def test_other_light_does_not_matter() -> None:
    camera = camera_over(LAYOUT)
    true = turned(camera, (0.3, 0.5, 0.4), (5.0, 5.0, 0.0))
    now = np.asarray(np.clip(0.5 * seen(true, cloth(1)).astype(float) + 8.0, 0, 255), np.uint8)
    found = refit(seen(camera, cloth(1)), now, camera, LAYOUT.size_mm)
    assert found is not None
    assert off_mm(found.fit.calibration, true) < 1.0


def test_nothing_is_said_where_the_print_is_not_found_again() -> None:
    camera = camera_over(LAYOUT)
    then = seen(camera, cloth(1))
    for now in (np.full_like(then, 90), np.random.default_rng(1).integers(0, 255, then.shape, np.uint8)):
        assert refit(then, now, camera, LAYOUT.size_mm) is None


def test_camera_whose_place_was_never_known_cannot_be_fitted_anew() -> None:
    camera = camera_over(LAYOUT)
    flat = Calibration(
        image_size_wh_px=camera.image_size_wh_px, camera_matrix=camera.camera_matrix, homography=camera.homography
    )
    then = seen(camera, cloth(1))
    assert refit(then, then, flat, LAYOUT.size_mm) is None
