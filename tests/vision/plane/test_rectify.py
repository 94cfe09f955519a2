"""The rectified view: where things come to lie, tiles and the view's edges."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.cameras import card_corners, paint_quad, tilted_camera
from thirdcard.vision.errors import ImageSizeError
from thirdcard.vision.plane.rectify import Rectifier

CLOTH_MM = (1000.0, 600.0)


@pytest.fixture(scope="module")
def scene() -> tuple[Rectifier, np.ndarray, np.ndarray]:
    camera = tilted_camera()
    corners = card_corners((620, 330), 35)
    image = np.full((720, 1280, 3), (60, 90, 30), np.uint8)
    paint_quad(image, camera, corners, (240, 240, 240))
    return Rectifier(camera, CLOTH_MM, margin_mm=40), image, corners


def white_middle_mm(tile: np.ndarray, origin_mm: tuple[float, float], px_per_mm: float) -> np.ndarray:
    rows, columns = np.nonzero(tile[:, :, 0] > 150)
    return np.array(origin_mm) + np.array([columns.mean(), rows.mean()]) / px_per_mm


def test_view_shows_a_card_where_it_lies_and_of_its_size(scene: tuple[Rectifier, np.ndarray, np.ndarray]) -> None:
    rectifier, image, corners = scene
    view = rectifier.view(image)
    assert view.shape == (340, 540, 3)
    assert np.abs(white_middle_mm(view, rectifier.origin_mm, 0.5) - corners.mean(axis=0)).max() < 0.7
    assert (view[:, :, 0] > 150).sum() / 0.25 == pytest.approx(63 * 88, rel=0.06)  # a painted edge is half a pixel wide


def test_tile_is_a_piece_of_the_view(scene: tuple[Rectifier, np.ndarray, np.ndarray]) -> None:
    rectifier, image, _ = scene
    tile = rectifier.tile(image, (400.7, 200.2), (160, 120))
    x, y = rectifier.offset_px((400.7, 200.2))
    assert np.array_equal(tile, rectifier.view(image)[y : y + 120, x : x + 160])


def test_tile_origin_is_snapped_to_the_view(scene: tuple[Rectifier, np.ndarray, np.ndarray]) -> None:
    rectifier, image, corners = scene
    origin_mm = rectifier.snapped_mm((501.3, 250.9))
    assert np.abs(np.array(origin_mm) - (501.3, 250.9)).max() <= 1.0
    tile = rectifier.tile(image, (501.3, 250.9), (140, 120))
    assert np.abs(white_middle_mm(tile, origin_mm, 0.5) - corners.mean(axis=0)).max() < 0.7


def test_tile_beyond_the_view_is_black(scene: tuple[Rectifier, np.ndarray, np.ndarray]) -> None:
    rectifier, image, _ = scene
    tile = rectifier.tile(image, (-100.0, 100.0), (80, 60))
    assert tile.shape == (60, 80, 3)
    assert not tile[:, :30].any()
    assert tile[:, 30:].any()
    assert not rectifier.tile(image, (5000.0, 0.0), (20, 10)).any()


def test_picture_of_another_size_is_refused(scene: tuple[Rectifier, np.ndarray, np.ndarray]) -> None:
    with pytest.raises(ImageSizeError, match=r"size = 640 x 360; the calibration is for 1280 x 720"):
        scene[0].view(np.zeros((360, 640, 3), np.uint8))


def test_fine_print_of_a_large_picture_is_averaged_not_skipped() -> None:
    camera = tilted_camera((5120, 2880))
    rectifier = Rectifier(camera, CLOTH_MM)
    assert rectifier.shrink > 3
    image = np.zeros((2880, 5120, 3), np.uint8)
    image[::2] = 200
    tile = rectifier.tile(image, (300.0, 100.0), (200, 200))
    assert tile.mean() == pytest.approx(100, abs=4)
    assert tile.std() < 12


def test_large_picture_shows_a_card_where_it_lies() -> None:
    camera = tilted_camera((5120, 2880))
    corners = card_corners((480, 290), 75)
    image = np.zeros((2880, 5120, 3), np.uint8)
    paint_quad(image, camera, corners, (240, 240, 240))
    rectifier = Rectifier(camera, CLOTH_MM)
    origin_mm = rectifier.snapped_mm((350, 200))
    middle_mm = white_middle_mm(rectifier.tile(image, (350, 200), (150, 120)), origin_mm, 0.5)
    assert np.abs(middle_mm - corners.mean(axis=0)).max() < 0.7
