"""Check the dealers' figures on simulated floors where one mistake often raises two alerts.

    python -m tests.endurance.erring_trial

The dealers' rates are drawn from a Gamma distribution with a mean of four erring rounds in a thousand. Each erring
round has one alert or two. The program prints the share of intervals that contain the true rate, and the share of
steady dealers whose rate is reported as changed. Both are given twice: by erring rounds, as the figures count, and by
alerts, as if each alert were an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from thirdcard.service.analytics.change_points import find_segments
from thirdcard.service.analytics.figures import Counting, Figure, figures_by
from thirdcard.service.analytics.hour_sums import Fault, format_faults
from thirdcard.service.analytics.rates import Floats, mid_p_interval
from thirdcard.service.analytics.tallies import CODE_SUMS, FAULTS, ROUND_SUMS, Columns, Tallies
from thirdcard.service.analytics.trend import find_trend

MEAN, SHAPE = 0.004, 4.0
TWICE = 0.5
"""The share of erring rounds with two alerts."""
FIRST, SECOND = Fault("misdeal.order", "open"), Fault("procedure.no_call", "open")
BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class DealtFloor:
    """The rounds and errors of each dealer on each day; arrays are (dealers, days)."""

    truth: Floats
    """(dealers,) the true share of rounds with an error."""
    rounds: NDArray[np.int64]
    once: NDArray[np.int64]
    """Erring rounds with one alert."""
    twice: NDArray[np.int64]
    """Erring rounds with two alerts."""

    @property
    def alerts(self) -> NDArray[np.int64]:
        """The number of alerts."""
        return self.once + 2 * self.twice


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptWord:
    """How reliable the figures are, as shares of dealers."""

    held: float
    """Dealers whose interval contains the true rate, by erring rounds."""
    held_by_alerts: float
    changed: float
    """Steady dealers whose rate is reported as changed, by erring rounds."""
    changed_by_alerts: float


def deal_floor(dice: np.random.Generator, dealers: int, days: int, rounds_a_day: float) -> DealtFloor:
    """Return a floor of dealers whose rates never change."""
    truth = dice.gamma(SHAPE, MEAN / SHAPE, dealers)
    rounds = dice.poisson(rounds_a_day, (dealers, days)).astype(np.int64)
    erring = dice.binomial(rounds, truth[:, None])
    twice = dice.binomial(erring, TWICE)
    return DealtFloor(truth=truth, rounds=rounds, once=erring - twice, twice=twice)


def tally(floor: DealtFloor) -> Tallies:
    """Return the floor's sums as the service stores them, with one hour a day."""
    dealers, days = np.divmod(np.arange(floor.rounds.size), floor.rounds.shape[1])
    keys = {
        "hour": np.array([BEGAN + timedelta(days=int(day)) for day in days], object),
        "dealer": np.array([f"{dealer:05}" for dealer in dealers], object),
    }
    one, two = (np.full(dealers.size, format_faults(of), object) for of in ((FIRST,), (FIRST, SECOND)))
    first, second = (np.full(dealers.size, fault, object) for fault in (FIRST.code, SECOND.code))
    states = np.full(dealers.size, FIRST.state, object)
    return Tallies(
        rounds=_columns([keys], [floor.rounds], ROUND_SUMS),
        alerts=_columns(
            [keys | {"code": first, "state": states}, keys | {"code": second, "state": states}],
            [floor.once + floor.twice, floor.twice],
            CODE_SUMS,
        ),
        erring=_columns([keys | {FAULTS: one}, keys | {FAULTS: two}], [floor.once, floor.twice], ("rounds",)),
    )


def figures_of(floor: DealtFloor) -> list[Figure]:
    """Return a figure for each dealer, in order."""
    found = figures_by(tally(floor), lambda rows: rows.keys["dealer"].tolist(), Counting(), is_shrunken=False)
    return list(found.items)


def is_told_changed(floor: DealtFloor, dealer: int) -> bool:
    """Return whether the trend reports that the dealer's rate changed."""
    alone = slice(dealer, dealer + 1)
    his = DealtFloor(
        truth=floor.truth[alone], rounds=floor.rounds[alone], once=floor.once[alone], twice=floor.twice[alone]
    )
    days = figures_by(tally(his), lambda rows: [f"{at:%F}" for at in rows.keys["hour"]], Counting(), is_shrunken=False)
    return bool(find_trend(days.items).changes)


def try_floor(floor: DealtFloor, *, trends: int) -> KeptWord:
    """Return how reliable the figures are; changes are looked for at the first `trends` dealers."""
    figures = figures_of(floor)
    held = [one.raw.low <= truth * 1000 <= one.raw.high for one, truth in zip(figures, floor.truth, strict=True)]
    by_alerts = mid_p_interval(floor.alerts.sum(axis=1), floor.rounds.sum(axis=1))
    per_round = floor.truth * (1 + TWICE)
    held_by_alerts = (by_alerts.low <= per_round) & (per_round <= by_alerts.high)
    changed = [is_told_changed(floor, dealer) for dealer in range(trends)]
    alerts, rounds = floor.alerts.tolist(), floor.rounds.tolist()
    by_count = [len(find_segments(alerts[dealer], rounds[dealer])) > 1 for dealer in range(trends)]
    return KeptWord(
        held=float(np.mean(held)),
        held_by_alerts=float(np.mean(held_by_alerts)),
        changed=float(np.mean(changed)),
        changed_by_alerts=float(np.mean(by_count)),
    )


def main() -> None:
    """Simulate floors of several sizes, and print how reliable the figures are."""
    for days, rounds_a_day in ((14, 250), (30, 120), (60, 120), (90, 60), (90, 250), (180, 120)):
        floor = deal_floor(np.random.default_rng(days + rounds_a_day), 4000, days, rounds_a_day)
        told = try_floor(floor, trends=1500)
        print(
            f"{days:4} days of {rounds_a_day:4} rounds: "
            f"intervals hold {told.held:.1%} (by alerts {told.held_by_alerts:.1%}), "
            f"steady dealers changed {told.changed:.1%} (by alerts {told.changed_by_alerts:.1%})",
            flush=True,
        )


def _columns(
    keys: list[dict[str, NDArray[np.object_]]], counts: list[NDArray[np.int64]], names: tuple[str, ...]
) -> Columns:
    """Return a row for each count, also for zero; all other sums are zero."""
    joined = {name: np.concatenate([of[name] for of in keys]) for name in keys[0]}
    of_all = np.concatenate([count.ravel() for count in counts]).astype(np.float64)
    return Columns(joined, {name: of_all if name == names[0] else np.zeros(of_all.size) for name in names})


if __name__ == "__main__":
    main()
