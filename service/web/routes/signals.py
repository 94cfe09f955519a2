"""The reports of devices at a table."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from thirdcard.rules.log.events import Source
from thirdcard.service.alerts.signals import SOURCES, check_signal, keep_signal
from thirdcard.service.store import audit
from thirdcard.service.store.people import Role
from thirdcard.service.web.dependencies import RoomHere, Sender, StrictRoute, seen_table
from thirdcard.service.web.schemas import Accepted

router = APIRouter(prefix="/api/tables/{table_id}/signals", route_class=StrictRoute, tags=["tables"])


@router.post("", status_code=202)
def report(room: RoomHere, person: Sender, table_id: str, body: dict[str, Any]) -> Accepted:
    """Report a line of the table log; `at` is its time, now by default, and `t` can be left out."""
    seen_table(room, person, table_id)
    sources = (Source.SIGNAL,) if person.role is Role.DEVICE else SOURCES
    at, line = check_signal(body, now=room.clock(), areas=room.settings.areas_of(table_id), sources=sources)
    with room.database.writing(is_shown=False) as session:
        number = keep_signal(session, table_id, at, line)
        if line.get("source") == Source.PERSON:
            audit.note(session, person.name, f"signal.{line['type']}", f"table:{table_id}", at=room.clock(), line=line)
    room.live.nudge(table_id)
    return Accepted(id=number, at=at)
