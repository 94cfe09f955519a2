"""The index finder: what its maps say, doubles, and the models that are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from thirdcard.vision.errors import ModelError
from thirdcard.vision.inference.index_crops import HEIGHT_PX, WIDTH_PX, index_crop
from thirdcard.vision.inference.index_finder import CHANNELS, IndexFinder, Indices, decode_indices, without_doubles
from thirdcard.vision.inference.index_reader import IndexReader
from thirdcard.vision.inference.model_spec import load_model_spec


def indices(*rows: tuple[float, float, float]) -> Indices:
    """Upright indices of 10 x 20 px, each (x, y, score)."""
    middles = np.array([(x, y) for x, y, _ in rows], np.float64).reshape(-1, 2)
    ups = np.tile([0.0, -1.0], (len(rows), 1))
    sizes = np.tile([10.0, 20.0], (len(rows), 1))
    return Indices(middles, ups, sizes, np.array([score for _, _, score in rows]))


def test_peak_of_a_map_is_an_index_with_its_place_size_and_direction() -> None:
    told = np.full((len(CHANNELS), 20, 20), 0.0, np.float32)
    told[0] = -9.0
    told[:, 5, 7] = [3.0, 0.25, -0.5, np.log(10 / 16), np.log(24 / 16), 0.0, -2.0]
    found = decode_indices(told, score=0.3)
    assert len(found) == 1
    assert np.allclose(found.centres_px, [[7.75 * 4 - 0.5, 5.0 * 4 - 0.5]])
    assert np.allclose(found.sizes_px, [[10, 24]])
    assert np.allclose(found.ups, [[0, -1]])
    assert found.score[0] == pytest.approx(1 / (1 + np.exp(-3.0)))


def test_flat_map_has_no_index() -> None:
    assert len(decode_indices(np.full((len(CHANNELS), 8, 8), -9.0, np.float32), score=0.3)) == 0


def test_corners_run_clockwise_from_the_index_s_own_top_left() -> None:
    assert np.allclose(indices((50, 60, 1.0)).corners_px[0], [[45, 50], [55, 50], [55, 70], [45, 70]])


def test_finds_of_one_index_are_one_and_neighbours_in_a_fan_are_not() -> None:
    found = without_doubles(indices((50, 60, 0.6), (52, 62, 0.9), (61, 60, 0.8)))
    assert found.score.tolist() == [0.9, 0.8]


def test_rows_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"ups: shape = \(1, 2\); must be \(2, 2\)"):
        Indices(np.zeros((2, 2)), np.zeros((1, 2)), np.zeros((2, 2)), np.zeros(2))


def test_models_of_another_form_are_refused() -> None:
    with pytest.raises(ModelError, match=r"index_finder.classes = \['x'\]; must be"):
        IndexFinder.open(replace(load_model_spec("index_finder"), classes=("x",)))
    with pytest.raises(ModelError, match="with the class unclear"):
        IndexReader.open(replace(load_model_spec("index_reader"), classes=("7H",)))


@pytest.mark.parametrize("size", [20.0, 44.0, 150.0])
def test_crop_shows_its_index_upright_in_the_middle(size: float) -> None:
    image = np.zeros((400, 400, 3), np.uint8)
    image[:, 200:] = 255  # what lies towards the direction up
    crop = index_crop(image, np.array([199.5, 200.0]), np.array([1.0, 0.0]), np.array([size / 2, size]))
    assert crop.shape == (HEIGHT_PX, WIDTH_PX, 3)
    assert crop[: HEIGHT_PX // 2 - 2].min() == 255 and crop[HEIGHT_PX // 2 + 2 :].max() == 0


def test_no_indices_give_no_readings() -> None:
    reader = IndexReader.open()
    readings = reader.read(np.zeros((50, 50, 3), np.uint8), indices())
    assert readings.log_probs.shape == (0, len(reader.labels))
