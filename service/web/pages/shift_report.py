"""Gather a shift report: what a table or a dealer did, on one day or several, beside the house."""

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
    FigureWish,
    TallyReading,
    find_dealers,
    pace_of_all,
)
from thirdcard.service.analytics.figures import Figure
from thirdcard.service.analytics.looks import ask_as
from thirdcard.service.analytics.pace import Pace
from thirdcard.service.analytics.tallies import ERRORS, LATE
from thirdcard.service.store.people import Person
from thirdcard.service.web.pages.figures import ask
from thirdcard.service.web.requests import FigurePageQuery, ReportQuery

MOST_ALERTS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftReport:
    """What a report tells; rates are per 1000 rounds, money is in the tables' smallest unit."""

    subject: str
    period: str
    shift: str
    own: Figure
    house: Figure
    codes: Sequence[Figure]
    days: Sequence[Figure]
    pace: Pace
    alerts: Sequence[AlertView]
    """Those of dealing and late bets that nobody dismissed, the newest first."""
    is_cut: bool
    """Whether there are more alerts."""


def gather(room: Room, person: Person, query: ReportQuery) -> dict[str, Any]:
    """What the report's page shows; without days, of the day that is now."""
    today = room.clock().astimezone(room.settings.house.time.zone).date().isoformat()
    first = query.from_ or query.to or today
    last = query.to or first
    said = {"table": query.table, "dealer": query.dealer, "shift": query.shift, "from": first, "to": last}
    page = FigurePageQuery.model_validate(said)
    asked = ask(room, page)
    asker = ask_as(room, person, "shift report", has_dealers=bool(query.dealer))
    report = _report(room, asker, asked.wish, f"{first} to {last}" if last != first else first)
    return {
        "report": report,
        "query": query,
        "first": first,
        "last": last,
        "now": room.clock(),
        "by": person.name,
        "shifts": [shift.name for shift in asked.house.time.shifts],
    }


def _report(room: Room, asker: Asker, wish: FigureWish, period: str) -> ShiftReport:
    house = room.settings.house
    with room.database.reading() as session:
        reading = TallyReading(session, house, asker, wish, has_durations=True)
        codes, days = reading.figures(By.CODE), reading.figures(By.DAY)
        of_all = pace_of_all(reading)
        dealers = None if wish.dealer is None else find_dealers(session, house, asker, wish.dealer)
        fitting = AlertWish(
            table=wish.table,
            dealers=dealers,
            families=(*ERRORS, LATE),
            states=("open", "acknowledged", "escalated", "confirmed"),
            from_at=wish.from_at,
            to_at=wish.to_at,
        )
        page = list_alerts(session, asker.person, fitting, limit=MOST_ALERTS)
    shown = [one for one in page.items if wish.shift is None or house.time.shift(_hour(one.at)) == wish.shift]
    return ShiftReport(
        subject=f"Table {wish.table}" if wish.table else f"Dealer {wish.dealer}" if wish.dealer else "All tables",
        period=period,
        shift=wish.shift or "",
        own=days.total,
        house=days.house,
        codes=[one for one in codes.items if one.errors],
        days=days.items,
        pace=of_all,
        alerts=shown,
        is_cut=page.next is not None,
    )


def _hour(at: datetime) -> datetime:
    return at - timedelta(minutes=at.minute, seconds=at.second, microseconds=at.microsecond)
