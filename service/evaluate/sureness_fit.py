"""Fit the probability that a finding is true to its weight, and the rate of false alerts to the threshold.

Weights, confidences and thresholds are 0 to 1. Knows nothing of files.

Platt's sigmoid (Probabilistic outputs for support vector machines, 1999) for each family of codes, drawn toward slope 1
and offset 0 (ridge): with few findings the weight stays as it is. The tail of false findings is exponential in logits
above a threshold (Pickands, Statistical inference using extreme order statistics, 1975).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from thirdcard.service.evaluate.rates import poisson_interval
from thirdcard.service.evaluate.reliability import Prediction
from thirdcard.service.interpretation.alert_policy import EXTREME

LEAST_WEIGHT = 0.01
"""Findings with a lower weight are not fitted, since they are never reported."""
SPREADS = (0.3, 0.5)
"""The prior standard deviations of slope around 1 and offset around 0. One recording with a false finding at 90 %
brings the next one to 84 %, twenty bring it to 24 %."""
LEAST_SLOPE = 0.1
"""A positive slope: a higher weight never lowers the confidence."""
LINES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95,
         0.96, 0.97, 0.98, 0.985, 0.99)  # fmt: skip
"""The last is the highest threshold that is ever chosen: above it true findings are lost, and no false one was seen to
go."""
CAREFUL_SHARE = 0.8
"""The share of the interval whose upper end is used: one house in ten gets more false alerts than it asked for."""
STEPS = 50

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedFinding:
    """A finding with the weight of the hypotheses that show it."""

    code: str
    prediction: Prediction
    """With its weight as confidence."""

    @property
    def family(self) -> str:
        """The part of the code before the dot."""
        return self.code.partition(".")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Maps weights to confidences: 1 / (1 + exp(-(slope * logit(weight) + offset)))."""

    slope: float = 1.0
    offset: float = 0.0
    findings: int = 0
    true: int = 0

    def confidence(self, weight: float) -> float:
        """The share of findings with that weight that are true."""
        return 1.0 / (1.0 + exp(-(self.slope * logit(weight) + self.offset)))


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRate:
    """The result of one alert threshold."""

    line: float
    counted: int
    """False alerts in clean play."""
    rate: float
    """False alerts per hour of clean play."""
    is_tail: bool
    """Whether the rate comes from the fitted tail, since none was counted."""
    found: float | None
    """The share of true findings that reach the threshold; None where there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tail:
    """The decay of false findings: rate(line) = rate * exp(-(logit(line) - logit(from_line)) / scale)."""

    from_line: float
    rate: float
    scale: float
    n: int
    """The number of false findings that it was fitted to, in clean and other play."""

    def at(self, line: float) -> float:
        """False alerts per hour at a threshold."""
        return self.rate * exp(-(logit(line) - logit(self.from_line)) / self.scale)


def logit(share: float) -> float:
    """ln(p / (1 - p)), clipped to the range of confidences."""
    share = min(max(share, EXTREME), 1.0 - EXTREME)
    return log(share / (1.0 - share))


def fit_families(findings: Iterable[WeighedFinding]) -> dict[str, Curve]:
    """Fit a curve for each family of codes."""
    by_family: dict[str, list[Prediction]] = {}
    for one in findings:
        by_family.setdefault(one.family, []).append(one.prediction)
    return {family: fit_curve(by_family[family]) for family in sorted(by_family)}


def fit_curve(claims: Sequence[Prediction]) -> Curve:
    """The sigmoid with the highest likelihood and the ridge prior, by Newton's method.

    All findings together weigh as many as there are recordings with such findings: errors are correlated, as where a
    deck's backs are not seen, so ten from one recording add little to one.
    """
    true = sum(claim.is_true for claim in claims)
    x = np.array([[logit(claim.confidence), 1.0] for claim in claims]).reshape(-1, 2)
    wanted = np.array([float(claim.is_true) for claim in claims])
    counts = len({claim.recording for claim in claims}) / max(len(claims), 1)
    plain, ridge = np.array([1.0, 0.0]), np.diag(np.array(SPREADS) ** -2.0)

    def loss(at: Floats) -> float:
        logits = x @ at
        surprise = counts * np.sum(np.logaddexp(0.0, logits) - wanted * logits)
        return float(surprise + (at - plain) @ ridge @ (at - plain) / 2.0)

    at = plain
    for _ in range(STEPS):
        said = 1.0 / (1.0 + np.exp(-(x @ at)))
        slope = counts * x.T @ (said - wanted) + ridge @ (at - plain)
        curvature = counts * (x * (said * (1.0 - said))[:, None]).T @ x + ridge
        step = np.linalg.solve(curvature, slope)
        while loss(at - step) > loss(at) + 1e-9:
            step = step / 2.0
        at = at - step
    return Curve(slope=max(float(at[0]), LEAST_SLOPE), offset=float(at[1]), findings=len(claims), true=true)


def calibrated(findings: Iterable[WeighedFinding], curves: Mapping[str, Curve]) -> list[Prediction]:
    """The findings with calibrated confidence."""
    return [
        Prediction(
            confidence=curves.get(one.family, Curve()).confidence(one.prediction.confidence),
            is_true=one.prediction.is_true,
            recording=one.prediction.recording,
            is_clean=one.prediction.is_clean,
        )
        for one in findings
    ]


def calibrated_by_others(findings: Sequence[WeighedFinding]) -> list[Prediction]:
    """Cross-validation: each recording's findings, calibrated by curves fitted to the other recordings."""
    told: list[Prediction] = []
    for name in sorted({one.prediction.recording for one in findings}):
        others = [one for one in findings if one.prediction.recording != name]
        told += calibrated([one for one in findings if one.prediction.recording == name], fit_families(others))
    return told


def fit_tail(claims: Sequence[Prediction], hours: float) -> Tail:
    """The tail of false findings, from the lowest threshold without one in clean play.

    Its rate is the upper bound for a count of zero. Its scale is the mean excess in logits over that threshold of all
    false findings, including play full of faults, and one more.
    """
    false = [each for each in claims if not each.is_true]
    line = next((line for line in LINES if not _counted(false, line)), LINES[-1])
    over = [logit(each.confidence) - logit(line) for each in false if each.confidence >= line]
    scale = (sum(over) + 1.0) / (len(over) + 1.0)
    return Tail(from_line=line, rate=_rate(_counted(false, line), hours), scale=scale, n=len(over))


def line_rates(claims: Sequence[Prediction], tail: Tail, hours: float) -> list[LineRate]:
    """The result of each threshold: counted while there are any, then by the tail; never rising with the threshold."""
    rates: list[LineRate] = []
    n_true = sum(each.is_true for each in claims)
    for line in LINES:
        told = [each for each in claims if each.confidence >= line]
        counted = _counted(told, line)
        rate = _rate(counted, hours) if counted else tail.at(line)
        rate = min(rate, rates[-1].rate) if rates else rate
        found = sum(each.is_true for each in told) / n_true if n_true else None
        rates.append(LineRate(line=line, counted=counted, rate=rate, is_tail=not counted, found=found))
    return rates


def _rate(counted: int, hours: float) -> float:
    """The rate that nine in ten houses do not exceed (exact Poisson), so that a house gets at most what it
    asked for."""
    return poisson_interval(counted, CAREFUL_SHARE)[1] / hours


def _counted(claims: Iterable[Prediction], line: float) -> int:
    """The number of false findings in clean play from that threshold on."""
    return sum(each.is_clean and not each.is_true and each.confidence >= line for each in claims)
