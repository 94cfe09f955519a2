"""The limits of chance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import poisson

from thirdcard.service.analytics.funnel import ALARM, funnel_limits


def test_limits_close_around_the_house_as_rounds_grow() -> None:
    low, high = funnel_limits(np.array([10.0, 1e3, 1e5, 1e7]), 0.005)
    assert np.all(np.diff(low) >= 0) and np.all(np.diff(high) <= 0)
    assert low[-1] < 0.005 < high[-1] < 0.0051


def test_chance_alone_stays_within_them_as_often_as_they_say() -> None:
    rounds = np.random.default_rng(1).integers(500, 20_000, 40_000).astype(float)
    events = np.random.default_rng(2).poisson(rounds * 0.005)
    for level in (0.95, ALARM):
        low, high = funnel_limits(rounds, 0.005, level=level)
        inside = np.mean((low <= events / rounds) & (events / rounds <= high))
        assert abs(inside - level) < 0.015


def test_who_dealt_nothing_has_no_limits() -> None:
    low, high = funnel_limits(0, 0.005)
    assert (float(low), float(high)) == (0.0, np.inf)


@pytest.mark.parametrize("level", [0.95, ALARM])
def test_limits_lie_within_the_step_of_the_poisson_quantile(level: float) -> None:
    rounds = np.concatenate([np.arange(1.0, 400.0), np.geomspace(400, 1e7, 300)])
    low, high = funnel_limits(rounds, 0.05, level=level)
    for limit, share in ((low, (1 - level) / 2), (high, (1 + level) / 2)):
        quantile = poisson.ppf(share, rounds * 0.05)
        assert np.all(limit * rounds <= quantile + 1e-6)
        assert np.all(limit * rounds >= np.maximum(quantile - 1, 0) - 1e-6)
