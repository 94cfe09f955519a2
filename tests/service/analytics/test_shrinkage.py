"""Estimates of many dealers together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thirdcard.service.analytics.shrinkage import CHANCE_GAIN, shrink

DEALERS = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 20_000)), min_size=1, max_size=30)


def counts(pairs: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([k for k, _ in pairs], float), np.array([n for _, n in pairs], float)


@given(DEALERS)
@settings(max_examples=25, deadline=None)
def test_estimates_are_finite_and_lie_within_their_intervals(pairs: list[tuple[int, int]]) -> None:
    found = shrink(*counts(pairs))
    assert np.all(np.isfinite(found.rate)) and np.all(found.rate > 0)
    assert np.all(found.interval.low < found.rate) and np.all(found.rate < found.interval.high)
    assert np.all((found.above_house >= 0) & (found.above_house <= 1))


@given(DEALERS)
@settings(max_examples=10, deadline=None)
def test_the_order_of_the_dealers_does_not_matter(pairs: list[tuple[int, int]]) -> None:
    one, other = shrink(*counts(pairs)), shrink(*counts(pairs[::-1]))
    assert one.rate == pytest.approx(other.rate[::-1], rel=1e-3)


def test_who_dealt_few_rounds_is_drawn_to_the_house() -> None:
    found = shrink(np.array([1.0, *[50.0] * 20]), np.array([3.0, *[10_000.0] * 20]))
    assert found.rate[0] < 2 * found.house_rate
    assert found.rate[1:] == pytest.approx(0.005, rel=0.1)


def test_who_dealt_many_rounds_speaks_for_himself() -> None:
    found = shrink(np.array([600.0, *[50.0] * 20]), np.array([20_000.0, *[10_000.0] * 20]))
    assert found.rate[0] == pytest.approx(0.03, rel=0.05)
    assert found.above_house[0] > 0.999


def test_nobody_who_erred_leaves_small_rates_not_none() -> None:
    found = shrink(np.zeros(8), np.full(8, 1000.0))
    assert found.house_rate == 0.0
    assert np.all((found.rate > 0) & (found.rate < 1 / 1000))


def test_a_dealer_alone_is_his_own_house() -> None:
    found = shrink(np.array([20.0]), np.array([4000.0]))
    assert found.rate[0] == pytest.approx(0.005, rel=0.1)
    assert 0.2 < found.above_house[0] < 0.6


def test_dealers_who_differ_by_chance_alone_are_told_as_alike() -> None:
    rng = np.random.default_rng(3)
    alike = shrink(rng.poisson(20, 100).astype(float), np.full(100, 4000.0))
    unlike = shrink(rng.poisson(rng.gamma(2, 10, 100)).astype(float), np.full(100, 4000.0))
    assert alike.spread < 0.15
    assert unlike.spread == pytest.approx(1 / np.sqrt(2), rel=0.25)


def test_spread_beyond_chance_is_seldom_seen_where_there_is_none() -> None:
    rng = np.random.default_rng(5)
    gains = [shrink(rng.poisson(6, 20).astype(float), np.full(20, 1500.0)).gain for _ in range(60)]
    assert sum(gain > CHANCE_GAIN for gain in gains) <= 0.1 * len(gains)
    assert shrink(rng.poisson(rng.gamma(2, 10, 20)).astype(float), np.full(20, 4000.0)).gain > CHANCE_GAIN
