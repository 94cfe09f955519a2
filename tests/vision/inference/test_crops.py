"""Crops of cards: upright, with a rim, from any angle and at any size."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.cameras import card_corners, tilted_camera
from thirdcard.vision.inference.crops import card_crop, photo_crop, with_rim

COLOURS = {"top_left": (0, 0, 255), "top_right": (0, 255, 0), "bottom_right": (255, 0, 0), "bottom_left": (0, 255, 255)}


def quartered_card(width: int = 126, height: int = 176) -> np.ndarray:
    """A card whose quarters have the colours above."""
    card = np.empty((height, width, 3), np.uint8)
    card[: height // 2, : width // 2] = COLOURS["top_left"]
    card[: height // 2, width // 2 :] = COLOURS["top_right"]
    card[height // 2 :, width // 2 :] = COLOURS["bottom_right"]
    card[height // 2 :, : width // 2] = COLOURS["bottom_left"]
    return card


def lay(card: np.ndarray, corners_px: np.ndarray, size_wh: tuple[int, int]) -> np.ndarray:
    """A picture, grey but for the card."""
    height, width = card.shape[:2]
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    matrix = cv2.getPerspectiveTransform(source, corners_px.astype(np.float32))
    image = np.full((size_wh[1], size_wh[0], 3), 128, np.uint8)
    cv2.warpPerspective(card, matrix, size_wh, dst=image, borderMode=cv2.BORDER_TRANSPARENT)
    return image


def assert_quarters(crop: np.ndarray) -> None:
    assert crop.shape == (112, 80, 3)
    for (x, y), name in zip([(25, 34), (55, 34), (55, 78), (25, 78)], COLOURS, strict=True):
        assert np.abs(crop[y, x].astype(int) - COLOURS[name]).max() < 30, name


@pytest.mark.parametrize("angle_deg", [0, 30, 90, 135, 180, 260, 335])
def test_card_crop_is_upright_whatever_the_angle(angle_deg: float) -> None:
    camera = tilted_camera(distortion=-0.03)
    corners_mm = card_corners((560, 280), angle_deg)
    image = lay(quartered_card(), camera.image_from_layout(corners_mm), (1280, 720))
    crop = card_crop(image, camera, corners_mm)
    assert crop is not None
    assert_quarters(crop)


def test_crop_has_a_rim_of_eight_percent() -> None:
    corners_px = card_corners((200, 200), 0, (160, 224))
    crop = photo_crop(lay(np.full((224, 160, 3), 255, np.uint8), corners_px, (400, 400)), corners_px)
    rim_x, rim_y = 80 * 0.08 / 1.16, 112 * 0.08 / 1.16
    inside = crop[:, :, 0] > 190
    assert inside.any(axis=0).sum() == pytest.approx(80 - 2 * rim_x, abs=1.1)
    assert inside.any(axis=1).sum() == pytest.approx(112 - 2 * rim_y, abs=1.1)


def test_crop_of_a_card_raised_above_the_cloth_finds_it_where_the_camera_sees_it() -> None:
    camera = tilted_camera(distortion=0.0)
    corners_mm = card_corners((560, 280), 20)
    raised = np.column_stack([corners_mm, np.full(4, -60.0)])
    image = lay(quartered_card(), camera.image_from_layout(raised), (1280, 720))
    crop = card_crop(image, camera, corners_mm, height_mm=60.0)
    assert crop is not None
    assert_quarters(crop)


def test_crop_of_a_large_card_averages_its_pixels() -> None:
    corners_px = card_corners((500, 600), 10, (630, 880))
    image = np.zeros((1200, 1000, 3), np.uint8)
    image[:, ::2] = 200
    crop = photo_crop(image, corners_px)
    assert crop.mean() == pytest.approx(100, abs=6)
    assert crop[20:-20, 20:-20].std() < 20


def test_crop_of_a_small_card_at_the_edge_of_the_picture_is_whole() -> None:
    corners_px = card_corners((10, 14), 0, (30, 42))
    crop = photo_crop(np.full((60, 60, 3), 77, np.uint8), corners_px)
    assert crop.shape == (112, 80, 3)
    assert (crop == 77).all()


def test_crop_of_a_place_out_of_sight_is_none() -> None:
    camera = tilted_camera()
    assert card_crop(np.zeros((720, 1280, 3), np.uint8), camera, card_corners((9000, 300), 0)) is None
    assert card_crop(np.zeros((720, 1280, 3), np.uint8), camera, card_corners((500, 60000), 0)) is None


def test_rim_enlarges_about_the_middle() -> None:
    rimmed = with_rim(card_corners((5, 7), 0, (100, 200)))
    assert np.allclose(rimmed.mean(axis=0), (5, 7))
    assert np.allclose(rimmed[2] - rimmed[0], (116, 232))
