"""Answer a request for figures: grouped how, of which time and place, with the names that the person may see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from thirdcard.service.analytics.figures import WHOLE, Counting, Figures, Labels, figures_by, figures_of_codes
from thirdcard.service.analytics.hour_sums import NOBODY
from thirdcard.service.analytics.pace import Pace, find_paces
from thirdcard.service.analytics.tallies import (
    DURATIONS,
    ERRORS,
    Columns,
    Tallies,
    TallyWish,
    list_names,
    read_alerts,
    read_erring,
    read_rounds,
)
from thirdcard.service.analytics.trend import Trend, find_trend
from thirdcard.service.config.house import House
from thirdcard.service.dealers.register import registered_name
from thirdcard.service.store.people import Person


class By(StrEnum):
    """How figures are grouped."""

    DEALER = "dealer"
    TABLE = "table"
    RULEBOOK = "rulebook"
    CODE = "code"
    SHIFT = "shift"
    HOUR = "hour"
    DAY = "day"


NO_DEALER = "no dealer"
"""Shown in place of a name for rounds without a dealer; also usable as a filter."""
ALIKE = frozenset({By.DEALER, By.TABLE})
"""Groupings whose members inform each other's estimates."""
_COLUMNS = {By.DEALER: "dealer", By.TABLE: "table_id", By.RULEBOOK: "rulebook"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureWish:
    """A filter for figures; None and empty match all."""

    from_at: datetime | None = None
    to_at: datetime | None = None
    table: str | None = None
    dealer: str | None = None
    """A name or a pseudonym; `NO_DEALER` for rounds without one."""
    rulebook: str | None = None
    code: str | None = None
    """A code, or the part before its dot: only this counts as an error. None: all dealing errors."""
    shift: str | None = None
    is_confirmed_only: bool = False

    def counting(self) -> Counting:
        """What counts as an error."""
        families = ERRORS if self.code is None else (self.code,)
        return Counting(families=families, is_confirmed_only=self.is_confirmed_only)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asks, and whether they may see dealers' names."""

    person: Person
    are_names_shown: bool


@dataclass(slots=True)
class TallyReading:
    """The tallies for one answer, each read once."""

    session: Session
    house: House
    asker: Asker
    wish: FigureWish
    has_durations: bool = False
    """Whether phase durations are read too; only the pace needs them."""
    _whole: Tallies | None = None
    _tallies: Tallies | None = None
    _figures: dict[By, Figures] = field(default_factory=dict)

    def whole(self) -> Tallies:
        """The whole house's tallies of that time, whatever table or dealer is asked for."""
        if self._whole is None:
            self._whole = _read(self)
        return self._whole

    def tallies(self) -> Tallies:
        """The tallies that match the request."""
        if self._tallies is None:
            self._tallies = _of_some(self)
        return self._tallies

    def figures(self, by: By) -> Figures:
        """The figures in that grouping, with dealers' names as the person may see them."""
        if by not in self._figures:
            self._figures[by] = _figures_of(self, by)
        return self._figures[by]


def tell_figures(session: Session, house: House, asker: Asker, by: By, wish: FigureWish) -> Figures:
    """The figures in that grouping, with dealers' names as the person may see them."""
    return TallyReading(session, house, asker, wish).figures(by)


def _figures_of(reading: TallyReading, by: By) -> Figures:
    house, asker, counting = reading.house, reading.asker, reading.wish.counting()
    tallies, whole = reading.tallies(), reading.whole()
    if by is By.CODE:
        figures = figures_of_codes(tallies, counting)
    else:
        figures = figures_by(tallies, _labels(house, by), counting, is_shrunken=by in ALIKE)
    if tallies is not whole:
        of_house = figures_by(whole, lambda rows: [WHOLE] * len(rows), counting, is_shrunken=False).total
        figures = replace(figures, house=of_house)
    return _named(figures, house, asker) if by is By.DEALER else figures


def trend_from(reading: TallyReading) -> Trend:
    """The daily rate and its changes."""
    return find_trend(reading.figures(By.DAY).items)


def pace_of_all(reading: TallyReading) -> Pace:
    """The pace of all rounds together."""
    total, rounds = reading.figures(By.TABLE).total, reading.tallies().rounds
    (of_all,) = find_paces([total], [total.name] * len(rounds), rounds.keys[DURATIONS])
    return of_all


def paces_from(reading: TallyReading, by: By) -> list[Pace]:
    """The pace by table, or by hour of the day."""
    figures, rounds = reading.figures(by), reading.tallies().rounds
    in_order = sorted(figures.items, key=lambda figure: figure.name)
    return find_paces(in_order, _labels(reading.house, by)(rounds), rounds.keys[DURATIONS])


def find_dealers(session: Session, house: House, asker: Asker, shown: str) -> list[str]:
    """The dealers' names in the database for a name as it is shown to the person, in any spelling, or a number."""
    if shown == NO_DEALER:
        return [NOBODY]
    if asker.are_names_shown:
        return [registered_name(session, shown)]
    return house.pseudonyms.find(shown, list_names(session, asker.person, "dealer"))


def _read(reading: TallyReading) -> Tallies:
    session, person, wish = reading.session, reading.asker.person, reading.wish
    wanted = TallyWish(from_at=wish.from_at, to_at=wish.to_at, rulebook=wish.rulebook)
    found = Tallies(
        rounds=read_rounds(session, person, wanted, has_durations=reading.has_durations),
        alerts=read_alerts(session, person, wanted),
        erring=read_erring(session, person, wanted),
    )
    return found if wish.shift is None else found.where(_is_of_shift(reading.house, wish.shift))


def _of_some(reading: TallyReading) -> Tallies:
    found, wish = reading.whole(), reading.wish
    if wish.table is not None:
        found = found.where(lambda rows: rows.keys["table_id"] == wish.table)
    if wish.dealer is not None:
        dealers = find_dealers(reading.session, reading.house, reading.asker, wish.dealer)
        found = found.where(lambda rows: np.isin(rows.keys["dealer"].astype(str), dealers))
    return found


def _is_of_shift(house: House, shift: str) -> Callable[[Columns], NDArray[np.bool_]]:
    def fits(rows: Columns) -> NDArray[np.bool_]:
        known = {hour: house.time.shift(hour) == shift for hour in set(rows.keys["hour"])}
        return np.fromiter((known[hour] for hour in rows.keys["hour"]), np.bool_, len(rows))

    return fits


def _labels(house: House, by: By) -> Labels:
    if by in _COLUMNS:
        return lambda rows: rows.keys[_COLUMNS[by]].tolist()
    of_hour = house.time.labels()[by]

    def labels(rows: Columns) -> Sequence[str]:
        known = {hour: of_hour(hour) for hour in set(rows.keys["hour"])}
        return [known[hour] for hour in rows.keys["hour"]]

    return labels


def _named(figures: Figures, house: House, asker: Asker) -> Figures:
    shown = [
        replace(figure, name=house.shown(figure.name, are_names_shown=asker.are_names_shown) or NO_DEALER)
        for figure in figures.items
    ]
    return replace(figures, items=shown)
