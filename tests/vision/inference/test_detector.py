"""The detector: its seams, its tiles of any size, and the shipped weights on a scene of our own renderer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from thirdcard.datasets.scene.model import CardObject, Scene
from thirdcard.datasets.scene.renderer import SceneRenderer
from thirdcard.datasets.scene.worlds import random_world
from thirdcard.vision.detections import CARD_BACK, CARD_FACE, Detections, polygon_iou
from thirdcard.vision.errors import ModelError
from thirdcard.vision.inference.detector import Detector
from thirdcard.vision.inference.model_spec import load_model_spec
from thirdcard.vision.plane.rectify import Rectifier


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector.open()


@pytest.fixture(scope="module")
def table() -> tuple[np.ndarray, Rectifier, np.ndarray, np.ndarray]:
    """A rendered frame, its rectified view, and the cards' corners in mm with whether they lie face up."""
    rng = np.random.default_rng(5)
    world = random_world(rng, "held_out", ["machine:9020"])
    width, height = world.layout.size_mm
    places = [(0.3, 0.3, 10), (0.45, 0.35, 92), (0.6, 0.3, 175), (0.5, 0.6, 45), (0.25, 0.7, 300), (0.75, 0.65, 20)]
    cards = tuple(
        CardObject(
            object_id=f"c{i}",
            card=card,
            face_up=i % 3 != 2,
            at_mm=(x * width, y * height),
            angle_deg=angle,
        )
        for i, ((x, y, angle), card) in enumerate(zip(places, ["7H", "QS", "AC", "10D", "2C", "KH"], strict=True))
    )
    frame = SceneRenderer(world).render([Scene(t=0.0, cards=cards)])
    corners = np.stack([np.asarray(thing.layout_polygon_mm) for thing in frame.objects])
    face_up = np.array([thing.face_up for thing in frame.objects])
    return frame.image_hw3, Rectifier(world.camera, world.layout.size_mm), corners, face_up


def found_rows(found: Detections, corners_mm: np.ndarray) -> list[int]:
    """For each true card the detection on it, -1 for none."""
    rows = []
    for corners in corners_mm:
        overlaps = [polygon_iou(box.astype(np.float32), corners.astype(np.float32)) for box in found.corners_mm]
        rows.append(int(np.argmax(overlaps)) if overlaps and max(overlaps) > 0.6 else -1)
    return rows


def test_whole_cloth_shows_its_cards_where_they_lie(
    detector: Detector, table: tuple[np.ndarray, Rectifier, np.ndarray, np.ndarray]
) -> None:
    image, rectifier, corners, face_up = table
    size_mm = (rectifier.size_px[0] * 2 - 120, rectifier.size_px[1] * 2 - 120)
    found = detector.detect_regions(image, rectifier, [(0, 0, *size_mm)]).of(CARD_FACE, CARD_BACK)
    rows = found_rows(found, corners)
    assert rows.count(-1) == 0
    assert len(set(rows)) == len(corners)
    off_mm = np.linalg.norm(found.centres_mm[rows] - corners.mean(axis=1), axis=1)
    assert np.median(off_mm) < 5
    assert ((found.label[rows] == CARD_FACE) == face_up).mean() >= 0.8


def test_small_region_shows_the_card_in_it(
    detector: Detector, table: tuple[np.ndarray, Rectifier, np.ndarray, np.ndarray]
) -> None:
    image, rectifier, corners, _ = table
    x, y = corners[0].mean(axis=0)
    found = detector.detect_regions(image, rectifier, [(x - 60, y - 60, x + 60, y + 60)])
    assert found_rows(found.of(CARD_FACE, CARD_BACK), corners[:1]) != [-1]


def test_no_region_is_looked_at_without_reason(
    detector: Detector, table: tuple[np.ndarray, Rectifier, np.ndarray, np.ndarray]
) -> None:
    image, rectifier, _, _ = table
    assert len(detector.detect_regions(image, rectifier, [])) == 0


def test_detector_for_other_classes_is_refused() -> None:
    spec = replace(load_model_spec("detector"), classes=("cat", "dog"))
    with pytest.raises(ModelError, match=r"detector.classes = \['cat', 'dog'\]"):
        Detector.open(spec)


def test_small_tile_shows_the_card_in_it_as_the_large_one_does(
    detector: Detector, table: tuple[np.ndarray, Rectifier, np.ndarray, np.ndarray]
) -> None:
    image, rectifier, corners, _ = table
    middle = corners[0].mean(axis=0)
    found = []
    for side_px in (128, 224, detector.tile_px):
        origin = rectifier.snapped_mm(tuple(middle - side_px / 2 / rectifier.px_per_mm))
        tile = rectifier.tile(image, origin, (side_px, side_px))
        seen = detector.detect(tile, origin, rectifier.px_per_mm).of(CARD_FACE, CARD_BACK)
        (row,) = found_rows(seen, corners[:1])
        assert row >= 0
        found.append(seen.centres_mm[row])
    assert np.ptp(found, axis=0).max() < 4


def test_tile_of_half_a_step_is_refused(detector: Detector) -> None:
    allowed = r"detector: picture shape = \(48, 320, 3\); must be \(320, 320, 3\), or smaller in steps of 32 px"
    with pytest.raises(ModelError, match=allowed):
        detector.detect(np.zeros((48, 320, 3), np.uint8), (0.0, 0.0), 0.5)
