"""Intervals of rates and shares, compared with scipy and with what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, poisson

from thirdcard.service.analytics.rates import exact_interval, mid_p_interval, wilson_interval

COUNTS = st.integers(0, 3000)
EXPOSURES = st.floats(0.5, 1e6)


@given(COUNTS, EXPOSURES)
@settings(max_examples=60, deadline=None)
def test_exact_interval_leaves_half_the_error_in_each_tail(events: int, exposure: float) -> None:
    low, high = (float(edge) * exposure for edge in exact_interval(events, exposure))
    assert poisson.cdf(events, high) == pytest.approx(0.025, rel=1e-6)
    if events:
        assert poisson.sf(events - 1, low) == pytest.approx(0.025, rel=1e-6)
    else:
        assert low == 0.0


@given(COUNTS)
@settings(max_examples=60, deadline=None)
def test_mid_p_interval_counts_half_of_what_was_seen(events: int) -> None:
    low, high = (float(edge) for edge in mid_p_interval(events, 1.0))
    half = poisson.pmf(events, high) / 2
    assert poisson.cdf(events - 1, high) + half == pytest.approx(0.025, rel=1e-5)
    if events:
        assert poisson.sf(events, low) + poisson.pmf(events, low) / 2 == pytest.approx(0.025, rel=1e-5)


@given(COUNTS, EXPOSURES)
@settings(max_examples=60, deadline=None)
def test_mid_p_interval_lies_within_the_exact_one_and_holds_the_rate(events: int, exposure: float) -> None:
    inner, outer = mid_p_interval(events, exposure), exact_interval(events, exposure)
    assert outer.low <= inner.low <= events / exposure <= inner.high <= outer.high


@given(COUNTS, EXPOSURES, st.floats(0.01, 100))
@settings(max_examples=40, deadline=None)
def test_another_unit_of_exposure_changes_the_unit_alone(events: int, exposure: float, factor: float) -> None:
    one, other = mid_p_interval(events, exposure), mid_p_interval(events, exposure * factor)
    assert np.allclose(np.array(one), np.array(other) * factor, rtol=1e-9)


@given(st.integers(1, 500), st.data())
@settings(max_examples=60, deadline=None)
def test_wilson_interval_is_that_of_scipy(trials: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, trials))
    ours = wilson_interval(hits, trials)
    theirs = binomtest(hits, trials).proportion_ci(0.95, "wilson")
    assert (float(ours.low), float(ours.high)) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_without_exposure_nothing_is_known() -> None:
    assert [float(edge) for edge in exact_interval(0, 0)] == [0.0, np.inf]
    assert [float(edge) for edge in mid_p_interval(0, 0)] == [0.0, np.inf]
    assert [float(edge) for edge in wilson_interval(0, 0)] == [0.0, 1.0]
