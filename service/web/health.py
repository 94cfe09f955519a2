"""Whether the service works as it should."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from thirdcard.service.alerts.room import Room
from thirdcard.service.ports.messages import TableStatus

PLAYING = "playing"


def is_well(room: Room) -> bool:
    """Whether every table is watched and the database answers."""
    try:
        with room.database.reading() as session:
            session.execute(text("SELECT 1"))
    except SQLAlchemyError:
        return False
    return all(is_watched(state) for state in room.live.states())


def is_watched(state: TableStatus) -> bool:
    """Whether a table is watched without a fault."""
    return state.camera == PLAYING and state.fault is None and state.disk_fault is None
