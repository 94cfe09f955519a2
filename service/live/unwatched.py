"""Raise `camera.lost` for a table that is not watched, because its process keeps ending.

The service writes only the alert, since the table's process cannot. The log lines for that time are written by the
process when it is back.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from thirdcard.rules.findings.alerts import format_alert
from thirdcard.rules.findings.findings import Finding, alert_of
from thirdcard.service.config.table_facts import rules_of
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.live.journal import Journal
from thirdcard.service.media.clip_span import LIVE_CLIP
from thirdcard.service.ports.messages import Unwatched
from thirdcard.service.rounds.search.index import enter_round_of_alert
from thirdcard.service.store.alert_writer import AlertEvidence, RaisedAlert, write_alert
from thirdcard.service.store.database import Database
from thirdcard.service.store.log_chains import LIVE
from thirdcard.service.store.order import take_turn
from thirdcard.service.store.schema import LogRow, RoundRow

logger = logging.getLogger(__name__)

CODE = "camera.lost"


@dataclass(frozen=True, slots=True)
class UnwatchedAlarm:
    """Raises such alerts for all tables of a house."""

    database: Database
    tables: Mapping[str, TableConfig]
    """By id."""
    now: Callable[[], datetime]

    def raise_alert(self, told: Unwatched) -> int | None:
        """Store the alert; returns its number, or None where the table's rulebook has no such alert.

        Raises:
            SQLAlchemyError: The database fails.
        """
        table, now = self.tables[told.table_id], self.now()
        if not self._has_log(told.table_id):
            Journal(self.database, table.id, rules_of(table)).open(now)
        with self.database.writing() as session:
            take_turn(session)
            return _write(session, table, told, now)

    def _has_log(self, table_id: str) -> bool:
        with self.database.reading() as session:
            return _last_log(session, table_id) is not None


def _write(session: Session, table: TableConfig, told: Unwatched, now: datetime) -> int | None:
    log = _last_log(session, table.id)
    assert log is not None, "it was begun before"
    t = round((now - log.began_at).total_seconds(), 3)
    camera = table.cameras[0].name
    message = f"Nobody watches camera {camera}: {told.reason}, {told.times} times within {told.within_s / 60:g} min."
    number = session.scalar(select(func.max(RoundRow.number)).where(RoundRow.log_id == log.id)) or 0
    finding = Finding(code=CODE, t=t, key=(CODE, camera, t), message=message)
    alert = alert_of(finding, table.rules, round_number=number, now=t)
    if alert is None:
        logger.error("table %s: %s; its rulebook has no %s", table.id, message, CODE, extra={"table": table.id})
        return None
    from_at, to_at = LIVE_CLIP.around(now, noticed_at=now)
    raised = RaisedAlert(
        table_id=table.id,
        log_id=log.id,
        body=format_alert(alert),
        dealer=None,
        at=now,
        noticed_at=now,
        evidence=AlertEvidence(from_at=from_at, to_at=to_at, fault="nobody watched the table"),
    )
    row = write_alert(session, raised, now=now)
    enter_round_of_alert(session, row)
    return row.id


def _last_log(session: Session, table_id: str) -> LogRow | None:
    wanted = select(LogRow).where(LogRow.table_id == table_id, LogRow.origin == LIVE)
    return session.scalar(wanted.order_by(LogRow.id.desc()).limit(1))
