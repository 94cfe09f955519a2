"""Compute the layout of plots: coordinates for templates to draw. Rates are per 1000 rounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thirdcard.service.analytics.asking import NO_DEALER
from thirdcard.service.analytics.figures import PER, Estimate, Figure
from thirdcard.service.analytics.funnel import ALARM, WARNING, funnel_limits
from thirdcard.service.analytics.pace import Pace
from thirdcard.service.analytics.trend import Trend

ROW_WIDTH = 360.0
WIDTH, HEIGHT = 900.0, 320.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 16.0, 24.0, 34.0
FUNNEL_STEPS = 60
MOST_TICKS = 6


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick of an axis with its label."""

    place: float
    text: str


@dataclass(frozen=True, slots=True)
class AxisScale:
    """Maps values to coordinates on an axis."""

    low: float
    high: float
    begin: float
    end: float
    is_log: bool = False

    def at(self, value: float) -> float:
        """The coordinate of a value, clipped to the ends of the axis."""
        low, high, value = (math.log(max(x, 1e-9)) if self.is_log else x for x in (self.low, self.high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return round(self.begin + (self.end - self.begin) * min(max(share, 0.0), 1.0), 1)

    def ticks(self) -> list[Tick]:
        """Ticks at round values."""
        if self.is_log:
            powers = range(max(math.ceil(math.log10(self.low)), 0), math.floor(math.log10(self.high)) + 1)
            values = [10.0**power for power in powers] if len(powers) > 1 else round_steps(self.low, self.high)
            return [Tick(self.at(value), f"{value:,.10g}") for value in values]
        return [Tick(self.at(value), f"{value:g}") for value in round_steps(self.low, self.high)]


@dataclass(frozen=True, slots=True)
class Whisker:
    """An interval and its middle."""

    low: float
    middle: float
    high: float
    is_cut: bool = False
    """Whether it is cut off at the edge of the drawing."""


@dataclass(frozen=True, slots=True)
class ForestRow:
    """One row of a forest plot."""

    figure: Figure
    raw: Whisker
    shrunken: Whisker | None


@dataclass(frozen=True, slots=True)
class Forest:
    """Rows on one scale, with the house's rate."""

    rows: Sequence[ForestRow]
    ticks: Sequence[Tick]
    house: float
    width: float = ROW_WIDTH


@dataclass(frozen=True, slots=True)
class Dot:
    """A figure with its coordinates."""

    figure: Figure
    x: float
    y: float
    is_outside: bool
    """Whether it has enough rounds to be ranked, and lies outside the 99.8 % limits."""


@dataclass(frozen=True, slots=True)
class Funnel:
    """Figures by rounds and rate, with control limits."""

    dots: Sequence[Dot]
    warning: Sequence[str]
    """The points of the lower and of the upper line."""
    alarm: Sequence[str]
    house_y: float
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]


@dataclass(frozen=True, slots=True)
class DayMark:
    """A day with its coordinates."""

    figure: Figure
    x: float
    whisker: Whisker


@dataclass(frozen=True, slots=True)
class Band:
    """A period with a constant rate."""

    begin: float
    end: float
    whisker: Whisker
    title: str


@dataclass(frozen=True, slots=True)
class TrendPlot:
    """Days in order, with periods of constant rate."""

    days: Sequence[DayMark]
    bands: Sequence[Band]
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]


@dataclass(frozen=True, slots=True)
class PaceBar:
    """The durations of the phases in a row: phase, coordinate, width, median."""

    pace: Pace
    parts: Sequence[tuple[str, float, float, float]]


@dataclass(frozen=True, slots=True)
class PacePlot:
    """Bars on one scale of seconds."""

    bars: Sequence[PaceBar]
    ticks: Sequence[Tick]
    width: float = ROW_WIDTH


def plot_forest(figures: Sequence[Figure], house: Figure) -> Forest:
    """A row for each figure; the scale follows the figures with the narrowest intervals."""
    known = [figure.shrunken.high if figure.shrunken else figure.raw.high for figure in figures if figure.is_ranked]
    tops = sorted(top for top in known if math.isfinite(top)) or [house.raw.per_1000 * 4]
    middles = [figure.raw.per_1000 for figure in figures if figure.is_ranked]
    top = max(_nearly_largest(tops) * 1.1, *(middle * 1.05 for middle in middles), house.raw.per_1000 * 2, 1e-3)
    scale = AxisScale(0.0, top, 4.0, ROW_WIDTH - 8.0)
    rows = [
        ForestRow(
            figure, _whisker(figure.raw, scale), None if figure.shrunken is None else _whisker(figure.shrunken, scale)
        )
        for figure in figures
    ]
    return Forest(rows, scale.ticks(), scale.at(house.raw.per_1000))


def plot_funnel(figures: Sequence[Figure], house: Figure) -> Funnel | None:
    """Each figure by its rounds and its rate; None where there is nothing to plot."""
    some = [figure for figure in figures if figure.rounds > 0 and figure.name != NO_DEALER]
    if len(some) < 2 or house.errors == 0:
        return None
    fewest, most = min(figure.rounds for figure in some), max(figure.rounds for figure in some)
    x = AxisScale(max(fewest * 0.8, 1.0), most * 1.25, LEFT, WIDTH - RIGHT, is_log=True)
    rates = sorted(figure.raw.per_1000 for figure in some if figure.is_ranked) or [house.raw.per_1000]
    y = AxisScale(0.0, max(rates[-1] * 1.15, house.raw.per_1000 * 2.5), HEIGHT - BOTTOM, TOP)
    steps = np.geomspace(x.low, x.high, FUNNEL_STEPS)
    rate = house.raw.per_1000 / PER
    dots = [Dot(one, x.at(one.rounds), y.at(one.raw.per_1000), one.is_ranked and is_beyond(one, rate)) for one in some]
    lines = [_lines(steps, rate, level, x, y) for level in (WARNING, ALARM)]
    return Funnel(dots, lines[0], lines[1], y.at(house.raw.per_1000), x.ticks(), y.ticks())


def is_beyond(figure: Figure, house_rate: float) -> bool:
    """Whether a rate lies outside the range that chance gives in 998 of 1000 cases at the house's rate."""
    low, high = (float(edge) * PER for edge in funnel_limits(figure.rounds, house_rate, level=ALARM))
    return not low <= figure.raw.per_1000 <= high


def plot_trend(trend: Trend) -> TrendPlot:
    """The days from left to right; days with many rounds set the scale, larger values are cut off."""
    days = trend.days
    x = AxisScale(0.0, max(len(days) - 1.0, 1.0), LEFT + 8, WIDTH - RIGHT - 8)
    usual = sorted(day.rounds for day in days if day.rounds)
    enough = usual[len(usual) // 2] / 2 if usual else 0.0
    known = [day.raw.high for day in days if day.rounds >= enough and math.isfinite(day.raw.high)]
    tops = sorted([*known, *(one.rate.high for one in trend.stretches)])
    y = AxisScale(0.0, max(_nearly_largest(tops) * 1.1, 1e-3) if tops else 1.0, HEIGHT - BOTTOM, TOP)
    marks = [DayMark(day, x.at(i), _whisker(day.raw, y)) for i, day in enumerate(days) if day.rounds > 0]
    places = {day.name: i for i, day in enumerate(days)}
    bands = [
        Band(
            x.at(places[one.first] - 0.5),
            x.at(places[one.last] + 0.5),
            _whisker(one.rate, y),
            f"{one.first} to {one.last}: {one.rate.per_1000:.2f} per 1000",
        )
        for one in trend.stretches
    ]
    step = max(math.ceil(len(days) / MOST_TICKS), 1)
    ticks = [Tick(x.at(i), days[i].name) for i in range(0, len(days), step)]
    return TrendPlot(marks, bands, ticks, y.ticks())


def plot_paces(paces: Sequence[Pace]) -> PacePlot:
    """The medians of the phases in a row, on one scale."""
    longest = max((sum(part.median_s for part in pace.phases) for pace in paces), default=1.0) or 1.0
    bars = []
    for pace in paces:
        parts, place = [], 0.0
        for part in pace.phases:
            width = part.median_s / longest * ROW_WIDTH
            parts.append((part.phase, round(place, 1), round(max(width - 1.5, 0.5), 1), part.median_s))
            place += width
        bars.append(PaceBar(pace, parts))
    return PacePlot(bars, AxisScale(0.0, longest, 0.0, ROW_WIDTH).ticks())


def round_steps(low: float, high: float) -> list[float]:
    """Round values in equal steps from low to high, at most `MOST_TICKS` + 1."""
    raw = (high - low) / MOST_TICKS
    if raw <= 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)
    return [round(i * step, 10) for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _nearly_largest(values: Sequence[float]) -> float:
    """The 95th percentile of sorted values."""
    return values[min(int(0.95 * len(values)), len(values) - 1)]


def _whisker(estimate: Estimate, scale: AxisScale) -> Whisker:
    is_cut = estimate.high > scale.high
    return Whisker(scale.at(estimate.low), scale.at(estimate.per_1000), scale.at(estimate.high), is_cut)


def _lines(steps: np.ndarray, rate: float, level: float, x: AxisScale, y: AxisScale) -> list[str]:
    limits = funnel_limits(steps, rate, level=level)
    return [
        " ".join(f"{x.at(n)},{y.at(value * PER)}" for n, value in zip(steps.tolist(), line.tolist(), strict=True))
        for line in limits
    ]
