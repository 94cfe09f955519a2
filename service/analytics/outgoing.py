"""Figures in the API's form."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from thirdcard.service.analytics.figure_rows import figure_row
from thirdcard.service.analytics.figures import Estimate, Figure, Figures
from thirdcard.service.analytics.pace import Pace
from thirdcard.service.analytics.trend import Trend
from thirdcard.service.config.house import House


class FigureOut(BaseModel):
    """The figures of one dealer, table, code or hour; rates per 1000 rounds, with 95 % intervals."""

    name: str
    rounds: int
    watched_rounds: int
    errors: int
    confirmed_errors: int
    undecided_errors: int
    alerts: int
    per_1000: float | None
    per_1000_low: float | None
    per_1000_high: float | None
    shrunken_per_1000: float | None
    shrunken_per_1000_low: float | None
    shrunken_per_1000_high: float | None
    above_house: float | None
    is_ranked: bool
    decided: int
    false_alerts: int
    false_share: float | None
    false_share_low: float
    false_share_high: float
    accepted_late_bets: int
    overpaid_minor: float
    underpaid_minor: float
    unseen_s: float
    rounds_per_hour: float | None

    @classmethod
    def of(cls, figure: Figure) -> FigureOut:
        """The API's form of a figure."""
        return cls.model_validate(figure_row(figure))


class FiguresOut(BaseModel):
    """A list of figures, their total, and the whole house's."""

    items: Sequence[FigureOut]
    next: None = None
    total: FigureOut
    house: FigureOut
    spread: float | None
    are_names_shown: bool
    currency: str | None = Field(description="what money is in; null: the tables' smallest units")
    minor_units: int = Field(description="how many of the tables' smallest units make one of the currency")

    @classmethod
    def of(cls, figures: Figures, house: House, *, are_names_shown: bool) -> FiguresOut:
        """The API's form of figures."""
        return cls(
            items=[FigureOut.of(figure) for figure in figures.items],
            total=FigureOut.of(figures.total),
            house=FigureOut.of(figures.house),
            spread=figures.spread,
            are_names_shown=are_names_shown,
            currency=house.settings.currency,
            minor_units=house.settings.minor_units,
        )


class EstimateOut(BaseModel):
    """A rate per 1000 rounds with its 95 % interval."""

    per_1000: float
    low: float
    high: float

    @classmethod
    def of(cls, estimate: Estimate) -> EstimateOut:
        """The API's form of an estimate."""
        return cls(per_1000=estimate.per_1000, low=estimate.low, high=estimate.high)


class StretchOut(BaseModel):
    """Consecutive days with one rate."""

    first: str
    last: str
    rounds: int
    errors: int
    rate: EstimateOut


class TrendOut(BaseModel):
    """The days in order, and the stretches between changes of the rate."""

    items: Sequence[FigureOut]
    next: None = None
    stretches: Sequence[StretchOut]

    @classmethod
    def of(cls, trend: Trend) -> TrendOut:
        """The API's form of a trend."""
        stretches = [
            StretchOut(
                first=one.first, last=one.last, rounds=one.rounds, errors=one.errors, rate=EstimateOut.of(one.rate)
            )
            for one in trend.stretches
        ]
        return cls(items=[FigureOut.of(day) for day in trend.days], stretches=stretches)


class PhaseOut(BaseModel):
    """The duration of one phase in seconds: median and quartiles."""

    phase: str
    median_s: float
    quarter_s: float
    three_quarters_s: float


class PaceOut(BaseModel):
    """Rounds per hour and durations of the phases."""

    name: str
    rounds: int
    rounds_per_hour: float | None
    phases: Sequence[PhaseOut]

    @classmethod
    def of(cls, pace: Pace) -> PaceOut:
        """The API's form of a pace."""
        phases = [
            PhaseOut(
                phase=one.phase,
                median_s=one.median_s,
                quarter_s=one.quarter_s,
                three_quarters_s=one.three_quarters_s,
            )
            for one in pace.phases
        ]
        return cls(name=pace.name, rounds=pace.rounds, rounds_per_hour=pace.rounds_per_hour, phases=phases)


class PacesOut(BaseModel):
    """The pace of each table, and of all."""

    items: Sequence[PaceOut]
    next: None = None
    house: PaceOut
