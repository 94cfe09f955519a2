"""Answers that are put into words once for all who ask for the same at the same moment."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from pydantic import BaseModel
from starlette.responses import Response

from service.room.room import Room


def shared_json(room: Room, key: Hashable, read: Callable[[], BaseModel]) -> Response:
    """What `read` gives, as JSON; the key names all that it depends on, with the tables that the asker may see."""
    body = room.sharing.get(key, lambda: read().model_dump_json(by_alias=True).encode())
    return Response(body, media_type="application/json")
