"""The alert stream as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from functools import lru_cache

from thirdcard.service.alerts.alert_schemas import AlertOut, ChangeOut
from thirdcard.service.alerts.feed import FeedEntry, FeedPlace, follow
from thirdcard.service.alerts.room import Room
from thirdcard.service.store.people import Person

NEWEST = 256
"""The number of entries whose JSON is cached."""
RETRY_MS = 2000
"""The time in milliseconds after which a browser reconnects."""


async def alert_events(
    room: Room, person: Person, place: FeedPlace, may_go_on: Callable[[], bool]
) -> AsyncIterator[str]:
    """The events after a place on the tables that the person may see."""
    yield f"retry: {RETRY_MS}\nid: {place}\n\n"
    async for entries in follow(room.feed, place, heartbeat_s=room.settings.heartbeat_s):
        if not entries:
            if not await asyncio.to_thread(may_go_on):
                return
            yield ": still here\n\n"
            continue
        told = []
        for entry in entries:
            place = entry.place_after(place)
            if person.may_see(entry.table_id):
                told.append(_event(entry, place))
        if told:
            yield "".join(told)


def _event(entry: FeedEntry, place: FeedPlace) -> str:
    if entry.alert is not None:
        return f"event: alert\nid: {place}\ndata: {_data(entry)}\n\n"
    if entry.change is not None:
        return f"event: change\nid: {place}\ndata: {_data(entry)}\n\n"
    return f"event: evidence\ndata: {_data(entry)}\n\n"


@lru_cache(maxsize=NEWEST)
def _data(entry: FeedEntry) -> str:
    """The data of an entry for all listeners, serialised once."""
    if entry.alert is not None:
        return AlertOut.of(entry.alert).model_dump_json(by_alias=True)
    if entry.change is not None:
        return ChangeOut.of(entry.change).model_dump_json()
    return json.dumps({"alert": entry.shown, "table": entry.table_id})
