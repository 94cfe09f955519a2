"""Cut a row into cards: which of its edges begin a card, so that both the distances and the faces make sense.

Each way through the edges is weighed by how clear its edges are, how even their distances, how well a face is read at
each place, and how well the faces follow each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.spread.spread_decode import Logs, Succession
from thirdcard.vision.spread.spread_strips import log_gap

LEAST_GAP, MOST_GAP = 0.3, 2.7
"""Distances of neighbours, in usual ones."""


def cut_row(
    u_mm: Logs, edge_score: Logs, told: Logs, given: Succession, *, pitch_mm: float, is_last: NDArray[np.bool_]
) -> tuple[list[int], float]:
    """The edges at which cards begin, as indices, in order, and how good that way is (the best, by Viterbi's method).

    Args:
        u_mm: (N,) where cards may begin, in the order in which the cards follow each other.
        edge_score: (N,) log odds.
        told: (N, S) what is read at each of them, as `emissions` gives it.
        given: What follows what.
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
