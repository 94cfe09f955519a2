"""Estimate how often cards are read wrongly at this table, without labels.

What is known beforehand: how often a face was wrong that was reported so surely, on recordings whose truth is known,
and by how much that differs from table to table (`card_error.yaml`, written by `fit_card_error`). The odds that card i
is wrong are

    theta * (scale * q_i / (1 - q_i) + floor)

with q_i the reader's own doubt and theta the table's factor, log-normal with spread sigma. What this table adds: rounds
that contradict themselves. A misread card is noticed in a share of its misreadings that is counted exactly
(`consistency`), times the share of the reader's doubt that changes what the card counts. Dealers err too: where the
referee, who weighs both, is so sure that the dealer did, only the rest speaks for a card. Theta is weighed on a grid,
and each grid point gives the distribution of the number of wrong cards exactly (Poisson-binomial). Intervals hold the
smallest set of numbers that has 95 %, so they are intervals of the error of the cards that were filmed, not of cards to
come. Shares are 0 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray
from scipy.stats import norm

from thirdcard.service.commission.consistency import OF_FACES, OF_PLACES, CheckedRound
from thirdcard.service.evaluate.cards import FollowedCard

CARD_ERROR = Path(__file__).with_name("card_error.yaml")
SURE = 0.99
"""A face told at least so surely counts as read surely: of those in the recordings of `card_error.yaml` as good as none
was wrong, and what is judged without a doubt rests on them."""
LEVEL = 0.95
LEAST_DOUBT = 5e-5
"""The log rounds to four places."""
SPREAD_POINTS, SPREAD_SIGMAS = 61, 4.0
"""The grid over theta; twice as many points change no interval."""
LEAST_BLAME, MOST_BLAME = 0.05, 0.9999
"""How sure a referee is at least, and at most, that a dealer erred in a round that contradicts itself: what is less
sure he does not tell (`REVIEW_LINE`), and no look is surer (`EXTREME`)."""
TINY = 1e-12
"""Stands for what no single card explains, so that nothing is divided by zero."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardErrorPrior:
    """What recordings with truth showed."""

    scale: float
    floor: float
    """Odds that a face is wrong, or lies where none is, that was reported without any doubt."""
    sigma: float
    """Spread of the logarithm of the table's factor."""
    value_share: float
    """The share of misreadings that change what the card counts, where the reader does not say."""
    misplaced: float
    """The share of cards that were not found, or in another hand."""

    def odds(self, doubts: Floats) -> Floats:
        """(n,) odds that the faces are wrong at an average table, by (n,) doubts of the reader."""
        doubt = np.maximum(doubts, LEAST_DOUBT)
        return np.asarray(self.scale * doubt / (1.0 - np.minimum(doubt, 0.999)) + self.floor, np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorEstimate:
    """An error with its interval."""

    of: int
    """How many cards, or rounds, it is a share of."""
    expected: float
    """None wrong is 0; 0 where there are none."""
    low: float
    high: float

    def holds(self, share: float) -> bool:
        """Whether a share lies in the interval."""
        return self.low - 1e-9 <= share <= self.high + 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class CardErrors:
    """What is estimated of one table."""

    sure: ErrorEstimate
    """Faces that were reported surely and are not so, a card told surely."""
    cards: ErrorEstimate
    """Cards that lay open and were reported wrongly, left unread or not found, a card."""
    rounds: ErrorEstimate
    """Rounds of which a card was reported wrongly, left unread or not found, a round."""
    table_factor: float
    """How many times as often as on average this table's faces are wrong, as far as its rounds tell."""


@cache
def shipped_prior() -> CardErrorPrior:
    """That of `card_error.yaml`."""
    written = yaml.safe_load(CARD_ERROR.read_text(encoding="utf-8"))
    return CardErrorPrior(**written["prior"])


def estimate_errors(rounds: Sequence[CheckedRound], prior: CardErrorPrior | None = None) -> CardErrors:
    """Estimate from the rounds that were watched, with the shipped prior unless another is given."""
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
    """What one round says of its cards; arrays are (n,)."""

    odds: Floats
    """That each face is wrong, at an average table."""
    noticed: Floats
    """The share of each card's misreadings that turn the round; 0 where nothing was compared."""
    misplaced: Floats
    """The chance of each card that it, or one beside it, was not found or lies in another hand."""
    contradicts: bool
    other: float
    """How what is no misread card weighs, the dealer's erring or a misplaced card; 0 where the round agrees."""

    @classmethod
    def of(cls, played: CheckedRound, prior: CardErrorPrior) -> _RoundDoubts:
        """Of a round that agrees no card is misplaced: that would break the drawing, or the number or order."""
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
        """(g, n) the chance that each face is wrong before the round is looked at."""
        odds = thetas[:, None] * self.odds[None, :]
        return np.asarray(odds / (1.0 + odds), np.float64)

    def likelihood(self, thetas: Floats) -> Floats:
        """(g,) how likely it is that the round agrees, or contradicts itself, as it does; up to a factor."""
        turned = self.before(thetas) * self.noticed
        if self.contradicts:
            return np.asarray(turned.sum(axis=1) + self.other, np.float64)
        return np.asarray(np.prod(1.0 - turned, axis=1), np.float64)

    def wrong(self, thetas: Floats) -> Floats:
        """(g, n), by Bayes: a card that is wrong turns the round in the share of its misreadings that was counted."""
        before = self.before(thetas)
        turned = before * self.noticed
        if not self.contradicts:
            return np.asarray((before - turned) / (1.0 - turned), np.float64)
        every = turned.sum(axis=1, keepdims=True) + self.other
        return np.asarray(np.minimum(1.0, (turned + self.other * before) / every), np.float64)


@dataclass(frozen=True, slots=True)
class _Grid:
    """The table's factors, weighed by what its rounds show."""

    rounds: tuple[_RoundDoubts, ...]
    thetas: Floats
    weights: Floats
    """(g,) sum 1."""

    @classmethod
    def of(cls, rounds: Sequence[CheckedRound], prior: CardErrorPrior) -> _Grid:
        """Log-normal before the rounds are looked at."""
        steps = np.linspace(-SPREAD_SIGMAS, SPREAD_SIGMAS, SPREAD_POINTS)
        thetas = np.exp(prior.sigma * steps)
        doubts = tuple(_RoundDoubts.of(played, prior) for played in rounds)
        logs = norm.logpdf(steps) + sum((np.log(each.likelihood(thetas)) for each in doubts), np.zeros(len(steps)))
        weights = np.exp(logs - logs.max())
        return cls(doubts, thetas, np.asarray(weights / weights.sum()))

    def wrong_by_card(self) -> Floats:
        """(g, n) the chance of each card's face being wrong, given what its round shows."""
        return self._joined([each.wrong(self.thetas) for each in self.rounds])

    def misplaced_by_card(self) -> Floats:
        """(g, n) the chance that each card was not found, or in another hand."""
        return self._joined([np.tile(each.misplaced, (len(self.thetas), 1)) for each in self.rounds])

    def _joined(self, parts: Sequence[Floats]) -> Floats:
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(self.thetas), 0))


def _doubt(confidence: float | None) -> float:
    return 1.0 - confidence if confidence is not None else 0.0


def _value_shares(cards: Sequence[FollowedCard], odds: Floats, prior: CardErrorPrior) -> Floats:
    """(n,) the share of each card's misreadings that change what it counts: the reader's own doubt of that, and, of
    misreadings without any doubt, that of all misreadings."""
    doubts = [_doubt(card.confidence if card.value_confidence is None else card.value_confidence) for card in cards]
    doubt = np.minimum(np.array(doubts), 0.999)
    value_odds = prior.scale * doubt / (1.0 - doubt) + prior.floor * prior.value_share
    return np.asarray(np.minimum(1.0, value_odds / odds), np.float64)


def _by_round(rounds: Sequence[CheckedRound], failed: Floats) -> Floats:
    """(g, rounds) the chance that a card of the round failed, by (g, n) that of each card."""
    ends = np.cumsum([len(played.cards) for played in rounds])[:-1]
    parts = np.split(failed, ends, axis=1) if rounds else []
    chances = [1.0 - np.prod(1.0 - part, axis=1) for part in parts]
    return np.stack(chances, axis=1) if chances else np.zeros((len(failed), 0))


def _share(chances: Floats, weights: Floats) -> ErrorEstimate:
    """The share of things that happen with (g, n) chances, g weighed cases, with its interval."""
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
