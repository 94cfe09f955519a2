"""The data of the decisions page. Days are those of the house's clock, the last one inclusive."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from thirdcard.service.alerts.alerts import AlertWish
from thirdcard.service.alerts.decisions import tell_decisions
from thirdcard.service.alerts.room import Room
from thirdcard.service.store.people import Person
from thirdcard.service.web.asking import all_tables
from thirdcard.service.web.decision_schemas import DecisionPageQuery, DecisionsOut


def decisions(room: Room, person: Person, query: DecisionPageQuery) -> dict[str, Any]:
    """The figures and the filters."""
    zone = ZoneInfo(room.settings.time_zone)
    from_at, to_at = begin_of(query.from_, zone, later=0), begin_of(query.to, zone, later=1)
    wish = AlertWish(table=query.table or None, code=query.code or None, from_at=from_at, to_at=to_at)
    with room.database.reading() as session:
        found = [DecisionsOut.of(one) for one in tell_decisions(session, person, wish, query.by)]
    stretch = {name: at.isoformat() for name, at in (("from", from_at), ("to", to_at)) if at is not None}
    narrowed = {name: value for name, value in (("table", query.table), ("code", query.code)) if value}
    return {
        "found": found,
        "query": query,
        "behind": urlencode(narrowed | stretch),
        "as_csv": urlencode({"by": str(query.by), "format": "csv"} | narrowed | stretch),
        "tables": all_tables(room, person),
    }


def begin_of(day: datetime | str | None, zone: ZoneInfo, *, later: int) -> datetime | None:
    """The start of a day by the house's clock, `later` days added; a time is returned unchanged."""
    if day is None or isinstance(day, datetime):
        return day
    return datetime.fromisoformat(day).replace(tzinfo=zone) + timedelta(days=later)
