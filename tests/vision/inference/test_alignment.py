"""A look laid over an earlier one by what the middle of both shows."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from thirdcard.vision.frames import Image
from thirdcard.vision.inference.alignment import REACH_PX, pulled_back, push_px

SIZE_WH = (64, 112)


def patterned(push: tuple[float, float] = (0.0, 0.0), *, margin: int = 0) -> Image:
    """A crop with a blurred pattern in its middle, pushed right and down, wider by a margin."""
    rng = np.random.default_rng(3)
    width, height = SIZE_WH[0] + 2 * margin, SIZE_WH[1] + 2 * margin
    pattern = cv2.GaussianBlur(rng.integers(0, 255, (50, 44, 3), dtype=np.uint8), (0, 0), 2.0)
    matrix = np.array([[1.0, 0, (width - 44) / 2 + push[0]], [0, 1.0, (height - 50) / 2 + push[1]]])
    around = cv2.warpAffine(pattern, matrix, (width, height), flags=cv2.INTER_CUBIC, borderValue=(90, 90, 90))
    return np.asarray(around, np.uint8)


@pytest.mark.parametrize("push", [(0.0, 0.0), (5.0, -3.0), (-8.0, 8.0), (2.5, 0.0), (0.3, -6.7)])
def test_push_is_found_to_parts_of_a_pixel_and_undone(push: tuple[float, float]) -> None:
    before, after = patterned(), patterned(push, margin=REACH_PX)
    found = push_px(before, after)
    assert found == pytest.approx(push, abs=0.15)
    back = pulled_back(after, found, size_wh_px=SIZE_WH)
    assert np.abs(back.astype(int) - before.astype(int))[35:-35, 15:-15].mean() < 4


def test_picture_without_a_pattern_is_not_moved() -> None:
    assert push_px(np.full((112, 64, 3), 80, np.uint8), patterned((5.0, 5.0), margin=REACH_PX)) == (0.0, 0.0)


def test_picture_that_nothing_is_like_is_not_moved() -> None:
    after = np.full((112 + 2 * REACH_PX, 64 + 2 * REACH_PX, 3), 80, np.uint8)
    assert push_px(patterned(), after) == (0.0, 0.0)
