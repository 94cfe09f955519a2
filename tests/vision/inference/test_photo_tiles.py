"""Pictures cut into tiles: covered, and each point owned once."""

from __future__ import annotations

import numpy as np
import pytest

from thirdcard.vision.inference.photo_tiles import starts, tiles_of


@pytest.mark.parametrize(("length", "expected"), [(50, [0]), (100, [0]), (101, [0, 1]), (260, [0, 80, 160])])
def test_tiles_cover_a_length_and_overlap(length: int, expected: list[int]) -> None:
    assert starts(length, 100, 20) == expected


def test_every_point_is_owned_by_one_tile() -> None:
    image = np.zeros((130, 260, 3), np.uint8)
    y, x = np.mgrid[0:130:3, 0:260:3]
    points = np.column_stack([x.ravel(), y.ravel()]).astype(np.float64)
    owners = sum(tile.owns(points - tile.origin_px).astype(int) for tile in tiles_of(image, 100, 20))
    assert np.array_equal(owners, np.ones(len(points)))


def test_tile_beyond_the_picture_is_black() -> None:
    (tile,) = tiles_of(np.full((40, 60, 3), 200, np.uint8), 100, 20)
    assert tile.image.shape == (100, 100, 3)
    assert tile.image[:40, :60].min() == 200 and tile.image[40:].max() == 0 and tile.image[:, 60:].max() == 0
