"""The data of a shift report: a table's or a dealer's figures for one or several days, beside the house's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from thirdcard.service.alerts.alerts import AlertWish, list_alerts
from thirdcard.service.alerts.room import Room
from thirdcard.service.alerts.views import AlertView
from thirdcard.service.analytics.asking import (
    Asker,
    By,
    TallyReading,
    find_dealers,
    pace_of_all,
)
from thirdcard.service.analytics.figures import Figure
from thirdcard.service.analytics.looks import ask_as
from thirdcard.service.analytics.pace import Pace
from thirdcard.service.analytics.tallies import ERRORS, LATE
from thirdcard.service.store.alert_states import UNCLOSED, AlertState
from thirdcard.service.store.people import Person
from thirdcard.service.web.pages.figures import FAMILIES, CoveredDays, FigureFilters, ask
from thirdcard.service.web.requests import FigurePageQuery

MOST_ALERTS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftReport:
    """The content of a report; rates are per 1000 rounds, money is in the tables' minor units."""

    subject: str
    covered: CoveredDays
    shift: str
    counted: str
    """Which errors count, in words; empty for all dealing errors that nobody dismissed."""
    own: Figure
    house: Figure
    codes: Sequence[Figure]
    days: Sequence[Figure]
    pace: Pace
    confirmed: Sequence[AlertView]
    """The counted alerts, and those of late bets, the newest first."""
    undecided: Sequence[AlertView]
    is_cut: bool
    """Whether there are more alerts than listed."""


def gather(room: Room, person: Person, query: FigurePageQuery) -> dict[str, Any]:
    """The data of the report's page, with the same period and filters as the lists of figures."""
    asked = ask(room, query)
    asker = ask_as(room, person, "shift report", has_dealers=bool(query.dealer))
    return {
        "report": _report(room, asker, asked),
        "query": query,
        "asked": asked,
        "amounts": asked.house.settings.money,
        "now": room.clock(),
        "by": person.name,
        "shifts": [shift.name for shift in asked.house.time.shifts],
    }


def _report(room: Room, asker: Asker, asked: FigureFilters) -> ShiftReport:
    house, wish = asked.house, asked.wish
    with room.database.reading() as session:
        reading = TallyReading(session, house, asker, wish, has_durations=True)
        codes, days = reading.figures(By.CODE), reading.figures(By.DAY)
        of_all, covered = pace_of_all(reading), asked.covered(reading)
        dealers = None if wish.dealer is None else find_dealers(session, house, asker, wish.dealer)
        fitting = AlertWish(
            table=wish.table,
            dealers=dealers,
            code=wish.code,
            families=() if wish.code else (*ERRORS, LATE),
            states=(*UNCLOSED, AlertState.CONFIRMED),
            from_at=wish.from_at,
            to_at=wish.to_at,
        )
        page = list_alerts(session, asker.person, fitting, limit=MOST_ALERTS)
    shown = [one for one in page.items if _fits(one, asked)]
    return ShiftReport(
        subject=f"{asked.subject[:1].upper()}{asked.subject[1:]}",
        covered=covered,
        shift=wish.shift or "",
        counted=_counted(asked.query),
        own=days.total,
        house=days.house,
        codes=[one for one in codes.items if one.errors],
        days=days.items,
        pace=of_all,
        confirmed=[one for one in shown if one.state == AlertState.CONFIRMED],
        undecided=[one for one in shown if one.state != AlertState.CONFIRMED],
        is_cut=page.next is not None,
    )


def _fits(one: AlertView, asked: FigureFilters) -> bool:
    wish = asked.wish
    is_of_shift = wish.shift is None or asked.house.time.shift(_hour(one.at)) == wish.shift
    return is_of_shift and wish.rulebook in (None, one.body["rulebook"])


def _counted(query: FigurePageQuery) -> str:
    said = (query.rulebook, FAMILIES.get(query.code, query.code) if query.code else "",
            "confirmed alerts only" if query.confirmed else "")  # fmt: skip
    return "".join(f", {part}" for part in said if part)


def _hour(at: datetime) -> datetime:
    return at - timedelta(minutes=at.minute, seconds=at.second, microseconds=at.microsecond)
