"""The place of a peak between pixels."""

from __future__ import annotations

import numpy as np
import pytest

from thirdcard.vision.plane.peaks import peak_offset_px


@pytest.mark.parametrize("top", [3.0, 3.3, 2.6])
def test_top_of_a_parabola_is_found(top: float) -> None:
    row = 1.0 - 0.1 * (np.arange(7) - top) ** 2
    at = int(row.argmax())
    assert at + peak_offset_px(row, at) == pytest.approx(top)


@pytest.mark.parametrize(("row", "at"), [([3.0, 2.0, 1.0], 0), ([1.0, 2.0, 3.0], 2), ([2.0, 2.0, 2.0], 1)])
def test_peak_at_an_end_or_on_flat_ground_stays_where_it_is(row: list[float], at: int) -> None:
    assert peak_offset_px(np.array(row), at) == 0.0
