"""Estimate how often cards are read wrongly at this table, without labels.

The prior comes from recordings with known truth: how often a face with a given confidence was wrong, and how much that
differs between tables (`card_error.yaml`, written by `fit_card_error`). The odds that card i is wrong are

    theta * (scale * q_i / (1 - q_i) + floor)

with q_i the reader's own doubt, and theta the table's factor, log-normal with spread sigma. The table's evidence are
rounds that contradict themselves. Of a card's possible misreadings a share, counted exactly (`consistency`), would make
its round contradict itself; it is multiplied by the share of the reader's doubt that changes the card's value. Dealers
err too: where the referee is confident that the dealer erred, only the remaining probability points to a card. Theta is
weighed on a grid, and each grid point gives the distribution of the number of wrong cards exactly (Poisson-binomial).
An interval is the smallest set of numbers with 95 %, so it is about the filmed cards, not about future ones. Shares are
0 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from thirdcard.service.commission.consistency import OF_FACES, OF_PLACES, CheckedRound
from thirdcard.service.evaluate.cards import FollowedCard

CARD_ERROR = Path(__file__).with_name("card_error.yaml")
SURE = 0.998
"""The confidence from which on a face counts as read with certainty: of the faces of `card_error.yaml` that were read
with less, 0.99 to 0.998, one in fifty was wrong, of the others one in two thousand."""
LEVEL = 0.95
LEAST_DOUBT = 5e-5
"""The smallest doubt: the log rounds to four decimals."""
SPREAD_POINTS, SPREAD_SIGMAS = 61, 4.0
"""The grid over theta; doubling the points changes no interval."""
LEAST_BLAME, MOST_BLAME = 0.05, 0.9999
"""The bounds of the referee's confidence that the dealer erred in a contradictory round: below it the finding is not
reported (`AlertPolicy.review_from`), and no reading is more certain than the upper one (`EXTREME`)."""
TINY = 1e-12
"""The weight of explanations other than a single card, so that nothing is divided by zero."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardErrorPrior:
    """The prior, fitted to recordings with known truth."""

    scale: float
    floor: float
    """Odds that a face that was read without doubt is wrong, or that no card lies there."""
    sigma: float
    """Standard deviation of the logarithm of the table's factor."""
    value_share: float
    """The share of misreadings that change the point value, where the reader does not estimate it."""
    misplaced: float
    """The share of cards that were not found, or were placed in another hand."""

    def odds(self, doubts: Floats) -> Floats:
        """(n,) odds that the faces are wrong at an average table, from the reader's (n,) doubts."""
        doubt = np.maximum(doubts, LEAST_DOUBT)
        return np.asarray(self.scale * doubt / (1.0 - np.minimum(doubt, 0.999)) + self.floor, np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorEstimate:
    """An error share with its interval."""

    of: int
    """The number of cards or rounds that it refers to."""
    expected: float
    """The expected share, 0 to 1; 0 where there are no cards."""
    low: float
    high: float

    def holds(self, share: float) -> bool:
        """Whether a share lies in the interval."""
        return self.low - 1e-9 <= share <= self.high + 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class CardErrors:
    """The estimated errors of one table."""

    sure: ErrorEstimate
    """Wrong faces among those read with certainty."""
    cards: ErrorEstimate
    """Wrong, unread or undetected cards among those that lay open."""
    rounds: ErrorEstimate
    """Rounds with a wrong, unread or undetected card."""
    table_factor: float
    """The ratio of this table's face error rate to the average, judged by its rounds."""


@cache
def shipped_prior() -> CardErrorPrior:
    """The prior of `card_error.yaml`."""
    written = yaml.safe_load(CARD_ERROR.read_text(encoding="utf-8"))
    return CardErrorPrior(**written["prior"])


def estimate_errors(rounds: Sequence[CheckedRound], prior: CardErrorPrior | None = None) -> CardErrors:
    """Estimate the errors from the watched rounds; None uses the shipped prior."""
    known = shipped_prior() if prior is None else prior
    grid = _Grid.of(rounds, known)
    cards = [card for played in rounds for card in played.cards]
    wrong = grid.wrong_by_card()
    told = np.array([card.face is not None for card in cards], bool)
    sure = told & np.array([(card.confidence or 0.0) >= SURE for card in cards], bool)
    unread = np.array([card.face is None and card.was_shown for card in cards], bool)
    counted = told | unread
    failed = 1.0 - (1.0 - np.where(unread, 1.0, wrong)) * (1.0 - grid.misplaced_by_card())
    return CardErrors(
        sure=_share(wrong[:, sure], grid.weights),
        cards=_share(failed[:, counted], grid.weights),
        rounds=_share(_by_round(rounds, np.where(counted, failed, 0.0)), grid.weights),
        table_factor=float(np.exp(grid.weights @ np.log(grid.thetas))),
    )


@dataclass(frozen=True, slots=True)
class _RoundDoubts:
    """The evidence of one round about its cards; arrays are (n,)."""

    odds: Floats
    """The odds that each face is wrong at an average table."""
    noticed: Floats
    """For each card: the share of its misreadings that would change whether the round agrees; 0 without a
    comparison."""
    misplaced: Floats
    """For each card: the probability that it, or one beside it, was not found or lies in another hand."""
    contradicts: bool
    other: float
    """The weight of explanations other than a misread card: a dealer's error or a misplaced card; 0 where the round
    agrees."""

    @classmethod
    def of(cls, played: CheckedRound, prior: CardErrorPrior) -> _RoundDoubts:
        """The evidence of a round. In one that agrees no card is misplaced: that would break the drawing, number or
        order."""
        odds = prior.odds(np.array([_doubt(card.confidence) for card in played.cards]))
        noticed = _value_shares(played.cards, odds, prior) * np.array(played.turns)
        of_faces, of_places = bool(played.contradictions & OF_FACES), bool(played.contradictions & OF_PLACES)
        places = np.full(len(odds), 0.0 if played.is_judged and not of_places else prior.misplaced)
        if not (of_faces or of_places):
            return cls(odds, noticed, places, False, 0.0)
        blame = min(max(played.dealer, LEAST_BLAME), MOST_BLAME)
        noticed = noticed if of_faces and played.is_judged else np.zeros(len(odds))
        explained = float((noticed * odds / (1.0 + odds)).sum()) + float(places.sum()) * of_places
        other = explained * blame / (1.0 - blame) + float(places.sum()) * of_places
        if of_places:
            places = places * (1.0 - blame) / explained
        return cls(odds, noticed, places, of_faces and played.is_judged, max(other, TINY))

    def before(self, thetas: Floats) -> Floats:
        """(g, n) prior probability that each face is wrong, for each theta."""
        odds = thetas[:, None] * self.odds[None, :]
        return np.asarray(odds / (1.0 + odds), np.float64)

    def likelihood(self, thetas: Floats) -> Floats:
        """(g,) likelihood that the round agrees or contradicts itself as it does, up to a factor."""
        turned = self.before(thetas) * self.noticed
        if self.contradicts:
            return np.asarray(turned.sum(axis=1) + self.other, np.float64)
        return np.asarray(np.prod(1.0 - turned, axis=1), np.float64)

    def wrong(self, thetas: Floats) -> Floats:
        """(g, n) posterior probability that each face is wrong, by Bayes' rule."""
        before = self.before(thetas)
        turned = before * self.noticed
        if not self.contradicts:
            return np.asarray((before - turned) / (1.0 - turned), np.float64)
        every = turned.sum(axis=1, keepdims=True) + self.other
        return np.asarray(np.minimum(1.0, (turned + self.other * before) / every), np.float64)


@dataclass(frozen=True, slots=True)
class _Grid:
    """The grid of table factors with their posterior weights."""

    rounds: tuple[_RoundDoubts, ...]
    thetas: Floats
    weights: Floats
    """(g,), sum 1."""

    @classmethod
    def of(cls, rounds: Sequence[CheckedRound], prior: CardErrorPrior) -> _Grid:
        """The grid for these rounds, from a log-normal prior."""
        steps = np.linspace(-SPREAD_SIGMAS, SPREAD_SIGMAS, SPREAD_POINTS)
        thetas = np.exp(prior.sigma * steps)
        doubts = tuple(_RoundDoubts.of(played, prior) for played in rounds)
        logs = -(steps**2) / 2 + sum((np.log(each.likelihood(thetas)) for each in doubts), np.zeros(len(steps)))
        weights = np.exp(logs - logs.max())
        return cls(doubts, thetas, np.asarray(weights / weights.sum()))

    def wrong_by_card(self) -> Floats:
        """(g, n) probability that each card's face is wrong, given its round."""
        return self._joined([each.wrong(self.thetas) for each in self.rounds])

    def misplaced_by_card(self) -> Floats:
        """(g, n) probability that each card was not found, or lies in another hand."""
        return self._joined([np.tile(each.misplaced, (len(self.thetas), 1)) for each in self.rounds])

    def _joined(self, parts: Sequence[Floats]) -> Floats:
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(self.thetas), 0))


def _doubt(confidence: float | None) -> float:
    return 1.0 - confidence if confidence is not None else 0.0


def _value_shares(cards: Sequence[FollowedCard], odds: Floats, prior: CardErrorPrior) -> Floats:
    """(n,) share of each card's misreadings that change its point value, from the reader's doubts and the prior."""
    doubts = [_doubt(card.confidence if card.value_confidence is None else card.value_confidence) for card in cards]
    doubt = np.minimum(np.array(doubts), 0.999)
    value_odds = prior.scale * doubt / (1.0 - doubt) + prior.floor * prior.value_share
    return np.asarray(np.minimum(1.0, value_odds / odds), np.float64)


def _by_round(rounds: Sequence[CheckedRound], failed: Floats) -> Floats:
    """(g, rounds) probability that a card of the round failed, from the (g, n) probabilities of the cards."""
    ends = np.cumsum([len(played.cards) for played in rounds])[:-1]
    parts = np.split(failed, ends, axis=1) if rounds else []
    chances = [1.0 - np.prod(1.0 - part, axis=1) for part in parts]
    return np.stack(chances, axis=1) if chances else np.zeros((len(failed), 0))


def _share(chances: Floats, weights: Floats) -> ErrorEstimate:
    """The share of events with (g, n) probabilities under (g,) weights, with its interval."""
    n = chances.shape[1]
    if n == 0:
        return ErrorEstimate(of=0, expected=0.0, low=0.0, high=1.0)
    counts = np.zeros((len(weights), n + 1))
    counts[:, 0] = 1.0
    for i in range(n):
        counts[:, 1:] = counts[:, 1:] * (1.0 - chances[:, i, None]) + counts[:, :-1] * chances[:, i, None]
        counts[:, 0] *= 1.0 - chances[:, i]
    chance = weights @ counts
    expected = float(weights @ chances.sum(axis=1)) / n
    kept = np.sort(np.argsort(-chance, kind="stable")[: 1 + int(np.searchsorted(np.cumsum(-np.sort(-chance)), LEVEL))])
    return ErrorEstimate(
        of=n, expected=expected, low=min(float(kept[0]) / n, expected), high=max(float(kept[-1]) / n, expected)
    )
