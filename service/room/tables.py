"""How tables stand, with their newest alert."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    names = tuple(state.table_id for state in states)
    last, waiting = room.sharing.get(("tables", names), lambda: _read_alerts(room, names))
    return [(state, last.get(state.table_id), waiting.get(state.table_id, 0)) for state in states]


def _read_alerts(room: Room, names: Sequence[str]) -> tuple[Mapping[str, AlertView], Mapping[str, int]]:
    """The newest alert of each table, and how many nobody has closed."""
    with room.database.reading() as session:
        last = last_alerts(session, names)
        query = (
            select(AlertRow.table_id, func.count())
            .where(AlertRow.state.in_(UNCLOSED), AlertRow.table_id.in_(names))
            .group_by(AlertRow.table_id)
        )
        return last, dict(session.execute(query).all())
