"""Decide which card lies at each place of a row, from the reader's answers and from the usual sequence.

A row is expected to run through given sequences of labels, each up or down, one after the other. A deviation has a
fixed cost and is reported as it is: the prior helps with a doubtful reading and never overrides a clear one. Where it
is not clear which edges of a row begin a card, the same prior helps to choose them. Knows labels and sequences, not
what they mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.spread.spread_strips import log_gap

LOG_SKIPPED = float(np.log(0.004))
"""Log probability of leaving out a label."""
LOG_AGAIN = float(np.log(0.003))
"""Log probability of a label that comes twice."""
LOG_STRANGE = float(np.log(0.008))
"""Log probability of a place that shows none of the labels."""
LOG_ANY = float(np.log(1e-6))
"""Log probability of any other step."""
MOST_SKIPPED = 6
"""Labels left out in one place that are priced one by one; beyond that the cost is constant. It reaches its limit
(LOG_ANY x 1.5) from the fourth on."""
STRANGE_LOG_PROB = -1.7
"""Assumed log probability of a face that is none of the labels."""
WORST_LOG_PROB = -9.0
"""Lower limit of a reading's log probability for any label."""
LEAST_GAP, MOST_GAP = 0.3, 2.7
"""Allowed distances of neighbours, in units of the usual one."""

Logs = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RowPlace:
    """The result at one place of a row."""

    label: int | None
    """The most likely label; None where it is none of them."""
    confidence: float
    """0 to 1: of the label, or of being none of them."""
    expected: int
    """The label that the sequence expects there, if it shows none of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Succession:
    """Log probabilities of first labels and of successors.

    A state is (label at run r and step i, direction, strange or not).
    """

    first: Logs
    """(S,)"""
    following: Logs
    """(S, S) from, to."""
    label: NDArray[np.int64]
    """(S,) the label of each state."""
    is_strange: NDArray[np.bool_]
    """(S,)"""


def succession(runs: Sequence[Sequence[int]]) -> Succession:
    """Return the model of rows that go through each run from one end to the other, with the runs in any order.

    Args:
        runs: Labels in sequence.
    """
    steps = [(run, i, down) for run in range(len(runs)) for down in (False, True) for i in range(len(runs[run]))]
    size = len(steps)
    following = np.full((size, size), LOG_ANY)
    ways = 2 * max(len(runs) - 1, 1)
    first = np.full(size, LOG_ANY)
    for a, (run, i, down) in enumerate(steps):
        length = len(runs[run])
        if i < MOST_SKIPPED:
            first[a] = i * LOG_SKIPPED - np.log(2.0 * len(runs))
        for b, (other, j, other_down) in enumerate(steps):
            if run == other and down == other_down and j >= i:
                skipped = j - i - 1
                following[a, b] = LOG_AGAIN if skipped < 0 else _log_skipped(skipped)
            elif run != other:
                following[a, b] = _log_skipped(length - 1 - i + j) - np.log(float(ways))
    label = np.array([runs[run][len(runs[run]) - 1 - i if down else i] for run, i, down in steps])
    both = np.block([[following, following + LOG_STRANGE], [following, following + LOG_STRANGE]])
    return Succession(
        np.concatenate([first, first + LOG_STRANGE]),
        both,
        np.concatenate([label, label]),
        np.repeat([False, True], size),
    )


def any_order(labels: int) -> Succession:
    """Return a model in which every label is equally likely at every place: cards that are not in order."""
    first = np.concatenate([np.full(labels, -np.log(labels)), np.full(labels, LOG_STRANGE - np.log(labels))])
    index = np.arange(labels)
    is_strange = np.repeat([False, True], labels)
    return Succession(first, np.tile(first, (2 * labels, 1)), np.concatenate([index, index]), is_strange)


def emissions(log_probs: Logs, given: Succession, strange: Logs) -> Logs:
    """Return the log probability of each place's reading in each state, (N, S).

    Args:
        log_probs: (N, labels) from a reader.
        given: The states.
        strange: (N,) log probability of the reading if it were none of the labels.
    """
    clipped = np.maximum(log_probs, WORST_LOG_PROB)
    return np.where(given.is_strange[None], strange[:, None], clipped[:, given.label])


def decode_row(log_probs: Logs, given: Succession, strange: Logs) -> tuple[list[RowPlace], float]:
    """Return what lies at each place, and the log probability of all readings (forward and backward sums).

    alpha_n(s) = e_n(s) + log sum_r exp(alpha_{n-1}(r) + following(r, s)), and beta likewise from the end.
    """
    told = emissions(log_probs, given, strange)
    count = len(told)
    if not count:
        return [], 0.0
    alpha, beta = np.empty_like(told), np.zeros_like(told)
    alpha[0] = given.first + told[0]
    for n in range(1, count):
        alpha[n] = told[n] + _log_sum(alpha[n - 1][:, None] + given.following, axis=0)
    for n in range(count - 2, -1, -1):
        beta[n] = _log_sum(given.following + (told[n + 1] + beta[n + 1])[None], axis=1)
    total = float(_log_sum(alpha[-1][None], axis=1)[0])
    posterior = np.exp(alpha + beta - total)
    return [_place(row, given) for row in posterior], total


def _place(posterior: Logs, given: Succession) -> RowPlace:
    labels = int(given.label.max()) + 1
    genuine, odd = ~given.is_strange, given.is_strange
    of_label = np.bincount(given.label[genuine], posterior[genuine], minlength=labels)
    of_strange = np.bincount(given.label[odd], posterior[odd], minlength=labels)
    strange, best = float(of_strange.sum()), int(of_label.argmax())
    if strange > float(of_label[best]):
        return RowPlace(None, strange, int(of_strange.argmax()))
    return RowPlace(best, float(of_label[best]), best)


def _log_skipped(skipped: int) -> float:
    """Return the log probability of leaving out `skipped` labels, limited from the fourth on."""
    return max(skipped * LOG_SKIPPED, LOG_ANY * 1.5) if skipped <= MOST_SKIPPED else LOG_ANY * 1.5


def _log_sum(logs: Logs, *, axis: int) -> Logs:
    top = logs.max(axis=axis, keepdims=True)
    total = np.log(np.exp(logs - top).sum(axis=axis, keepdims=True)) + top
    return np.asarray(total.squeeze(axis), np.float64)


def cut_row(
    u_mm: Logs, edge_score: Logs, told: Logs, given: Succession, *, pitch_mm: float, is_last: NDArray[np.bool_]
) -> tuple[list[int], float]:
    """Return the indices of the edges at which cards begin, in order, and the score of that choice (Viterbi's method).

    Args:
        u_mm: (N,) where cards may begin, in the order in which the cards follow each other.
        edge_score: (N,) log odds.
        told: (N, S) the readings at each of them, as `emissions` returns them.
        given: The model of the sequence.
        pitch_mm: The usual distance.
        is_last: (N,) whether the row's last card may begin there.
    """
    count, states = told.shape
    best = np.full((count, states), -np.inf)
    came_from = np.full((count, states), -1, np.int32)
    best[0] = edge_score[0] + given.first + told[0]
    way = u_mm - u_mm[0] if len(u_mm) and u_mm[-1] >= u_mm[0] else u_mm[0] - u_mm
    for n in range(1, count):
        gaps = way[n] - way[:n]
        near = np.flatnonzero((gaps > LEAST_GAP * pitch_mm) & (gaps < MOST_GAP * pitch_mm))
        near = near[np.isfinite(best[near].max(axis=1, initial=-np.inf))]
        if not len(near):
            continue
        priced = best[near] + log_gap(gaps[near], pitch_mm)[:, None]
        top, who = priced.max(axis=0), near[priced.argmax(axis=0)]
        steps = top[:, None] + given.following
        before = steps.argmax(axis=0)
        best[n] = edge_score[n] + told[n] + steps[before, np.arange(states)]
        came_from[n] = (who[before] * states + before).astype(np.int32)
    return _way_back(best, came_from, is_last)


def _way_back(best: Logs, came_from: NDArray[np.int32], is_last: NDArray[np.bool_]) -> tuple[list[int], float]:
    states = best.shape[1]
    ends = np.where(is_last[:, None], best, -np.inf)
    if not np.isfinite(ends.max()):
        ends = np.where(np.isfinite(best), best, -np.inf)
    at, state = np.unravel_index(int(ends.argmax()), ends.shape)
    way = [int(at)]
    while came_from[at, state] >= 0:
        at, state = divmod(int(came_from[at, state]), states)
        way.append(int(at))
    return way[::-1], float(ends.max())
