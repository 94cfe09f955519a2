"""The alert stream as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable

from service.room.feed import Entry, Place, follow
from service.room.room import Room
from service.schemas import AlertOut, ChangeOut
from service.store.people import Person

RETRY_MS = 2000
"""How long a browser waits before it comes back."""


async def alert_events(room: Room, person: Person, place: Place, may_go_on: Callable[[], bool]) -> AsyncIterator[str]:
    """What happens after a place on the tables that the person may see."""
    yield f"retry: {RETRY_MS}\nid: {place}\n\n"
    async for entry in follow(room.feed, place, heartbeat_s=room.settings.heartbeat_s):
        if entry is None:
            if not await asyncio.to_thread(may_go_on):
                return
            yield ": still here\n\n"
            continue
        place = entry.place_after(place)
        if person.may_see(entry.table_id):
            yield _event(entry, place)


def _event(entry: Entry, place: Place) -> str:
    if entry.alert is not None:
        return f"event: alert\nid: {place}\ndata: {AlertOut.of(entry.alert).model_dump_json(by_alias=True)}\n\n"
    if entry.change is not None:
        return f"event: change\nid: {place}\ndata: {ChangeOut.of(entry.change).model_dump_json()}\n\n"
    return f"event: evidence\ndata: {json.dumps({'alert': entry.shown, 'table': entry.table_id})}\n\n"
