"""Estimate many rates together: dealers with few rounds are drawn towards the house's mean, those with many are not.

Empirical Bayes after C. N. Morris, Parametric empirical Bayes inference, JASA 78 (1983). The events of dealer i are
Poisson with mean rate_i * n_i; the rates are Gamma with the house's mean m and shape a. Then counts are negative
binomial, which gives the likelihood of m and a, and given k_i events rate_i is Gamma(a + k_i) over a / m + n_i. The
uncertainty of m and a is integrated over a grid, so that few dealers do not make the estimate overconfident. A
half-normal prior on the spread 1 / sqrt(a), and half an event, keep everything finite; many dealers outweigh them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammainc, gammaincc, gammaln

from thirdcard.service.analytics.rates import LEVEL, Floats, Interval, halve

GRID = np.linspace(-2.0, 2.0, 5)
"""Nodes of the grid, in standard deviations around the mode."""
STEP = 0.03
"""The step of the numeric curvature, in log m and log a."""
BELIEVED_SPREAD = 0.5
"""The scale of the half-normal prior: a spread of half the mean is common, one of twice the mean is not."""
SPREADS = (0.05, 1.5)
"""The bounds of the standard deviations of log m and log a that the grid uses."""


NO_SPREAD = 15.0
"""The log a from which on the two likelihoods are equal in floating point."""
CHANCE_GAIN = 2.71
"""The 95th percentile of the gain where all rates are equal: half of a chi-squared with one degree of freedom, since a
spread of zero is the edge of its range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrunken:
    """Estimates for each dealer; arrays in the order of the counts."""

    rate: Floats
    """The posterior mean, events per round."""
    interval: Interval
    """The 95 % interval of the rate, given the model."""
    above_house: Floats
    """The probability that the rate is above the mean of all rates."""
    house_rate: float
    """All events divided by all rounds."""
    spread: float
    """The coefficient of variation of the true rates, at the mode: 0.5 means that they differ by half of the mean."""
    gain: float
    """Twice the gain in log likelihood of that spread over a single rate; chance alone rarely exceeds `CHANCE_GAIN`."""


@dataclass(frozen=True, slots=True)
class _Mixture:
    """A mixture of Gamma distributions: weights (G,), shapes and exposures (G, dealers)."""

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
        rounds: (D,) rounds dealt; above 0 for at least one dealer.
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
    """The log likelihood of all counts plus the weak priors of m and a."""
    log_mean, log_shape = np.clip(house, -40.0, 40.0)
    spread = np.exp(-log_shape / 2)
    beliefs = 0.5 * log_mean - (spread / BELIEVED_SPREAD) ** 2 / 2 + np.log(spread)
    return float(_log_likelihood(house, k, n) + beliefs)


def _log_likelihood(house: Floats, k: Floats, n: Floats) -> float:
    """The negative binomial log likelihood of all counts; Poisson from a shape on that leaves no spread."""
    log_mean, log_shape = np.clip(house, -40.0, 40.0)
    a, expected = np.exp(log_shape), np.exp(log_mean) * n
    if log_shape > NO_SPREAD:
        return float(np.sum(k * log_mean - expected))
    likely = gammaln(k + a) - gammaln(a) + a * np.log(a / (a + expected)) + k * (log_mean - np.log(a + expected))
    return float(likely.sum())


def _spread_along(mode: Floats, axis: Floats, k: Floats, n: Floats) -> float:
    """The standard deviation along an axis, from the curvature at the mode."""
    middle = _log_posterior(mode, k, n)
    around = [_log_posterior(mode + sign * STEP * axis, k, n) for sign in (-1, 1)]
    curvature = (2 * middle - around[0] - around[1]) / STEP**2
    return float(np.clip(1 / np.sqrt(max(curvature, 1e-6)), *SPREADS))
