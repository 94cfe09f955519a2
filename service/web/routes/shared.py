"""Answers that are serialised once for all who ask for the same at the same time."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from thirdcard.service.alerts.room import Room


def nudge(room: Room, table_id: str) -> None:
    """Notify a table's process, where there is one, that something is requested of it."""
    if room.live.state(table_id) is not None:
        room.live.nudge(table_id)


async def shared_json(room: Room, key: Hashable, read: Callable[[], BaseModel]) -> Response:
    """The result of `read` as JSON; the key names all that it depends on, including the tables that may be seen.

    A cached answer is sent at once; `read` runs in a thread.
    """
    body: bytes | None = room.sharing.peek(key)
    if body is None:
        body = await run_in_threadpool(room.sharing.get, key, lambda: read().model_dump_json(by_alias=True).encode())
    return Response(body, media_type="application/json")
