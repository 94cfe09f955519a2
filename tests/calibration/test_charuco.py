"""A lens measured from views of the printed board."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from thirdcard.calibration.charuco import SQUARES, draw_board, measure_lens
from thirdcard.calibration.errors import FitError

SIZE = (1280, 720)
SQUARE_PX = 40
FOCAL = 1000.0
DISTORTION = np.array([-0.1, 0.02, 0.0, 0.0, 0.0])


def view(number: int, *, tilt_deg: float | None = None) -> NDArray[np.uint8]:
    """What a camera of that lens sees of the board, held in one of many ways."""
    rng = np.random.default_rng(number)
    matrix = np.array([[FOCAL, 0, SIZE[0] / 2], [0, FOCAL, SIZE[1] / 2], [0, 0, 1.0]])
    tilt = np.radians(rng.uniform(20, 45) if tilt_deg is None else tilt_deg)
    towards = rng.uniform(0, 2 * np.pi)
    rotation = cv2.Rodrigues(tilt * np.array([np.cos(towards), np.sin(towards), 0.0]))[0]
    middle = np.array([SQUARES[0] / 2, SQUARES[1] / 2, 0.0])
    place = np.array([rng.normal(0, 0.6), rng.normal(0, 0.6), rng.uniform(10.5, 13.0)]) - rotation @ middle
    grid = np.stack(np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1])), axis=-1).reshape(-1, 1, 2).astype(float)
    rays = np.column_stack([cv2.undistortPoints(grid, matrix, DISTORTION)[:, 0], np.ones(len(grid))]) @ rotation
    eye = -rotation.T @ place
    at = eye[:2] - rays[:, :2] * (eye[2] / rays[:, 2])[:, None]
    own_px = ((at + 0.5) * SQUARE_PX - 0.5).astype(np.float32).reshape(SIZE[1], SIZE[0], 2)
    seen = cv2.remap(draw_board(SQUARE_PX), own_px[..., 0], own_px[..., 1], cv2.INTER_LINEAR, borderValue=(120,))
    noisy = cv2.GaussianBlur(seen, (3, 3), 0) + rng.normal(0, 3, (SIZE[1], SIZE[0]))
    return np.asarray(cv2.cvtColor(np.clip(noisy, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR), dtype=np.uint8)


def test_ten_tilted_views_measure_the_focal_length_to_a_hundredth() -> None:
    found = measure_lens({f"{n}.png": view(n) for n in range(10)})

    assert found.views == 10
    assert found.lens.camera_matrix[0, 0] == pytest.approx(FOCAL, rel=0.01)
    assert found.lens.distortion[:2] == pytest.approx(DISTORTION[:2], abs=0.02)
    assert found.focal_spread < 0.01


def test_views_that_do_not_show_the_board_are_named() -> None:
    empty = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    views = {"a.png": view(1), "b.png": empty, "c.png": view(2)}
    with pytest.raises(FitError, match=r"count = 2; .* at least 5 views; it is not found in b.png"):
        measure_lens(views)


def test_views_from_straight_above_measure_no_focal_length() -> None:
    with pytest.raises(FitError, match="tilt the board more"):
        measure_lens({f"{n}.png": view(3, tilt_deg=0.0) for n in range(6)})


def test_views_of_two_sizes_are_refused() -> None:
    with pytest.raises(FitError, match=r"b.png = \[640, 360\]; must be of the first view's size, \[1280, 720\]"):
        measure_lens({"a.png": view(1), "b.png": np.zeros((360, 640, 3), np.uint8)})
