"""The factor that light makes."""

from __future__ import annotations

import numpy as np
import pytest

from thirdcard.vision.plane.illumination import light_gain


@pytest.mark.parametrize("shape", [(5, 7), (6, 8), (1,), (3, 4, 3)])
def test_the_gain_is_the_median_factor(shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(3)
    now, before = (random.uniform(0, 255, shape).astype(np.float32) for _ in range(2))
    factors = (now + np.float32(4.0)) / (before + np.float32(4.0))
    assert light_gain(now, before) == float(np.median(factors))


def test_what_lies_on_less_than_half_of_a_view_changes_no_gain() -> None:
    before = np.full((10, 10), 96.0, np.float32)
    now = 1.1 * (before + 4.0) - 4.0
    now[:4] = 250.0
    assert light_gain(np.asarray(now, np.float32), before) == pytest.approx(1.1)
