"""What chips look like: samples that can be used, those that are refused, and pairs that are alike."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from thirdcard.vision.errors import UnreadableImageError
from thirdcard.vision.inference.chip_faces import PAPER_LEVEL, PRINT_NEEDED, ChipFaceReader
from thirdcard.vision.inference.chip_samples import (
    ANGLES,
    RINGS,
    ChipLooks,
    alike_pairs,
    load_looks,
    load_sample,
    rings_apart,
)

RED, GREEN = (179, 32, 42), (31, 122, 61)


def ringed(inner: int, outer: int) -> np.ndarray:
    """(RINGS, 3): grey within half the rings and beyond."""
    return np.repeat(np.where(np.arange(RINGS) < RINGS // 2, inner, outer)[:, None], 3, axis=1).astype(np.float64)


def face_of(rings: np.ndarray) -> np.ndarray:
    return np.repeat(rings[:, None], ANGLES, axis=1).astype(np.uint8)


def save(path: Path, image: np.ndarray) -> Path:
    cv2.imwrite(str(path), image)
    return path


def test_a_sample_is_read_ring_by_ring_whatever_its_size_and_turn(tmp_path: Path) -> None:
    face = np.full((200, 200, 3), (60, 40, 180), np.uint8)
    cv2.circle(face, (100, 100), 50, (230, 230, 230), -1, cv2.LINE_AA)
    cv2.ellipse(face, (100, 100), (90, 90), 0, 0, 60, (20, 20, 20), 12)
    whole = load_sample(save(tmp_path / "a.png", face))
    small = load_sample(save(tmp_path / "b.png", cv2.resize(face, (60, 60), interpolation=cv2.INTER_AREA)))
    turned = load_sample(save(tmp_path / "c.png", np.ascontiguousarray(np.rot90(face))))
    assert whole.shape == (RINGS, 3)
    assert rings_apart(whole, small) < 3
    assert rings_apart(whole, turned) < 3
    assert whole[0].min() > 225


@pytest.mark.parametrize(
    ("image", "says"),
    [
        pytest.param(np.zeros((8, 8, 3), np.uint8), "is 8 x 8 px; must be a square picture", id="tiny"),
        pytest.param(np.zeros((60, 90, 3), np.uint8), "is 90 x 60 px; must be a square picture", id="not square"),
        pytest.param(None, "cannot be decoded", id="no picture"),
    ],
)
def test_what_is_no_sample_is_refused(tmp_path: Path, image: np.ndarray | None, says: str) -> None:
    path = tmp_path / "face.png"
    path.write_bytes(b"") if image is None else save(path, image)
    with pytest.raises(UnreadableImageError, match=says):
        load_looks([RED], [path])


def test_samples_count_where_every_chip_has_one(tmp_path: Path) -> None:
    path = save(tmp_path / "face.png", np.full((40, 40, 3), 90, np.uint8))
    assert load_looks([RED, GREEN], [path, None]).rings is None
    rings = load_looks([RED, GREEN], [path, path]).rings
    assert rings is not None
    assert rings.shape == (2, RINGS, 3)


def test_a_dimmer_place_of_the_table_is_no_difference_but_another_print_is() -> None:
    one = ringed(200, 60)
    assert rings_apart(one * 0.8, one) == pytest.approx(0, abs=1e-6)
    assert rings_apart(one * 0.4, one) > 20
    assert rings_apart(ringed(60, 200), one) > 60


def test_one_colour_is_alike_unless_the_prints_differ_enough() -> None:
    colours = np.array([RED, RED, GREEN], np.float64)[:, ::-1]
    far = ChipLooks(colours, np.stack([ringed(200, 60), ringed(20, 60), ringed(20, 60)]))
    near = ChipLooks(colours, np.stack([ringed(60, 60), ringed(64, 60), ringed(200, 200)]))
    assert alike_pairs(far, print_needed=PRINT_NEEDED) == []
    (pair,) = alike_pairs(near, print_needed=PRINT_NEEDED)
    assert (pair.first, pair.second, round(pair.colour_apart)) == (0, 1, 0)
    assert pair.print_apart is not None
    assert pair.print_apart < 4
    assert len(alike_pairs(ChipLooks(colours), print_needed=PRINT_NEEDED)) == 1


def test_faces_of_one_colour_are_named_by_their_samples() -> None:
    colours = np.array([[60.0, 60.0, 60.0]] * 2)
    looks = ChipLooks(colours, np.stack([ringed(200, 60), ringed(60, 60)]))
    faces = [face_of(ringed(200, 60)), face_of(ringed(60, 60))]
    white = np.full(3, PAPER_LEVEL)
    reader = ChipFaceReader.open()
    with_samples = reader.read(faces, looks, white)
    assert with_samples.argmax(axis=1).tolist() == [0, 1]
    assert with_samples.max(axis=1).min() > 0.95
    without = reader.read(faces, ChipLooks(colours), white)
    assert without.max() == pytest.approx(0.5, abs=0.01)
