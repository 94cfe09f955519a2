"""The data of the pages of dealers and of the roster."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from thirdcard.service.alerts.room import Room
from thirdcard.service.dealers.register import active_names, list_dealers
from thirdcard.service.dealers.roster import list_stints
from thirdcard.service.store.people import Person
from thirdcard.service.web.asking import known_tables
from thirdcard.service.web.requests import RosterPageQuery

DAY = timedelta(days=1)


def dealers(room: Room) -> dict[str, Any]:
    """The register: confirmed dealers, and names that only logs have."""
    with room.database.reading() as session:
        found = list_dealers(session)
    names = {one.name: one.id for one in found}
    return {
        "known": [one for one in found if one.is_confirmed],
        "unknown": [(one, names.get(one.looks_like or "")) for one in found if not one.is_confirmed],
        "pseudonym": room.settings.house.pseudonyms.of,
    }


def roster(room: Room, person: Person, query: RosterPageQuery) -> dict[str, Any]:
    """A day of the roster, by table."""
    zone = ZoneInfo(room.settings.time_zone)
    day = date.fromisoformat(query.day) if query.day else room.clock().astimezone(zone).date()
    from_at = datetime.combine(day, time(), zone)
    with room.database.reading() as session:
        found = list_stints(session, table_id=query.table or None, from_at=from_at, to_at=from_at + DAY)
        names = active_names(session)
        tables = sorted({*known_tables(session, person), *_watched(room, person)})
    seen = [one for one in found if person.may_see(one.table_id)]
    return {
        "day": day,
        "from_at": from_at,
        "before": day - DAY,
        "after": day + DAY,
        "table": query.table,
        "by_table": {table: [one for one in seen if one.table_id == table] for table in _in_order(seen)},
        "dealers": names,
        "tables": tables,
    }


def _watched(room: Room, person: Person) -> list[str]:
    return [one.table_id for one in room.live.states() if person.may_see(one.table_id)]


def _in_order(stints: list[Any]) -> list[str]:
    return sorted({one.table_id for one in stints})
