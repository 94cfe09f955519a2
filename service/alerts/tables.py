"""The state of tables, with their newest alerts."""

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
"""A table's state, its newest alert, and the number of its unclosed alerts."""


def tell_tables(room: Room, states: Sequence[TableStatus]) -> list[TableStory]:
    """The state of these tables, each with its newest alert."""
    names = tuple(state.table_id for state in states)
    last, waiting = room.sharing.get(("tables", names), lambda: _read_alerts(room, names))
    return [(state, last.get(state.table_id), waiting.get(state.table_id, 0)) for state in states]


def _read_alerts(room: Room, names: Sequence[str]) -> tuple[Mapping[str, AlertView], Mapping[str, int]]:
    """By table: its newest alert, and the number of its unclosed alerts."""
    with room.database.reading() as session:
        last = last_alerts(session, names)
        query = (
            select(AlertRow.table_id, func.count())
            .where(AlertRow.state.in_(UNCLOSED), AlertRow.table_id.in_(names))
            .group_by(AlertRow.table_id)
        )
        return last, dict(session.execute(query).all())
