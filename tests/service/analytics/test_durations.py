"""Durations counted in bins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thirdcard.service.analytics.durations import BINS, count_durations, quantile_s
from thirdcard.service.analytics.hour_sums import pack_durations, unpack_durations
from thirdcard.service.analytics.round_facts import PHASES


@given(st.lists(st.floats(0, 1e5), max_size=50))
def test_every_duration_is_counted_once(durations: list[float]) -> None:
    assert count_durations(durations).sum() == len(durations)


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_quantile_is_told_to_a_tenth(share: float) -> None:
    durations = np.random.default_rng(1).lognormal(3, 0.5, 3000)
    assert quantile_s(count_durations(durations), share) == pytest.approx(np.quantile(durations, share), rel=0.1)


def test_nothing_counted_has_no_median() -> None:
    assert quantile_s(np.zeros(BINS, np.int64), 0.5) is None


def test_packed_counts_add_up() -> None:
    rounds: list[tuple[float, ...]] = [(10.0, 20.0, 30.0, 5.0), (11.0, 25.0, 30.0, 500.0)]
    both = unpack_durations([pack_durations(rounds), b"", pack_durations(rounds[:1])])
    assert both.shape == (len(PHASES), BINS)
    assert both.sum(axis=1).tolist() == [3, 3, 3, 3]
    assert (both[2] == 3 * count_durations([30.0])).all()
