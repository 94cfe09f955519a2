"""Rates of rare events and shares, with 95 % intervals.

Exact: F. Garwood, Fiducial limits for the Poisson distribution, Biometrika 28 (1936). Mid-P, which counts half of the
probability of the observed count: H. O. Lancaster, Significance tests in discrete distributions, JASA 56 (1961).
Shares: E. B. Wilson, Probable inference, JASA 22 (1927).

Events: counts; exposure: rounds; rates: events per round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaincc, gammaincinv, ndtri

LEVEL = 0.95
HALVINGS = 60
Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """Lower and upper bounds, an array of each."""

    low: Floats
    high: Floats


def exact_interval(events: ArrayLike, exposure: ArrayLike, *, level: float = LEVEL) -> Interval:
    """Garwood's exact interval of a Poisson rate; its coverage is at least `level`.

    low = chi2(a/2; 2k) / 2n and high = chi2(1 - a/2; 2k + 2) / 2n, with a = 1 - level; half a chi2 quantile is one of
    the gamma distribution, the inverse of its incomplete function. Without exposure: 0 to infinity.
    """
    k, n = np.asarray(events, np.float64), np.asarray(exposure, np.float64)
    tail = (1.0 - level) / 2
    low = np.where(k > 0, gammaincinv(np.maximum(k, 1), tail), 0.0)
    return _over(Interval(low, np.asarray(gammaincinv(k + 1, 1 - tail))), n)


def mid_p_interval(events: ArrayLike, exposure: ArrayLike, *, level: float = LEVEL) -> Interval:
    """The mid-P interval of a Poisson rate: narrower than the exact one; its coverage is `level` on average.

    low solves P(X > k) + P(X = k) / 2 = a/2, high P(X < k) + P(X = k) / 2 = a/2, with a = 1 - level.
    """
    k, n = np.asarray(events, np.float64), np.asarray(exposure, np.float64)
    tail = (1.0 - level) / 2
    outer = exact_interval(k, np.ones_like(k), level=level)
    low = halve(lambda mean: 1 - _mid_below(k, mean) < tail, np.zeros_like(k), k)
    high = halve(lambda mean: _mid_below(k, mean) > tail, k, outer.high)
    return _over(Interval(np.where(k > 0, low, 0.0), high), n)


def wilson_interval(hits: ArrayLike, trials: ArrayLike, *, level: float = LEVEL) -> Interval:
    """Wilson's interval of a share; 0 to 1 without trials."""
    k, n = np.asarray(hits, np.float64), np.asarray(trials, np.float64)
    z = ndtri(0.5 + level / 2)
    some = np.maximum(n, 1.0)
    centre = (k + z * z / 2) / (some + z * z)
    half = z / (some + z * z) * np.sqrt(k * (some - k) / some + z * z / 4)
    low = np.where((n > 0) & (k > 0), centre - half, 0.0)
    return Interval(np.clip(low, 0.0, 1.0), np.where((n > 0) & (k < n), np.clip(centre + half, 0.0, 1.0), 1.0))


def halve(is_below: Callable[[Floats], NDArray[np.bool_]], low: Floats, high: Floats) -> Floats:
    """Bisect for each element where a claim that holds at `low` and fails at `high` stops holding."""
    low, high = low.copy(), high.copy()
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        below = is_below(middle)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


def _mid_below(k: Floats, mean: Floats) -> Floats:
    """P(X < k) + P(X = k) / 2, for a Poisson variable X with that mean."""
    up_to: Floats = gammaincc(k + 1, mean)
    below = np.where(k > 0, gammaincc(np.maximum(k, 1), mean), 0.0)
    return (up_to + below) / 2


def _over(counts: Interval, exposure: Floats) -> Interval:
    some = np.maximum(exposure, 1e-300)
    has_any = exposure > 0
    return Interval(np.where(has_any, counts.low / some, 0.0), np.where(has_any, counts.high / some, np.inf))
