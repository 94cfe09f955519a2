"""Cards in photographs without calibration: scales, parts, both ways up, and pictures that are none."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision.cameras import card_corners
from thirdcard.datasets.decks.deck import machine_deck
from thirdcard.vision.detections import CARD_FACE, CHIPS, Detections
from thirdcard.vision.errors import UnreadableImageError
from thirdcard.vision.inference.detector import Detector
from thirdcard.vision.photo.recognise import PhotoModels, find, load_image, recognise, without_parts

LAID = {"7H": ((300, 260), 20), "QS": ((620, 300), 200), "AC": ((430, 560), 95)}


FAN = ("2C", "9S", "KD", "4H", "JC", "7D")


@pytest.fixture(scope="module")
def models() -> PhotoModels:
    return PhotoModels.open()


@pytest.fixture(scope="module")
def detector(models: PhotoModels) -> Detector:
    return models.detector


def photograph(scale: float) -> np.ndarray:
    """Three cards on green cloth; a card is 120 px wide at scale 1."""
    deck = machine_deck(9021)
    rng = np.random.default_rng(3)
    height, width = round(800 * scale), round(960 * scale)
    image = np.clip(rng.normal((70, 110, 40), 6, (height, width, 3)), 0, 255).astype(np.uint8)
    for card, (centre, angle) in LAID.items():
        paste(image, deck.face(card), card_corners(centre, angle, (120, 168)) * scale)
    return cv2.GaussianBlur(image, (0, 0), 0.6)


def paste(image: np.ndarray, texture_rgba: np.ndarray, corners_px: np.ndarray) -> None:
    height, width = texture_rgba.shape[:2]
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    matrix = cv2.getPerspectiveTransform(source, corners_px.astype(np.float32))
    size = (image.shape[1], image.shape[0])
    warped = cv2.warpPerspective(texture_rgba, matrix, size, flags=cv2.INTER_AREA).astype(float)
    alpha = warped[:, :, 3:] / 255
    image[:] = (image * (1 - alpha) + warped[:, :, 2::-1] * alpha).round().astype(np.uint8)


@pytest.mark.parametrize("scale", [0.4, 1.0, 2.0])
def test_cards_are_read_at_any_size_and_angle(models: PhotoModels, scale: float) -> None:
    found = recognise(photograph(scale), models)
    told = {each.label: each for each in found if each.kind == "card" and each.label is not None}
    assert set(told) == set(LAID)
    for card, (centre, _) in LAID.items():
        off_px = np.linalg.norm(told[card].polygon_px.mean(axis=0) - np.array(centre) * scale)
        assert off_px < 12 * scale


@pytest.mark.parametrize("angle", [0, 100, 215])
def test_cards_of_a_fan_are_read_by_what_shows_of_them(models: PhotoModels, angle: float) -> None:
    deck = machine_deck(9021)
    image = np.full((760, 760, 3), (70, 110, 40), np.uint8)
    for i, card in enumerate(FAN):
        turn = np.deg2rad(angle + 9 * (i - 2.5))
        middle = (380 + 260 * np.sin(turn), 380 - 260 * np.cos(turn))
        paste(image, deck.face(card), card_corners(middle, float(np.rad2deg(turn)), (150, 210)))
    found = recognise(np.asarray(cv2.GaussianBlur(image, (0, 0), 0.6), np.uint8), models)
    assert sorted(each.label for each in found if each.label is not None) == sorted(FAN)


def test_empty_cloth_has_no_cards(detector: Detector) -> None:
    assert len(find(np.full((500, 700, 3), (60, 100, 40), np.uint8), detector)) == 0


def test_picture_smaller_than_a_tile_is_looked_at(detector: Detector) -> None:
    assert len(find(np.full((20, 30, 3), (60, 100, 40), np.uint8), detector)) == 0


def test_boxes_inside_a_better_box_of_their_kind_are_dropped() -> None:
    corners = np.stack([card_corners((100, 100), 0), card_corners((100, 90), 0, (20, 30)), card_corners((95, 95), 0)])
    found = Detections(corners, np.array([CARD_FACE, CARD_FACE, CHIPS]), np.array([0.9, 0.8, 0.7]))
    assert without_parts(found).score.tolist() == [0.9, 0.7]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(None, "no such file", id="missing"),
        pytest.param(b"", "cannot be decoded", id="empty"),
        pytest.param(b"text", "cannot be decoded", id="text"),
    ],
)
def test_picture_that_cannot_be_read_says_why(tmp_path: Path, content: bytes | None, reason: str) -> None:
    path = tmp_path / "photo.jpg"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UnreadableImageError, match=rf"photo.jpg: {reason}; needs a picture"):
        load_image(path)


def test_picture_is_loaded_as_it_was_saved(tmp_path: Path) -> None:
    image = np.random.default_rng(0).integers(0, 255, (12, 17, 3), dtype=np.uint8)
    cv2.imwrite(str(tmp_path / "photo.png"), image)
    assert np.array_equal(load_image(tmp_path / "photo.png"), image)


@pytest.mark.parametrize("colour", [(245, 245, 245), (200, 60, 40), (60, 200, 220), (40, 40, 200)])
def test_blank_card_is_a_card_that_nobody_can_read(models: PhotoModels, colour: tuple[int, int, int]) -> None:
    """Of whatever colour: a cutting card looks the same, and no table tells them apart here."""
    image = np.full((500, 600, 3), (70, 110, 40), np.uint8)
    cv2.fillPoly(image, [card_corners((300, 250), 20, (120, 168)).astype(np.int32)], colour)
    cards = [each for each in recognise(image, models) if each.kind == "card"]
    assert cards
    assert {(each.label, type(each.face_up)) for each in cards} == {(None, bool)}
