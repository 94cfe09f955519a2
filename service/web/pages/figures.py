"""The data of the pages of figures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from thirdcard.service.alerts.room import Room
from thirdcard.service.analytics.asking import (
    NO_DEALER,
    By,
    FigureWish,
    TallyReading,
    pace_of_all,
    paces_from,
    trend_from,
)
from thirdcard.service.analytics.looks import ask_as
from thirdcard.service.analytics.tallies import list_names
from thirdcard.service.config.house import House
from thirdcard.service.store.people import Person
from thirdcard.service.web.pages.plots import plot_forest, plot_funnel, plot_paces, plot_trend
from thirdcard.service.web.requests import FigurePageQuery

PERIOD = timedelta(days=90)
"""The default period."""
FAMILIES = {
    "": "All errors of dealing",
    "misdeal": "Misdeals",
    "exposed_card": "Exposed cards",
    "procedure": "Procedure",
    "payout": "Payouts",
    "late_bet": "Late bets",
    "limit": "Limits",
    "camera": "Cameras",
}
VIEWS = {"dealers": "Dealers", "tables": "Tables", "codes": "Codes", "trend": "Trend", "pace": "Pace"}
LIKELY = 0.95
"""The probability from which a figure is reported as above, or below, the house."""


@dataclass(frozen=True, slots=True)
class CoveredDays:
    """The days of the house's clock that a page covers, both inclusive."""

    first: date
    last: date
    is_under_way: bool
    """Whether the last day is not over."""

    def __str__(self) -> str:
        first, last = f"{self.first:%-d %b %Y}", f"{self.last:%-d %b %Y}"
        so_far = ", so far" if self.is_under_way else ""
        return f"{first}{so_far}" if first == last else f"{first} to {last}{so_far}"


@dataclass(frozen=True, slots=True)
class FigureFilters:
    """A page's parsed filters."""

    query: FigurePageQuery
    wish: FigureWish
    house: House
    today: date

    @property
    def is_narrowed(self) -> bool:
        """Whether a table or a dealer was selected, rather than the whole house."""
        return bool(self.query.table or self.query.dealer)

    @property
    def subject(self) -> str:
        """The subject of the figures in words."""
        query = self.query
        said = (f"table {query.table}" if query.table else "", f"dealer {query.dealer}" if query.dealer else "")
        return ", ".join(filter(None, said)) or "the whole house"

    def covered(self, reading: TallyReading) -> CoveredDays:
        """The days covered; without a start, from the first round on."""
        zone, hours = self.house.time.zone, reading.whole().rounds.keys["hour"]
        begin, end = self.wish.from_at, self.wish.to_at
        last = self.today if end is None else (end - timedelta(seconds=1)).astimezone(zone).date()
        begin = begin or min(hours, default=None)
        first = last if begin is None else begin.astimezone(zone).date()
        return CoveredDays(first, last, last >= self.today)

    def link(self, view: str, **changes: str) -> str:
        """The link to another view, or to the same with changed filters."""
        said = self.query.model_dump(by_alias=True) | changes
        kept = {name: "1" if value is True else value for name, value in said.items() if value}
        return f"/analytics/{view}?{urlencode(kept)}" if kept else f"/analytics/{view}"

    def alerts(self, **of: str) -> str:
        """The link to the alerts behind a figure."""
        query = self.query
        said = {"table": query.table, "dealer": query.dealer, "code": query.code or "dealing"} | of
        said["show"] = "confirmed" if query.confirmed else "counted"
        wish = self.wish
        moments = {"from": wish.from_at, "to": wish.to_at}
        said |= {name: at.isoformat() for name, at in moments.items() if at is not None and name not in of}
        return "/alerts?" + urlencode({name: value for name, value in said.items() if value})

    def alerts_of_day(self, day: str) -> str:
        """The link to the alerts of a day by the house's clock."""
        begin = datetime.combine(datetime.fromisoformat(day), time(), self.house.time.zone)
        end = begin + timedelta(days=1)
        return self.alerts(**{"from": begin.isoformat(), "to": end.isoformat()})


def ask(room: Room, query: FigurePageQuery) -> FigureFilters:
    """Parse a page's filters; without days, the last three months."""
    house = room.settings.house
    from_at = _day(query.from_, house) if query.from_ else None
    to_at = _day(query.to, house, after=1) if query.to else None
    today = room.clock().astimezone(house.time.zone).date()
    if from_at is None and to_at is None:
        from_at = _day((today - PERIOD).isoformat(), house)
    wish = FigureWish(
        from_at=from_at,
        to_at=to_at,
        table=query.table or None,
        dealer=query.dealer or None,
        rulebook=query.rulebook or None,
        code=query.code or None,
        shift=query.shift or None,
        is_confirmed_only=query.confirmed,
    )
    return FigureFilters(query, wish, house, today)


def page(room: Room, person: Person, view: str, query: FigurePageQuery) -> dict[str, Any]:
    """One view of the figures with its filters."""
    asked = ask(room, query)
    has_dealers = view == "dealers" or bool(query.dealer)
    asker = ask_as(room, person, "analytics", has_dealers=has_dealers)
    with room.database.reading() as session:
        reading = TallyReading(session, asked.house, asker, asked.wish, has_durations=view == "pace")
        shown = _SHOWN[view](reading, asked) | {"covered": asked.covered(reading)}
        choices = {
            "tables": list_names(session, person, "table_id"),
            "rulebooks": list_names(session, person, "rulebook"),
        }
    shifts = [shift.name for shift in asked.house.time.shifts]
    return {
        "view": view,
        "views": VIEWS,
        "asked": asked,
        "query": query,
        "families": FAMILIES,
        "shifts": shifts,
        "are_names_shown": asker.are_names_shown,
        "likely": LIKELY,
        "no_dealer": NO_DEALER,
        "amounts": asked.house.settings.money,
        **choices,
        **shown,
    }


def _day(text: str, house: House, *, after: int = 0) -> datetime:
    begin = datetime.combine(datetime.fromisoformat(text), time(), house.time.zone)
    return begin + timedelta(days=after)


def _alike(by: By) -> Any:
    def show(reading: TallyReading, asked: FigureFilters) -> dict[str, Any]:
        figures = reading.figures(by)
        forest, funnel = plot_forest(figures.items, figures.house), plot_funnel(figures.items, figures.house)
        return {"figures": figures, "forest": forest, "funnel": funnel, "by": by.value}

    return show


def _codes(reading: TallyReading, asked: FigureFilters) -> dict[str, Any]:
    figures = reading.figures(By.CODE)
    wanted = asked.query.code
    some = [one for one in figures.items if one.name == wanted or one.name.startswith(f"{wanted}.") or not wanted]
    return {"figures": figures, "forest": plot_forest(some, figures.house), "by": "code"}


def _trend(reading: TallyReading, asked: FigureFilters) -> dict[str, Any]:
    trend = trend_from(reading)
    shifts = reading.figures(By.SHIFT)
    hours = reading.figures(By.HOUR)
    return {
        "trend": trend,
        "plot": plot_trend(trend),
        "figures": shifts,
        "by_shift": plot_forest(shifts.items, shifts.house),
        "by_hour": plot_forest(hours.items, hours.house),
    }


def _pace(reading: TallyReading, asked: FigureFilters) -> dict[str, Any]:
    of_all = pace_of_all(reading)
    return {
        "of_all": of_all,
        "by_table": plot_paces([of_all, *paces_from(reading, By.TABLE)]),
        "by_hour": plot_paces(paces_from(reading, By.HOUR)),
        "figures": reading.figures(By.TABLE),
    }


_SHOWN = {"dealers": _alike(By.DEALER), "tables": _alike(By.TABLE), "codes": _codes, "trend": _trend, "pace": _pace}
