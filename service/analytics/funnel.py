"""Funnel limits: the range of rates that chance alone explains for a dealer with the house's rate.

D. J. Spiegelhalter, Funnel plots for comparing institutional performance, Statistics in Medicine 24 (2005): exact
Poisson limits at 95 % and 99.8 %, interpolated between whole counts so that the lines do not jump.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, pdtr, pdtrik

from thirdcard.service.analytics.rates import Interval

WARNING, ALARM = 0.95, 0.998


def funnel_limits(rounds: ArrayLike, house_rate: float, *, level: float = WARNING) -> Interval:
    """The control limits of the rate for that many rounds, in events per round."""
    n = np.asarray(rounds, np.float64)
    expected, tail = np.maximum(n * house_rate, 1e-12), (1 - level) / 2
    some = np.maximum(n, 1e-12)
    low = np.where(n > 0, np.maximum(_smooth_quantile(tail, expected), 0.0) / some, 0.0)
    return Interval(low, np.where(n > 0, _smooth_quantile(1 - tail, expected) / some, np.inf))


def _smooth_quantile(share: float, expected: np.ndarray) -> np.ndarray:
    """The Poisson quantile, interpolated within its step."""
    count = _quantile(share, expected)
    above = pdtr(count, expected) - share
    step = np.exp(count * np.log(expected) - gammaln(count + 1) - expected)
    return np.asarray(count - np.where(step > 0, above / np.maximum(step, 1e-300), 0.0))


def _quantile(share: float, expected: np.ndarray) -> np.ndarray:
    """The least count of which the Poisson distribution holds at least `share`; `expected` is above 0."""
    count = np.ceil(np.maximum(pdtrik(share, expected), 0.0))
    before = np.maximum(count - 1, 0.0)  # the inverse is rounded: the count before may do
    return np.asarray(np.where(pdtr(before, expected) >= share, before, count))
