"""Stream a table's live picture as one endless response: each JPEG replaces the one before (MJPEG)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from thirdcard.service.alerts.room import Room
from thirdcard.service.ports.live_tables import Picture

BOUNDARY = "picture"


async def live_pictures(room: Room, table_id: str, may_go_on: Callable[[], bool]) -> AsyncIterator[bytes]:
    """The pictures of a table as they come, until the reader leaves or may no longer see them.

    Browsers show a picture only when the next one begins, so the last picture is sent again if none follows at once.
    """
    version, silent_s, since_check_s = None, 0.0, 0.0
    last: Picture | None = None
    is_shown = False
    while not room.feed.is_over:
        picture = await asyncio.to_thread(room.live.picture, table_id)
        if picture is not None and picture.version != version:
            version, last, silent_s, is_shown = picture.version, picture, 0.0, False
            yield _part(picture)
        elif last is not None and (not is_shown or silent_s >= room.settings.heartbeat_s):
            is_shown, silent_s = True, 0.0
            yield _part(last)  # a closed connection is noticed only when sending
        if since_check_s >= room.settings.heartbeat_s:
            since_check_s = 0.0
            if not await asyncio.to_thread(may_go_on):
                return
        await asyncio.sleep(room.settings.picture_s)
        silent_s += room.settings.picture_s
        since_check_s += room.settings.picture_s


def _part(picture: Picture) -> bytes:
    head = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(picture.jpeg)}\r\n\r\n"
    return head.encode("ascii") + picture.jpeg + b"\r\n"
