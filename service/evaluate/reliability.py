"""Reliability: how often predictions were true, by confidence, with intervals, and for every alert threshold.

A prediction is an alert, a doubtful finding, or the likeliest cards of a round. Shares are 0 to 1. Expected calibration
error: M. P. Naeini, G. F. Cooper, M. Hauskrecht, Obtaining well calibrated probabilities, AAAI 2015.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from thirdcard.rules.game.cards import parse_card
from thirdcard.service.evaluate.accounts import Incident, RoundAccount, TableAccount
from thirdcard.service.evaluate.cards import pair_by_time
from thirdcard.service.evaluate.matching import Matching, match, ratio
from thirdcard.service.evaluate.rates import HourlyRate

EDGES = (0.05, 0.6, 0.8, 0.95, 0.99, 0.999)
"""The lower edges of the confidence bands."""
LINES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
LEVEL = 0.95
DRAWS = 2000
"""Draws of the bootstrap."""
_SEED = 11

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """A prediction with its confidence, and whether it was true."""

    confidence: float
    is_true: bool
    recording: str
    is_clean: bool = False
    """Whether its recording has no fault."""
    code: str | None = None
    """The code of a finding; None for a round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictions:
    """The predictions of one recording, or of several."""

    findings: tuple[Prediction, ...] = ()
    rounds: tuple[Prediction, ...] = ()
    rounds_unread: int = 0
    """Rounds with an unread card, for which there is no prediction."""

    def __add__(self, other: Predictions) -> Predictions:
        return Predictions(
            findings=self.findings + other.findings,
            rounds=self.rounds + other.rounds,
            rounds_unread=self.rounds_unread + other.rounds_unread,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedPlay:
    """Play, and all that was predicted about it."""

    predictions: Predictions
    n_true: int
    """The number of true faults."""
    clean_rounds: int
    """Rounds of recordings without any fault."""
    rounds: int
    """Rounds of all recordings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SurenessBand:
    """The predictions with a confidence in one band."""

    from_share: float
    to_share: float
    claims: tuple[Prediction, ...] = ()

    @property
    def true(self) -> int:
        """The number of true ones."""
        return sum(claim.is_true for claim in self.claims)

    @property
    def share(self) -> float | None:
        """The share of true ones; None where there are none."""
        return ratio(self.true, len(self.claims))

    @property
    def said(self) -> float | None:
        """Their mean confidence; None where there are none."""
        return ratio(sum(claim.confidence for claim in self.claims), len(self.claims))

    @property
    def interval(self) -> Interval | None:
        """Wilson's 95 % interval of the share; None where there are none."""
        return wilson(self.true, len(self.claims)) if self.claims else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LineFigures:
    """The results of one alert threshold."""

    line: float
    found: int
    n_true: int
    false: int
    """In all recordings."""
    hourly: HourlyRate
    """False alerts in clean play; in all play where no recording is clean."""


def claims_of(name: str, truth: TableAccount, found: TableAccount, alerts: Matching) -> Predictions:
    """The predictions of a recording: alerts as paired with the truth, doubtful findings paired with the rest."""
    doubts = match(alerts.missed, found.doubtful, truth.tolerated)
    findings = [
        Prediction(
            confidence=one.confidence, is_true=is_true, recording=name, is_clean=not truth.incidents, code=one.code
        )
        for one, is_true in (*_judged(alerts), *_judged(doubts))
        if one.confidence is not None
    ]
    rounds, unread = _round_claims(name, truth.rounds, found.rounds)
    return Predictions(findings=tuple(findings), rounds=tuple(rounds), rounds_unread=unread)


def bands(claims: Iterable[Prediction]) -> list[SurenessBand]:
    """The predictions by confidence band; those below the first edge are left out."""
    claims, ends = list(claims), [*EDGES[1:], 1.0]
    return [
        SurenessBand(
            from_share=low,
            to_share=high,
            claims=tuple(each for each in claims if low <= each.confidence and (each.confidence < high or high == 1.0)),
        )
        for low, high in zip(EDGES, ends, strict=True)
    ]


def calibration_error(claims: Sequence[Prediction]) -> float | None:
    """The expected calibration error: the sum over bands of n_b / n * |mean confidence_b - share true_b|."""
    told = [each for each in claims if each.confidence >= EDGES[0]]
    if not told:
        return None
    said, true, which = _arrays(told)
    return float(_errors(np.ones((1, len(told))), said, true, which)[0])


def calibration_interval(claims: Sequence[Prediction]) -> Interval | None:
    """Its 95 % interval by a bootstrap over recordings; None for fewer than two.

    Whole recordings are drawn because errors are correlated: one misread card makes several findings.
    """
    told = [each for each in claims if each.confidence >= EDGES[0]]
    names = sorted({each.recording for each in told})
    if len(names) < 2:
        return None
    said, true, which = _arrays(told)
    place = np.array([names.index(each.recording) for each in told])
    drawn = np.random.default_rng(_SEED).multinomial(len(names), np.full(len(names), 1 / len(names)), DRAWS)
    low, high = np.quantile(_errors(drawn[:, place].astype(float), said, true, which), [0.025, 0.975])
    return float(low), float(high)


def line_figures(play: PredictedPlay) -> list[LineFigures]:
    """The results of every threshold."""
    return [line_figure(line, play) for line in LINES]


def line_figure(line: float, play: PredictedPlay) -> LineFigures:
    """The results of one threshold."""
    told = [each for each in play.predictions.findings if each.confidence >= line]
    false = [each for each in told if not each.is_true]
    in_clean = sum(each.is_clean for each in false)
    return LineFigures(
        line=line,
        found=len(told) - len(false),
        n_true=play.n_true,
        false=len(false),
        hourly=HourlyRate(count=in_clean, rounds=play.clean_rounds)
        if play.clean_rounds
        else HourlyRate(count=len(false), rounds=play.rounds),
    )


def wilson(hits: int, trials: int) -> Interval:
    """The 95 % interval of a share (E. B. Wilson, Probable inference, JASA 22, 1927)."""
    found = binomtest(hits, trials).proportion_ci(LEVEL, method="wilson")
    return float(found.low), float(found.high)


def _judged(matching: Matching) -> list[tuple[Incident, bool]]:
    return [*((hit.found, True) for hit in matching.hits), *((one, False) for one in matching.false)]


def _round_claims(
    name: str, truth: Sequence[RoundAccount], found: Sequence[RoundAccount]
) -> tuple[list[Prediction], int]:
    """The predictions for whole rounds, and the number of rounds without one; cards of equal value count as equal."""
    played = [each for each in found if each.player or each.banker]
    partners = pair_by_time(
        [(each.opened, each.closed) for each in truth], [(each.opened, each.closed) for each in played]
    )
    true_of = {j: truth[i] for i, each in enumerate(partners) for j in each if len(each) == 1}
    claims = []
    for j, said in enumerate(played):
        true = true_of.get(j)
        cards = [*said.player, *said.banker, *(() if true is None else (*true.player, *true.banker))]
        if None not in cards:
            is_true = true is not None and _values(said) == _values(true)
            claims.append(Prediction(confidence=said.probability, is_true=is_true, recording=name))
    return claims, len(played) - len(claims)


def _values(account: RoundAccount) -> list[list[int]]:
    hands = (account.player, account.banker)
    return [[parse_card(card).point_value for card in hand if card is not None] for hand in hands]


def _arrays(claims: Sequence[Prediction]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """(n,) confidences, (n,) whether true, (n,) band index."""
    said = np.array([each.confidence for each in claims])
    return said, np.array([float(each.is_true) for each in claims]), np.digitize(said, EDGES[1:])


def _errors(
    times: NDArray[np.float64], said: NDArray[np.float64], true: NDArray[np.float64], which: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(draws,) calibration errors; `times` is (draws, n), how often each prediction was drawn."""
    gaps = [np.abs(times[:, which == band] @ (said - true)[which == band]) for band in range(len(EDGES))]
    return np.asarray(np.sum(gaps, axis=0) / np.maximum(times.sum(axis=1), 1.0), np.float64)
