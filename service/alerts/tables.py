"""How tables stand, with their newest alert."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import func, select

from thirdcard.service.alerts.alerts import last_alerts
from thirdcard.service.alerts.room import Room
from thirdcard.service.alerts.views import AlertView
from thirdcard.service.ports.messages import TableStatus
from thirdcard.service.store.alert_states import UNCLOSED
from thirdcard.service.store.schema import AlertRow

TableStory = tuple[TableStatus, AlertView | None, int]
"""A table's state, its newest alert, and how many of its alerts nobody has closed."""


def tell_tables(room: Room, states: Sequence[TableStatus]) -> list[TableStory]:
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
