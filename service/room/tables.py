"""How tables stand, with their newest alert."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select

from service.live.messages import TableState
from service.room.alerts import last_alerts
from service.room.life import UNCLOSED
from service.room.room import Room
from service.room.views import AlertView
from service.store.schema import AlertRow

TableStory = tuple[TableState, AlertView | None, int]
"""A table's state, its newest alert, and how many of its alerts nobody has closed."""


def tell_tables(room: Room, states: Sequence[TableState]) -> list[TableStory]:
    """These tables, each with its newest alert."""
    names = [state.table_id for state in states]
    with room.database.reading() as session:
        last = last_alerts(session, names)
        query = (
            select(AlertRow.table_id, func.count())
            .where(AlertRow.state.in_(UNCLOSED), AlertRow.table_id.in_(names))
            .group_by(AlertRow.table_id)
        )
        waiting = dict(session.execute(query).all())
    return [(state, last.get(state.table_id), waiting.get(state.table_id, 0)) for state in states]
