"""A floor whose truth is known and where one mistake often raises two alerts: do the figures keep what they say?

    python -m tests.endurance.erring_trial

Dealers with Gamma rates, four erring rounds in a thousand on the mean; each erring round has one alert, or two. Counted
are the intervals that hold the truth, and the steady dealers whose rate is said to have changed: by erring rounds, as
the figures have it, and by alerts, as they would be if each alert were an error.
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
    """What dealers did, day by day; arrays are (dealers, days)."""

    truth: Floats
    """(dealers,) erring rounds a round."""
    rounds: NDArray[np.int64]
    once: NDArray[np.int64]
    """Erring rounds with one alert."""
    twice: NDArray[np.int64]
    """Those with two."""

    @property
    def alerts(self) -> NDArray[np.int64]:
        """All of them."""
        return self.once + 2 * self.twice


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptWord:
    """Shares of dealers."""

    held: float
    """Whose interval holds the truth, by erring rounds."""
    held_by_alerts: float
    changed: float
    """Steady ones whose rate is said to have changed, by erring rounds."""
    changed_by_alerts: float


def deal_floor(dice: np.random.Generator, dealers: int, days: int, rounds_a_day: float) -> DealtFloor:
    """A floor of dealers whose rates never change."""
    truth = dice.gamma(SHAPE, MEAN / SHAPE, dealers)
    rounds = dice.poisson(rounds_a_day, (dealers, days)).astype(np.int64)
    erring = dice.binomial(rounds, truth[:, None])
    twice = dice.binomial(erring, TWICE)
    return DealtFloor(truth=truth, rounds=rounds, once=erring - twice, twice=twice)


def tally(floor: DealtFloor) -> Tallies:
    """The floor as the service sums it up: an hour a day."""
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
    """A figure for each dealer, in order."""
    found = figures_by(tally(floor), lambda rows: rows.keys["dealer"].tolist(), Counting(), is_shrunken=False)
    return list(found.items)


def is_told_changed(floor: DealtFloor, dealer: int) -> bool:
    """Whether the trend tells that the dealer's rate changed."""
    alone = slice(dealer, dealer + 1)
    his = DealtFloor(
        truth=floor.truth[alone], rounds=floor.rounds[alone], once=floor.once[alone], twice=floor.twice[alone]
    )
    days = figures_by(tally(his), lambda rows: [f"{at:%F}" for at in rows.keys["hour"]], Counting(), is_shrunken=False)
    return bool(find_trend(days.items).changes)


def try_floor(floor: DealtFloor, *, trends: int) -> KeptWord:
    """How often the figures keep what they say; changes are looked for at so many of the dealers."""
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
    """Deal floors of several sizes, and print what they say."""
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
    """Rows for each count, none left out; what else is summed is zero."""
    joined = {name: np.concatenate([of[name] for of in keys]) for name in keys[0]}
    of_all = np.concatenate([count.ravel() for count in counts]).astype(np.float64)
    return Columns(joined, {name: of_all if name == names[0] else np.zeros(of_all.size) for name in names})


if __name__ == "__main__":
    main()
