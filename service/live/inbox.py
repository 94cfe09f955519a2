"""Read devices' reports: the service stores them, the table's process reads them.

A report counts as taken only once its line is written, so one that a crash lost is read again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from thirdcard.rules.log.events import Event, parse_event
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import SignalRow


@dataclass(slots=True)
class Inbox:
    """The reports of one table's devices."""

    database: Database
    table_id: str
    began_at: datetime
    """The time of t = 0."""
    _has_mail: bool = True
    _last_id: int = 0
    _waiting: dict[int, float] = field(default_factory=dict)
    """Stream times of reports that were read and are not written yet."""

    def wake(self) -> None:
        """Signal that there may be reports."""
        self._has_mail = True

    def take(self, now_t: float) -> list[Event]:
        """The reports since the last call, none later than now."""
        if not self._has_mail:
            return []
        with self.database.reading() as session:
            wanted = select(SignalRow).where(
                SignalRow.table_id == self.table_id, SignalRow.is_taken.is_(False), SignalRow.id > self._last_id
            )
            rows = session.scalars(wanted.order_by(SignalRow.id)).all()
        self._has_mail = False
        events = []
        for row in rows:
            t = max(round(min((row.at - self.began_at).total_seconds(), now_t), 3), 0.0)
            self._last_id, self._waiting[row.id] = row.id, t
            events.append(parse_event({**json.loads(row.body), "t": t}))
        return events

    def written_before(self, t: float) -> list[int]:
        """The reports whose lines are before this stream time, and so in the log."""
        return [number for number, at_t in self._waiting.items() if at_t < t]

    def mark(self, session: Session, numbers: Iterable[int]) -> None:
        """Mark reports as taken, in the transaction that writes their lines."""
        wanted = list(numbers)
        if wanted:
            session.execute(update(SignalRow).where(SignalRow.id.in_(wanted)).values(is_taken=True))

    def forget(self, numbers: Iterable[int]) -> None:
        """Forget reports that are written."""
        for number in numbers:
            self._waiting.pop(number, None)
