"""Notify people of a storm once: many alerts of one kind at one table, close together, are one message.

Programs get each alert. The first alerts of a storm are sent one by one, since it is not recognised yet; then a message
reports the storm, and again each time that it has doubled. After that only alerts that are more severe than all before,
and every severe dealing fault, are sent; the others are recorded as gathered.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.rules.game.words import Severity
from thirdcard.service.alerts.storms import GAP, LEAST, is_told_alone, is_worth_saying, stretches
from thirdcard.service.notify.notices import Notice
from thirdcard.service.notify.settings import NoticeEvent
from thirdcard.service.ports.moments import format_moment
from thirdcard.service.store.schema import AlertRow, DeliveryRow

MOST_LOOKED_AT = 500
_BY_WEIGHT = tuple(Severity)


@dataclass(frozen=True, slots=True)
class _Told:
    severity: Severity
    message: str
    at: datetime


def as_told_to_people(session: Session, notice: Notice, channel: str) -> Notice | None:
    """An alert's notice as people on a channel get it; None where the storm's message covers it."""
    storm = _storm_with(session, notice, channel)
    *earlier, _ = storm
    if len(storm) < LEAST:
        return notice
    if is_worth_saying(len(storm)):
        return _storm_notice(notice, storm)
    is_worse = all(_BY_WEIGHT.index(notice.severity) > _BY_WEIGHT.index(one.severity) for one in earlier)
    is_grave = notice.event == NoticeEvent.RAISED and is_told_alone(notice.code, notice.severity)
    return notice if is_worse or is_grave else None


def _storm_with(session: Session, notice: Notice, channel: str) -> Sequence[_Told]:
    """The channel's alerts of the same kind at the table up to this one, which is last."""
    query = (
        select(AlertRow.severity, AlertRow.body, AlertRow.noticed_at)
        .join(DeliveryRow, DeliveryRow.alert_id == AlertRow.id)
        .where(DeliveryRow.channel == channel, DeliveryRow.event == str(notice.event))
        .where(AlertRow.table_id == notice.table_id, AlertRow.code == notice.code)
        .where(AlertRow.id < (notice.alert_id or 0))
        .order_by(AlertRow.id.desc())
        .limit(MOST_LOOKED_AT)
    )
    at = session.get_one(AlertRow, notice.alert_id).noticed_at
    found = [_Told(notice.severity, json.loads(notice.body)["message"], at)]
    for severity, body, noticed_at in session.execute(query):
        if found[-1].at - noticed_at > GAP:
            break
        found.append(_Told(Severity(severity), json.loads(body)["message"], noticed_at))
    return stretches(found[::-1])[-1]


def _storm_notice(notice: Notice, told: Sequence[_Told]) -> Notice:
    """The notice of an alert with the facts of its storm."""
    gravest = max(reversed(told), key=lambda one: _BY_WEIGHT.index(one.severity))
    first_at, last_at = min(one.at for one in told), max(one.at for one in told)
    storm = {
        "alerts": len(told),
        "since": format_moment(first_at),
        "until": format_moment(last_at),
        "lasted_s": round((last_at - first_at).total_seconds(), 3),
        "gravest": gravest.message,
    }
    body = json.loads(notice.body) | {"severity": str(gravest.severity), "storm": storm}
    return replace(notice, severity=gravest.severity, body=json.dumps(body, ensure_ascii=False, separators=(",", ":")))
