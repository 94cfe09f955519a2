"""Compute figures from tallies: for each dealer, table, code or hour its rounds and errors, with uncertainty.

Rates are per 1000 rounds. An error is an erring round: one with an alert of the chosen families that nobody dismissed,
or, where only confirmed errors count, that somebody confirmed. Rounds are counted rather than alerts, since one mistake
often raises two alerts, which would make intervals too narrow; the number of alerts is given beside. Money is in minor
units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from thirdcard.service.analytics.hour_sums import NOBODY, parse_faults
from thirdcard.service.analytics.rates import Floats, Interval, mid_p_interval, wilson_interval
from thirdcard.service.analytics.shrinkage import CHANCE_GAIN, shrink
from thirdcard.service.analytics.tallies import ERRORS, FAULTS, LATE, Columns, Tallies
from thirdcard.service.store.alert_states import AlertState

PER = 1000.0
LEAST_ROUNDS = 200
"""Dealers with fewer rounds are listed last and not ranked: too little is known."""
CONFIRMED, DISMISSED = AlertState.CONFIRMED.value, AlertState.DISMISSED.value
NO_ERRORS = frozenset({DISMISSED, AlertState.WITHDRAWN.value})
"""The states of alerts that are not errors."""
WHOLE = "all"
LEAST_RANKED = 5
"""With fewer people than this the pages do not compare rates."""
Labels = Callable[[Columns], Sequence[str]]
"""Maps rows to the label under which each is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """What counts as an error."""

    families: tuple[str, ...] = ERRORS
    """Codes, or the parts before their dots."""
    is_confirmed_only: bool = False

    def is_meant(self, code: str) -> bool:
        """Whether alerts with that code are errors."""
        return any(code == family or code.startswith(f"{family.removesuffix('.')}.") for family in self.families)

    def counts(self, state: str) -> bool:
        """Whether an alert in that state counts."""
        return state == CONFIRMED if self.is_confirmed_only else state not in NO_ERRORS

    def of_alerts(self, alerts: Columns) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """For each row: whether its code is meant, and whether its state counts."""
        codes, states = alerts.keys["code"], alerts.keys["state"]
        return _told(self.is_meant, codes), _told(self.counts, states)

    def of_rounds(self, erring: Columns) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """For each row: whether an error is confirmed; and whether none is, but one is undecided."""
        known = {text: self._standing(text) for text in set(erring.keys[FAULTS])}
        confirmed = np.fromiter((known[text] is True for text in erring.keys[FAULTS]), np.bool_, len(erring))
        undecided = np.fromiter((known[text] is False for text in erring.keys[FAULTS]), np.bool_, len(erring))
        return confirmed, undecided

    def _standing(self, faults: str) -> bool | None:
        """Whether a round's error is confirmed; None where it has none."""
        states = {fault.state for fault in parse_faults(faults) if self.is_meant(fault.code)} - NO_ERRORS
        return CONFIRMED in states if states else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A rate per 1000 rounds with its 95 % interval."""

    per_1000: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """The figures of one dealer, table, code or hour, or of all."""

    name: str
    rounds: int
    """The denominator of the rates."""
    watched_rounds: int
    """The rounds that were watched without a gap."""
    errors: int
    """Erring rounds: confirmed ones, and undecided ones unless only confirmed ones count."""
    confirmed: int
    """Erring rounds with a confirmed alert."""
    undecided: int
    """Erring rounds with no confirmed alert and at least one undecided."""
    alerts: int
    """The number of counted alerts in all erring rounds."""
    raw: Estimate
    """Its own rate, without regard to the others."""
    shrunken: Estimate | None = None
    """The empirical Bayes estimate, drawn towards the mean of the others; None without others."""
    above_house: float | None = None
    """The probability that its true rate is above the mean of all; None with too few rounds, or without others."""
    is_ranked: bool = True
    """Whether it has enough rounds to be ranked."""
    decided: int
    """Alerts that were confirmed or dismissed."""
    false_alerts: int
    """Alerts that were dismissed because the system was wrong."""
    false_share: float | None
    false_low: float
    false_high: float
    accepted_late_bets: int
    overpaid_minor: float
    underpaid_minor: float
    unseen_s: float
    """Seconds in which the table could not be watched."""
    rounds_per_hour: float | None
    """From the rounds with all phases timed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of one grouping, their total, and the whole house's."""

    items: Sequence[Figure]
    total: Figure
    """Over everything that matched the request."""
    house: Figure
    """The whole house at that time, whatever table or dealer was asked for."""
    spread: float | None = None
    """The spread of the true rates as a share of their mean; None where chance alone explains the counts."""

    @property
    def can_be_compared(self) -> bool:
        """Whether enough of them have enough rounds for a comparison."""
        return sum(figure.is_ranked and figure.rounds > 0 for figure in self.items) >= LEAST_RANKED


def figures_by(tallies: Tallies, labels: Labels, counting: Counting, *, is_shrunken: bool) -> Figures:
    """The figures, one for each label.

    Args:
        tallies: Of rounds and of alerts of all codes.
        labels: The label of each row.
        counting: What counts as an error.
        is_shrunken: Whether members inform each other's estimates, as dealers or tables do.
    """
    names = sorted({*labels(tallies.rounds), *labels(tallies.alerts), *labels(tallies.erring)})
    sums = _sums(tallies, labels, names, counting)
    figures = _figures(names, sums)
    total = _figures([WHOLE], {name: np.array([column.sum()]) for name, column in sums.items()})[0]
    if not is_shrunken:
        return Figures(items=figures, total=total, house=total)
    return _shrunken(figures, total)


def figures_of_codes(tallies: Tallies, counting: Counting) -> Figures:
    """The figures, one for each code over all rounds; the most frequent first."""

    def of_all(rows: Columns) -> list[str]:
        return [WHOLE] * len(rows)

    total = figures_by(tallies, of_all, counting, is_shrunken=False).total
    found = []
    for code in sorted(set(tallies.alerts.keys["code"])):
        of_code = replace(tallies, alerts=tallies.alerts.where(tallies.alerts.keys["code"] == code))
        alone = replace(counting, families=(code,))
        found.append(replace(figures_by(of_code, of_all, alone, is_shrunken=False).total, name=code))
    in_order = sorted(found, key=lambda figure: (-figure.errors, figure.name))
    return Figures(items=in_order, total=total, house=total)


def _shrunken(figures: Sequence[Figure], total: Figure) -> Figures:
    """Comparable figures drawn towards each other; rounds without a dealer, and dealers without rounds, come last."""
    some = [figure for figure in figures if figure.rounds and figure.name != NOBODY]
    rest = [figure for figure in figures if not figure.rounds or figure.name == NOBODY]
    rest = [replace(figure, is_ranked=False) for figure in sorted(rest, key=lambda one: (one.name == NOBODY, one.name))]
    if not some:
        return Figures(items=rest, total=total, house=total)
    events = np.array([figure.errors for figure in some], np.float64)
    rounds = np.array([figure.rounds for figure in some], np.float64)
    found = shrink(events, rounds)
    is_comparable = int(np.sum(rounds >= LEAST_ROUNDS)) > 1
    drawn = [
        replace(
            figure,
            shrunken=Estimate(per_1000=rate * PER, low=low * PER, high=high * PER),
            above_house=above if is_comparable and figure.rounds >= LEAST_ROUNDS else None,
            is_ranked=figure.rounds >= LEAST_ROUNDS,
        )
        for figure, rate, low, high, above in zip(
            some, *(column.tolist() for column in (found.rate, *found.interval, found.above_house)), strict=True
        )
    ]
    all_together = Figures(items=[*sorted(drawn, key=_rank), *rest], total=total, house=total)
    is_told = all_together.can_be_compared and found.gain > CHANCE_GAIN
    return replace(all_together, spread=found.spread) if is_told else all_together


def _rank(figure: Figure) -> tuple[bool, float, str]:
    assert figure.shrunken is not None
    return not figure.is_ranked, -figure.shrunken.per_1000, figure.name


def _sums(tallies: Tallies, labels: Labels, names: Sequence[str], counting: Counting) -> dict[str, Floats]:
    places = {name: i for i, name in enumerate(names)}

    def add(rows: Columns, columns: Mapping[str, Floats]) -> dict[str, Floats]:
        place = np.fromiter((places[name] for name in labels(rows)), np.int64, len(rows))
        sums = {key: np.bincount(place, weights=of, minlength=len(names)) for key, of in columns.items()}
        return {key: column.astype(np.float64) for key, column in sums.items()}

    return (
        add(tallies.rounds, tallies.rounds.sums)
        | add(tallies.alerts, _of_alerts(tallies.alerts, counting))
        | add(tallies.erring, _of_erring(tallies.erring, counting))
    )


def _of_alerts(alerts: Columns, counting: Counting) -> dict[str, Floats]:
    """The contribution of each row of alerts."""
    is_meant, counts = counting.of_alerts(alerts)
    is_decided = _told(lambda state: state in (CONFIRMED, DISMISSED), alerts.keys["state"])
    is_late = _told(Counting(families=(LATE,)).is_meant, alerts.keys["code"])
    sums = alerts.sums
    found = {name: np.where(counts, sums[name], 0.0) for name in _MONEY}
    found["alerts"] = np.where(is_meant & counts, sums["alerts"], 0.0)
    found["decided"] = np.where(is_meant & is_decided, sums["alerts"], 0.0)
    found["false_alerts"] = np.where(is_meant, sums["false_alerts"], 0.0)
    found["accepted"] = np.where(is_late & counts, sums["accepted"], 0.0)
    return found


def _of_erring(erring: Columns, counting: Counting) -> dict[str, Floats]:
    """The contribution of each row of erring rounds."""
    confirmed, undecided = (np.where(fits, erring.sums["rounds"], 0.0) for fits in counting.of_rounds(erring))
    errors = confirmed if counting.is_confirmed_only else confirmed + undecided
    return {"confirmed": confirmed, "undecided": undecided, "errors": errors}


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
        confirmed=int(of["confirmed"]),
        undecided=int(of["undecided"]),
        alerts=int(of["alerts"]),
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


def _told(claim: Callable[[str], bool], values: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Whether a claim holds for each value; evaluated once for each distinct value."""
    known = {value: claim(value) for value in set(values)}
    return np.fromiter((known[value] for value in values), np.bool_, len(values))
