"""Estimate many rates together: who dealt few rounds is drawn towards the house, who dealt many speaks for himself.

Empirical Bayes after C. N. Morris, Parametric empirical Bayes inference, JASA 78 (1983): the events of dealer i are
Poisson with mean rate_i * n_i, the rates are Gamma with the house's mean m and shape a. Then counts are negative
binomial, which gives the likelihood of m and a, and the rate of dealer i, seen k_i events, is Gamma(a + k_i) over
a / m + n_i. m and a are not known but likely within a region; the posterior is the mixture over a grid on it, so that
few dealers do not make us too sure. A half-normal belief on the spread 1 / sqrt(a), which many dealers outweigh, and
half an event keep all finite.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammainc, gammaincc, gammaln

from thirdcard.service.analytics.rates import LEVEL, Floats, Interval, halve

GRID = np.linspace(-2.0, 2.0, 5)
"""In standard deviations around the mode."""
STEP = 0.03
"""Of the numeric curvature, in log m and log a."""
BELIEVED_SPREAD = 0.5
"""The scale of the half-normal: that dealers differ by half of the mean is nothing strange, by twice of it, it is."""
SPREADS = (0.05, 1.5)
"""Bounds of the standard deviation, of log m and log a, that the grid believes."""


NO_SPREAD = 15.0
"""log a, from which on the two likelihoods are the same to a float."""
CHANCE_GAIN = 2.71
"""The 95th percentile of the gain where all rates are the same: half of a chi-squared of one degree, since no spread is
the edge of what can be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrunken:
    """Estimates for each dealer; arrays in the order of the counts."""

    rate: Floats
    """The posterior's mean, events a round."""
    interval: Interval
    """In which the rate lies with 95 %, given the model."""
    above_house: Floats
    """The probability that the rate is above the mean of all rates."""
    house_rate: float
    """All events over all rounds."""
    spread: float
    """The coefficient of variation of the true rates, at the mode: 0.5 means that they differ by half of the mean."""
    gain: float
    """Twice what that spread gains in log likelihood over one rate for all; chance alone seldom gains `CHANCE_GAIN`."""


@dataclass(frozen=True, slots=True)
class _Mixture:
    """Gammas with weights: (G,) and (G, dealers)."""

    weights: Floats
    shapes: Floats
    exposures: Floats

    def below(self, rate: Floats) -> Floats:
        """P(rate_i < rate)."""
        result: Floats = self.weights @ gammainc(self.shapes, self.exposures * rate)
        return result

    def above(self, rate: Floats) -> Floats:
        """P(rate_i > rate)."""
        result: Floats = self.weights @ gammaincc(self.shapes, self.exposures * rate)
        return result


def shrink(events: Floats, rounds: Floats, *, level: float = LEVEL) -> Shrunken:
    """Estimate the rates of all dealers together.

    Args:
        events: (D,) counts.
        rounds: (D,) rounds dealt; over 0 for one dealer at least.
        level: Of the intervals.
    """
    k, n = np.asarray(events, np.float64), np.asarray(rounds, np.float64)
    mode, weights, nodes = _likely_houses(k, n)
    means, shapes = np.exp(nodes[:, :1]), np.exp(nodes[:, 1:])
    mixture = _Mixture(weights, shapes + k, shapes / means + n)
    rate: Floats = weights @ (mixture.shapes / mixture.exposures)
    house = float(k.sum() / n.sum())
    far = np.max((mixture.shapes + 12 * np.sqrt(mixture.shapes) + 12) / mixture.exposures, axis=0)
    tail = (1 - level) / 2
    interval = Interval(
        halve(lambda x: mixture.below(x) < tail, np.zeros_like(k), far),
        halve(lambda x: mixture.above(x) > tail, np.zeros_like(k), far),
    )
    above = np.clip(weights @ gammaincc(mixture.shapes, mixture.exposures * means), 0.0, 1.0)
    return Shrunken(
        rate=rate,
        interval=interval,
        above_house=above,
        house_rate=house,
        spread=float(np.exp(-mode[1] / 2)),
        gain=2 * (_log_likelihood(mode, k, n) - _log_likelihood(np.array([np.log(max(house, 1e-300)), 40.0]), k, n)),
    )


def _likely_houses(k: Floats, n: Floats) -> tuple[Floats, Floats, Floats]:
    """The most likely (log m, log a), and a grid around it: weights (G,), nodes (G, 2)."""
    start = np.array([np.log((k.sum() + 0.5) / n.sum()), np.log(4.0)])
    options = {"xatol": 1e-4, "fatol": 1e-6, "maxiter": 400}
    found = minimize(lambda x: -_log_posterior(x, k, n), start, method="Nelder-Mead", options=options)  # type: ignore[call-overload]
    mode: Floats = found.x
    spreads = [_spread_along(mode, axis, k, n) for axis in (np.array([1.0, 0.0]), np.array([0.0, 1.0]))]
    nodes = np.array([mode + np.array([u, v]) * spreads for u in GRID for v in GRID])
    heights = np.array([_log_posterior(node, k, n) for node in nodes])
    weights = np.exp(heights - heights.max())
    return mode, weights / weights.sum(), nodes


def _log_posterior(house: Floats, k: Floats, n: Floats) -> float:
    """The likelihood of all counts, with the weak beliefs about m and a."""
    log_mean, log_shape = np.clip(house, -40.0, 40.0)
    spread = np.exp(-log_shape / 2)
    beliefs = 0.5 * log_mean - (spread / BELIEVED_SPREAD) ** 2 / 2 + np.log(spread)
    return float(_log_likelihood(house, k, n) + beliefs)


def _log_likelihood(house: Floats, k: Floats, n: Floats) -> float:
    """Of all counts, negative binomial; from a shape on that leaves no spread, Poisson."""
    log_mean, log_shape = np.clip(house, -40.0, 40.0)
    a, expected = np.exp(log_shape), np.exp(log_mean) * n
    if log_shape > NO_SPREAD:
        return float(np.sum(k * log_mean - expected))
    likely = gammaln(k + a) - gammaln(a) + a * np.log(a / (a + expected)) + k * (log_mean - np.log(a + expected))
    return float(likely.sum())


def _spread_along(mode: Floats, axis: Floats, k: Floats, n: Floats) -> float:
    """The standard deviation at the mode along an axis, from the curvature."""
    middle = _log_posterior(mode, k, n)
    around = [_log_posterior(mode + sign * STEP * axis, k, n) for sign in (-1, 1)]
    curvature = (2 * middle - around[0] - around[1]) / STEP**2
    return float(np.clip(1 / np.sqrt(max(curvature, 1e-6)), *SPREADS))
