"""Places in drawings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thirdcard.service.analytics.figures import Estimate, Figure
from thirdcard.service.analytics.trend import find_trend
from thirdcard.service.web.pages.plots import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    ROW_WIDTH,
    TOP,
    WIDTH,
    AxisScale,
    is_beyond,
    plot_forest,
    plot_funnel,
    plot_trend,
    round_steps,
)


def figure(name: str, rounds: int, errors: int, *, is_ranked: bool = True) -> Figure:
    rate = errors / rounds * 1000
    return Figure(
        name=name, rounds=rounds, watched_rounds=rounds, errors=errors, confirmed=0, undecided=errors, alerts=errors,
        is_ranked=is_ranked,
        raw=Estimate(per_1000=rate, low=rate / 2, high=rate * 2 + 1), decided=0, false_alerts=0, false_share=None,
        false_low=0.0, false_high=1.0, accepted_late_bets=0, overpaid_minor=0.0, underpaid_minor=0.0, unseen_s=0.0,
        rounds_per_hour=None,
    )  # fmt: skip


HOUSE = figure("all", 100_000, 500)


@given(st.floats(0, 1e4), st.floats(0.001, 1e4))
def test_round_steps_are_a_handful_within(low: float, span: float) -> None:
    steps = round_steps(low, low + span)
    assert len(steps) <= 7
    assert all(low - 1e-6 <= step <= low + span + 1e-6 for step in steps)


def test_scale_keeps_what_lies_beyond_at_its_ends() -> None:
    scale = AxisScale(0.0, 10.0, 100.0, 200.0)
    assert [scale.at(value) for value in (-5.0, 0.0, 5.0, 10.0, 99.0)] == [100.0, 100.0, 150.0, 200.0, 200.0]


def test_forest_is_scaled_by_those_that_are_known_well() -> None:
    forest = plot_forest([figure("a", 10_000, 60), figure("b", 9_000, 40), figure("c", 3, 1, is_ranked=False)], HOUSE)
    places = {row.figure.name: row.raw for row in forest.rows}
    assert places["a"].low < places["a"].middle < places["a"].high < ROW_WIDTH
    assert places["c"].is_cut and not places["a"].is_cut


def test_funnel_tells_who_lies_beyond_chance() -> None:
    funnel = plot_funnel([figure("a", 10_000, 50), figure("b", 10_000, 150), figure("c", 20, 1)], HOUSE)
    assert funnel is not None
    assert [dot.is_outside for dot in funnel.dots] == [False, True, False]
    assert all(LEFT <= dot.x <= WIDTH - RIGHT for dot in funnel.dots)
    assert is_beyond(figure("d", 10_000, 5), 0.005)


@pytest.mark.parametrize("figures", [[], [figure("a", 10, 1)]], ids=["nobody", "one alone"])
def test_funnel_of_fewer_than_two_is_none(figures: list[Figure]) -> None:
    assert plot_funnel(figures, HOUSE) is None


@given(st.integers(1, 10**6), st.integers(1, 50))
def test_axes_have_numbers_where_all_dealt_the_same(rounds: int, errors: int) -> None:
    alike = [figure(name, rounds, errors) for name in "abc"]
    funnel, forest = plot_funnel(alike, figure("all", 3 * rounds, 3 * errors)), plot_forest(alike, alike[0])
    assert funnel is not None
    for ticks in (funnel.x_ticks, funnel.y_ticks, forest.ticks):
        assert len({tick.place for tick in ticks}) >= 2 and len({tick.text for tick in ticks}) == len(ticks)


def test_who_dealt_too_little_to_be_ranked_is_not_told_to_lie_beyond_chance() -> None:
    funnel = plot_funnel([figure("a", 10_000, 50), figure("c", 20, 9, is_ranked=False)], HOUSE)
    assert funnel is not None and not any(dot.is_outside for dot in funnel.dots)


def test_day_that_has_just_begun_does_not_set_the_scale() -> None:
    days = [figure(f"2026-11-{n}", 1000, 5) for n in range(10, 20)] + [figure("2026-11-20", 3, 2)]
    plot = plot_trend(find_trend(days))
    heights = {mark.figure.name: mark.whisker for mark in plot.days}
    assert heights["2026-11-20"].is_cut and not heights["2026-11-10"].is_cut
    assert heights["2026-11-10"].low - heights["2026-11-10"].high > (HEIGHT - TOP - BOTTOM) / 2
