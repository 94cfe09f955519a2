"""A bumped camera is fitted anew from the print, and only where enough of it is found again."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.calibration.cameras import camera_over
from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.layout import load_layout
from thirdcard.datasets.scene.cloth import ClothDrawing
from thirdcard.datasets.scene.looks import Cloth
from thirdcard.vision.frames import Image
from thirdcard.vision.health.print_refit import refit

LAYOUT = load_layout("mini-7", Path())
SCALE = 1.0


@cache
def cloth(seed: int) -> Image:
    felt, ink = (60.0, 90.0, 40.0), (220.0, 230.0, 235.0)
    areas = dict.fromkeys(("player", "banker", "tie", "pair", "bonus"), felt)
    look = Cloth(
        colour=felt,
        ink=ink,
        bets=areas,
        family="plain",
        pattern=0.0,
        fill=0.0,
        weave=0.3,
        wear=0.2,
        outline="straight",
        line_mm=3.0,
        text_mm=26.0,
        title="",
    )
    return np.asarray(
        cv2.cvtColor(ClothDrawing(LAYOUT, look, scale=SCALE, seed=seed).draw(), cv2.COLOR_BGR2GRAY), np.uint8
    )


def seen(camera: Calibration, drawn: Image, *, noise: int = 3) -> Image:
    """The cloth as the camera sees it, on a dark floor."""
    width, height = camera.image_size_wh_px
    pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2).astype(np.float64)
    at = np.nan_to_num(camera.layout_from_image(pixels), nan=-1e4) * SCALE - 0.5
    maps = at.astype(np.float32).reshape(height, width, 2)
    picture = cv2.remap(
        drawn, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=25
    )
    grain = np.random.default_rng(7).normal(0.0, noise, picture.shape)
    return np.asarray(np.clip(picture + grain, 0, 255), np.uint8)


def bumped(camera: Calibration, turn_deg: tuple[float, float, float], by_mm: tuple[float, float, float]) -> Calibration:
    """The camera turned about its own axes and moved."""
    assert camera.rvec is not None and camera.camera_centre_mm is not None
    turn = cv2.Rodrigues(np.radians(turn_deg))[0]
    rotation = turn @ cv2.Rodrigues(camera.rvec)[0]
    return Calibration(
        image_size_wh_px=camera.image_size_wh_px,
        camera_matrix=camera.camera_matrix,
        distortion=camera.distortion,
        rvec=np.asarray(cv2.Rodrigues(rotation)[0], np.float64).ravel(),
        tvec=-rotation @ (camera.camera_centre_mm + np.array(by_mm)),
    )


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
    true = bumped(camera, turn_deg, by_mm)
    found = refit(seen(camera, cloth(1)), seen(true, cloth(1)), camera, LAYOUT.size_mm)
    assert found is not None
    assert off_mm(found.fit.calibration, true) < 1.0
    assert found.moved_mm == pytest.approx(off_mm(camera, true), rel=0.35)


def test_arms_and_cards_that_lie_elsewhere_now_are_left_out() -> None:
    camera, drawn = camera_over(LAYOUT), cloth(1).copy()
    true = bumped(camera, (0.3, 0.5, 0.4), (5.0, 5.0, 0.0))
    cv2.rectangle(drawn, (300, 300), (900, 560), 150, -1)
    cv2.rectangle(drawn, (1200, 700), (1500, 1060), 90, -1)
    found = refit(seen(camera, cloth(1)), seen(true, drawn), camera, LAYOUT.size_mm)
    assert found is not None
    assert off_mm(found.fit.calibration, true) < 1.0


def test_other_light_does_not_matter() -> None:
    camera = camera_over(LAYOUT)
    true = bumped(camera, (0.3, 0.5, 0.4), (5.0, 5.0, 0.0))
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
