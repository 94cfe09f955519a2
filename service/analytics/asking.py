"""Answer what somebody asks of the figures: by what, of when and where, with the names that he may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

import numpy as np
from sqlalchemy.orm import Session

from thirdcard.service.analytics.figures import Counting, Figures, Labels, figures_by, figures_of_codes
from thirdcard.service.analytics.hour_sums import NOBODY
from thirdcard.service.analytics.pace import Pace, find_paces
from thirdcard.service.analytics.tallies import (
    DURATIONS,
    ERRORS,
    Columns,
    TallyWish,
    list_names,
    read_alerts,
    read_rounds,
)
from thirdcard.service.analytics.trend import Trend, find_trend
from thirdcard.service.config.house import House
from thirdcard.service.store.people import Person


class By(StrEnum):
    """What figures are gathered by."""

    DEALER = "dealer"
    TABLE = "table"
    RULEBOOK = "rulebook"
    CODE = "code"
    SHIFT = "shift"
    HOUR = "hour"
    DAY = "day"


ALIKE = frozenset({By.DEALER, By.TABLE})
"""Of these each says something about the others."""
_COLUMNS = {By.DEALER: "dealer", By.TABLE: "table_id", By.RULEBOOK: "rulebook"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureWish:
    """Which figures are wanted; None and empty: all."""

    from_at: datetime | None = None
    to_at: datetime | None = None
    table: str | None = None
    dealer: str | None = None
    """A name, or a pseudonym."""
    rulebook: str | None = None
    code: str | None = None
    """A code, or the part before its dot, that counts as an error instead of all errors of dealing."""
    shift: str | None = None
    is_confirmed_only: bool = False

    def counting(self) -> Counting:
        """What counts as an error."""
        families = ERRORS if self.code is None else (self.code,)
        return Counting(families=families, is_confirmed_only=self.is_confirmed_only)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asks, and whether dealers' names are shown to him."""

    person: Person
    are_names_shown: bool


@dataclass(slots=True)
class TallyReading:
    """The tallies behind one answer, each read once."""

    session: Session
    house: House
    asker: Asker
    wish: FigureWish
    has_durations: bool = False
    """What phases take is read with the rounds: wanted for the pace alone."""
    _tallies: tuple[Columns, Columns] | None = None
    _figures: dict[By, Figures] = field(default_factory=dict)

    def tallies(self) -> tuple[Columns, Columns]:
        """Of rounds, and of alerts."""
        if self._tallies is None:
            self._tallies = _read(self)
        return self._tallies

    def figures(self, by: By) -> Figures:
        """The figures; dealers by the names that the asker may see."""
        if by not in self._figures:
            self._figures[by] = _figures_of(self, by)
        return self._figures[by]


def tell_figures(session: Session, house: House, asker: Asker, by: By, wish: FigureWish) -> Figures:
    """The figures; dealers by the names that the asker may see."""
    return TallyReading(session, house, asker, wish).figures(by)


def _figures_of(reading: TallyReading, by: By) -> Figures:
    house, asker, wish = reading.house, reading.asker, reading.wish
    rounds, alerts = reading.tallies()
    if by is By.CODE:
        return figures_of_codes(rounds, alerts, wish.counting())
    if by is By.DEALER:
        rounds, alerts = (part.where(part.keys["dealer"] != NOBODY) for part in (rounds, alerts))
    figures = figures_by(rounds, alerts, _labels(house, by), wish.counting(), is_shrunken=by in ALIKE)
    return _named(figures, house, asker) if by is By.DEALER else figures


def trend_from(reading: TallyReading) -> Trend:
    """The rate by day, and its changes."""
    return find_trend(reading.figures(By.DAY).items)


def pace_of_all(reading: TallyReading) -> Pace:
    """The pace of all together."""
    house, rounds = reading.figures(By.TABLE).house, reading.tallies()[0]
    (of_all,) = find_paces([house], [house.name] * len(rounds), rounds.keys[DURATIONS])
    return of_all


def paces_from(reading: TallyReading, by: By) -> list[Pace]:
    """The pace by table, or by hour of the day."""
    figures, rounds = reading.figures(by), reading.tallies()[0]
    in_order = sorted(figures.items, key=lambda figure: figure.name)
    return find_paces(in_order, _labels(reading.house, by)(rounds), rounds.keys[DURATIONS])


def find_dealers(session: Session, house: House, asker: Asker, shown: str) -> list[str]:
    """The names, as the database has them, of the dealers whom somebody names by what is shown to him."""
    if asker.are_names_shown:
        return [shown]
    return house.pseudonyms.find(shown, list_names(session, asker.person, "dealer"))


def _read(reading: TallyReading) -> tuple[Columns, Columns]:
    session, house, asker, wish = reading.session, reading.house, reading.asker, reading.wish
    tallies = _tally_wish(session, house, asker, wish)
    rounds = read_rounds(session, asker.person, tallies, has_durations=reading.has_durations)
    alerts = read_alerts(session, asker.person, tallies)
    return _of_shift(rounds, house, wish.shift), _of_shift(alerts, house, wish.shift)


def _tally_wish(session: Session, house: House, asker: Asker, wish: FigureWish) -> TallyWish:
    dealers = None if wish.dealer is None else find_dealers(session, house, asker, wish.dealer)
    return TallyWish(from_at=wish.from_at, to_at=wish.to_at, table=wish.table, dealers=dealers, rulebook=wish.rulebook)


def _of_shift(columns: Columns, house: House, shift: str | None) -> Columns:
    if shift is None:
        return columns
    fits = {hour: house.time.shift(hour) == shift for hour in set(columns.keys["hour"])}
    return columns.where(np.fromiter((fits[hour] for hour in columns.keys["hour"]), np.bool_, len(columns)))


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
        replace(figure, name=house.shown(figure.name, are_names_shown=asker.are_names_shown))
        for figure in figures.items
    ]
    return replace(figures, items=shown)
