"""The reader: its readings' form, its confidence, and the shipped weights on plainly drawn cards."""

from __future__ import annotations

import numpy as np
import pytest

from thirdcard.datasets.decks.deck import machine_deck
from thirdcard.vision.inference.reader import BACK, UNCLEAR, Reader, Readings, log_softmax


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader.open()


def laid_on_cloth(texture_rgba: np.ndarray) -> np.ndarray:
    """A card's texture as a crop shows it: with a rim of cloth."""
    import cv2

    rim_x, rim_y = round(80 * 0.08 / 1.16), round(112 * 0.08 / 1.16)
    size = (80 - 2 * rim_x, 112 - 2 * rim_y)
    small = cv2.resize(texture_rgba, size, interpolation=cv2.INTER_AREA).astype(float)
    crop = np.full((112, 80, 3), (60, 100, 40), float)
    alpha = small[:, :, 3:] / 255
    inner = crop[rim_y : rim_y + size[1], rim_x : rim_x + size[0]]
    inner[:] = inner * (1 - alpha) + small[:, :, 2::-1] * alpha
    return crop.round().astype(np.uint8)


def test_readings_of_nothing_are_empty(reader: Reader) -> None:
    readings = reader.read([])
    assert len(readings) == 0
    assert readings.best == []
    assert readings.confidence.shape == (0,)


def test_readings_are_probabilities_and_read_only(reader: Reader) -> None:
    readings = reader.read([np.full((112, 80, 3), level, np.uint8) for level in (0, 128, 255)])
    assert readings.log_probs.shape == (3, 54)
    assert np.allclose(np.exp(readings.log_probs).sum(axis=1), 1)
    with pytest.raises(ValueError, match="read-only"):
        readings.log_probs[0, 0] = 0.0


@pytest.mark.parametrize("turned", [False, True])
def test_reader_knows_the_faces_of_decks_it_never_saw_either_way_up(reader: Reader, turned: bool) -> None:
    decks = [machine_deck(seed) for seed in (9021, 9022)]
    faces = [label for label in reader.labels if label not in (BACK, UNCLEAR)]
    crops = [laid_on_cloth(deck.face(card)) for deck in decks for card in faces]
    readings = reader.read([np.ascontiguousarray(crop[::-1, ::-1]) if turned else crop for crop in crops])
    right = [found == card for found, card in zip(readings.best, faces * len(decks), strict=True)]
    assert np.mean(right) >= 0.96
    sure = readings.confidence > 0.99
    assert all(is_right for is_right, is_sure in zip(right, sure, strict=True) if is_sure)


def test_reader_tells_a_back(reader: Reader) -> None:
    assert reader.read([laid_on_cloth(machine_deck(9020).back())]).best == [BACK]


def test_readings_of_a_wrong_width_are_refused() -> None:
    with pytest.raises(ValueError, match=r"log_probs: shape = \(2, 3\); must be \(N, 2\)"):
        Readings(np.zeros((2, 3)), ("a", "b"))


def test_log_softmax_of_large_numbers_stays_finite() -> None:
    result = log_softmax(np.array([[1000.0, 0.0], [0.0, 0.0]]))
    assert np.allclose(result, [[0.0, -1000.0], [np.log(0.5)] * 2])
