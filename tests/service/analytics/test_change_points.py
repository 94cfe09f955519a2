"""Changes of a rate."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from thirdcard.service.analytics.change_points import SHORTEST, RateSegment, find_segments, penalty_for


def test_a_rate_that_doubles_is_told_on_its_day() -> None:
    events = np.random.default_rng(5).poisson([3] * 40 + [9] * 40)
    segments = find_segments(events.tolist(), [600] * 80)
    assert len(segments) == 2
    assert abs(segments[1].begin - 40) <= 2
    assert sum(segment.events for segment in segments) == events.sum()


@pytest.mark.parametrize(
    ("days", "mean"),
    [
        pytest.param(14, 1.0, id="two weeks of one error a day"),
        pytest.param(30, 0.3, id="a month of an error every third day"),
        pytest.param(90, 3.0, id="three months of three errors a day"),
    ],
)
def test_a_steady_rate_seems_to_change_in_five_of_hundred_at_most(days: int, mean: float) -> None:
    rng = np.random.default_rng(7)
    alarms = sum(len(find_segments(rng.poisson(mean, days).tolist(), [600] * days)) > 1 for _ in range(300))
    assert alarms <= 0.05 * 300


def test_days_without_rounds_belong_to_the_stretch_before() -> None:
    segments = find_segments([2, 0, 3, 0, 0, 30, 31, 29, 0], [100, 0, 100, 100, 0, 100, 100, 100, 0])
    assert segments == [
        RateSegment(begin=0, end=5, events=5, rounds=300),
        RateSegment(begin=5, end=9, events=90, rounds=300),
    ]


@pytest.mark.parametrize("rounds", [[], [0, 0]], ids=["no day", "no round"])
def test_nothing_dealt_has_no_stretch(rounds: list[int]) -> None:
    assert find_segments([0] * len(rounds), rounds) == []


def test_the_division_found_is_the_best_of_all() -> None:
    rng = np.random.default_rng(11)
    for _ in range(20):
        events = rng.poisson(rng.choice([1, 20], 10)).tolist()
        rounds = rng.integers(50, 500, 10).tolist()
        assert cost(find_segments(events, rounds), len(events)) == pytest.approx(best_cost(events, rounds))


def cost(segments: list[RateSegment], days: int) -> float:
    """What a division costs: minus its log likelihood, and the penalty for each change."""
    likely = sum(s.events * np.log(s.events / s.rounds) - s.events for s in segments if s.events)
    return float(penalty_for(days) * (len(segments) - 1) - likely)


def best_cost(events: list[int], rounds: list[int]) -> float:
    """The least cost over every division that is allowed."""
    found = []
    for cuts in product([False, True], repeat=len(events) - 1):
        edges = [0, *(i + 1 for i, is_cut in enumerate(cuts) if is_cut), len(events)]
        spans = list(pairwise(edges))
        if all(end - begin >= SHORTEST for begin, end in spans):
            parts = [RateSegment(begin=a, end=b, events=sum(events[a:b]), rounds=sum(rounds[a:b])) for a, b in spans]
            found.append(cost(parts, len(events)))
    return min(found)
