"""Make figures out of tallies: for each dealer, table, code or hour its rounds, its errors, and how sure that is.

Rates are per 1000 rounds. An error is an alert of the families asked for that nobody dismissed, or that somebody
confirmed where only confirmed ones count. Money is in the tables' smallest unit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from thirdcard.service.analytics.rates import Floats, Interval, mid_p_interval, wilson_interval
from thirdcard.service.analytics.shrinkage import shrink
from thirdcard.service.analytics.tallies import ERRORS, LATE, Columns

PER = 1000.0
LEAST_ROUNDS = 200
"""Who dealt fewer is listed behind all others: too little is known to rank him."""
Labels = Callable[[Columns], Sequence[str]]
"""What each row is counted under."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """What counts as an error."""

    families: tuple[str, ...] = ERRORS
    """Codes, or the parts before their dots."""
    is_confirmed_only: bool = False

    def errors_in(self, alerts: Columns) -> Floats:
        """How many errors each row holds."""
        fits = _is_one_of(alerts.keys["code"], self.families)
        state = alerts.keys["state"]
        counts = state == "confirmed" if self.is_confirmed_only else state != "dismissed"
        return np.where(fits & counts, alerts.sums["alerts"], 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A rate per 1000 rounds, and where the truth lies with 95 %."""

    per_1000: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Of one dealer, table, code, hour, or of all."""

    name: str
    rounds: int
    """The denominator."""
    watched_rounds: int
    """Those of them that were watched without a gap."""
    errors: int
    raw: Estimate
    """Of its own rounds alone."""
    shrunken: Estimate | None = None
    """Drawn towards the others; None where there are none to be drawn to."""
    above_house: float | None = None
    """The probability that its true rate is above the house's."""
    is_ranked: bool = True
    """Whether it dealt enough to be ranked."""
    decided: int
    """Alerts that somebody confirmed or dismissed."""
    false_alerts: int
    """Those dismissed because the system was wrong."""
    false_share: float | None
    false_low: float
    false_high: float
    accepted_late_bets: int
    overpaid_minor: float
    underpaid_minor: float
    unseen_s: float
    """How long the table could not be watched."""
    rounds_per_hour: float | None
    """Of the rounds whose phases are all known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """All of one kind, and the house's."""

    items: Sequence[Figure]
    house: Figure
    spread: float | None = None
    """How far the true rates lie apart, as a share of their mean; None where that was not estimated."""


def figures_by(rounds: Columns, alerts: Columns, labels: Labels, counting: Counting, *, is_shrunken: bool) -> Figures:
    """A figure for each label.

    Args:
        rounds: Tallies of rounds.
        alerts: Tallies of alerts, of all codes.
        labels: What each row is counted under.
        counting: What counts as an error.
        is_shrunken: Whether the labels are alike, so that they say something about each other: dealers or tables.
    """
    names = sorted({*labels(rounds), *labels(alerts)})
    sums = _sums(rounds, alerts, labels, names, counting)
    figures = _figures(names, sums)
    house = _figures(["all"], {name: np.array([column.sum()]) for name, column in sums.items()})[0]
    some = [figure for figure in figures if figure.rounds > 0]
    if not is_shrunken or not some:
        return Figures(items=figures, house=house)
    return _shrunken(some, house)


def figures_of_codes(rounds: Columns, alerts: Columns, counting: Counting) -> Figures:
    """A figure for each code, over all rounds; the most frequent first."""
    codes = sorted(set(alerts.keys["code"]))
    anything = replace(counting, families=tuple(codes))
    house = figures_by(rounds, alerts, lambda rows: ["all"] * len(rows), counting, is_shrunken=False).house
    found = []
    for code in codes:
        of_code = alerts.where(alerts.keys["code"] == code)
        own = figures_by(rounds, of_code, lambda rows: ["all"] * len(rows), anything, is_shrunken=False).house
        found.append(replace(own, name=code))
    return Figures(items=sorted(found, key=lambda figure: (-figure.errors, figure.name)), house=house)


def _shrunken(figures: Sequence[Figure], house: Figure) -> Figures:
    events = np.array([figure.errors for figure in figures], np.float64)
    rounds = np.array([figure.rounds for figure in figures], np.float64)
    found = shrink(events, rounds)
    drawn = [
        replace(
            figure,
            shrunken=Estimate(per_1000=rate * PER, low=low * PER, high=high * PER),
            above_house=above,
            is_ranked=figure.rounds >= LEAST_ROUNDS,
        )
        for figure, rate, low, high, above in zip(
            figures, *(column.tolist() for column in (found.rate, *found.interval, found.above_house)), strict=True
        )
    ]
    ranked = sorted(drawn, key=_rank)
    return Figures(items=ranked, house=house, spread=found.spread)


def _rank(figure: Figure) -> tuple[bool, float, str]:
    assert figure.shrunken is not None
    return not figure.is_ranked, -figure.shrunken.per_1000, figure.name


def _sums(
    rounds: Columns, alerts: Columns, labels: Labels, names: Sequence[str], counting: Counting
) -> dict[str, Floats]:
    places = {name: i for i, name in enumerate(names)}
    of_rounds = np.fromiter((places[name] for name in labels(rounds)), np.int64, len(rounds))
    of_alerts = np.fromiter((places[name] for name in labels(alerts)), np.int64, len(alerts))

    def add(place: NDArray[np.int64], values: Floats) -> Floats:
        return np.bincount(place, weights=values, minlength=len(names)).astype(np.float64)

    fits = _is_one_of(alerts.keys["code"], counting.families)
    is_late = _is_one_of(alerts.keys["code"], (LATE,))
    state = alerts.keys["state"]
    is_decided = (state == "confirmed") | (state == "dismissed")
    counted = state == "confirmed" if counting.is_confirmed_only else state != "dismissed"
    found = {name: add(of_rounds, column) for name, column in rounds.sums.items()}
    found |= {name: add(of_alerts, np.where(counted, alerts.sums[name], 0.0)) for name in _MONEY}
    found["errors"] = add(of_alerts, counting.errors_in(alerts))
    found["decided"] = add(of_alerts, np.where(fits & is_decided, alerts.sums["alerts"], 0.0))
    found["false_alerts"] = add(of_alerts, np.where(fits, alerts.sums["false_alerts"], 0.0))
    found["accepted"] = add(of_alerts, np.where(is_late & counted, alerts.sums["accepted"], 0.0))
    return found


_MONEY = ("overpaid_minor", "underpaid_minor")


def _figures(names: Sequence[str], sums: Mapping[str, Floats]) -> list[Figure]:
    errors, rounds = sums["errors"], sums["rounds"]
    rate = np.divide(errors, rounds, out=np.zeros_like(errors), where=rounds > 0)
    interval = mid_p_interval(errors, rounds)
    shares = wilson_interval(sums["false_alerts"], sums["decided"])
    return [_figure(name, i, sums, rate, (interval, shares)) for i, name in enumerate(names)]


def _figure(
    name: str, i: int, sums: Mapping[str, Floats], rate: Floats, intervals: tuple[Interval, Interval]
) -> Figure:
    of = {key: float(column[i]) for key, column in sums.items()}
    interval, shares = intervals
    low, high = float(interval.low[i]) * PER, float(interval.high[i]) * PER
    return Figure(
        name=name,
        rounds=int(of["rounds"]),
        watched_rounds=int(of["watched_rounds"]),
        errors=int(of["errors"]),
        raw=Estimate(per_1000=float(rate[i]) * PER, low=low, high=high),
        decided=int(of["decided"]),
        false_alerts=int(of["false_alerts"]),
        false_share=of["false_alerts"] / of["decided"] if of["decided"] else None,
        false_low=float(shares.low[i]),
        false_high=float(shares.high[i]),
        accepted_late_bets=int(of["accepted"]),
        overpaid_minor=of["overpaid_minor"],
        underpaid_minor=of["underpaid_minor"],
        unseen_s=of["unseen_s"],
        rounds_per_hour=of["timed_rounds"] * 3600 / of["timed_s"] if of["timed_s"] > 0 else None,
    )


def _is_one_of(codes: NDArray[np.object_], families: Iterable[str]) -> NDArray[np.bool_]:
    """Whether each code is one of these, or of a family of these."""
    wanted = tuple(families)
    prefixes = tuple(f"{family.removesuffix('.')}." for family in wanted)
    known = {code: code in wanted or code.startswith(prefixes) for code in set(codes)}
    return np.fromiter((known[code] for code in codes), np.bool_, len(codes))
