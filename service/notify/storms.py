"""Tell people of a storm once: many alerts of one table in quick succession are one message to read, not fifty.

Programs get each alert. The first alerts of a storm are told one by one, since nobody knows yet that it is one; then
one message says that it is; of what follows only what is worse than all before is told, the rest is noted as gathered.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.rules.game.words import Severity
from thirdcard.service.alerts.storms import GAP, LEAST
from thirdcard.service.notify.notices import Notice
from thirdcard.service.ports.moments import format_moment
from thirdcard.service.store.schema import AlertRow, DeliveryRow

MOST_LOOKED_AT = 500
_BY_WEIGHT = tuple(Severity)


@dataclass(frozen=True, slots=True)
class _Earlier:
    severity: Severity
    code: str
    at: datetime


def as_told_to_people(session: Session, notice: Notice, channel: str) -> Notice | None:
    """A notice of an alert as people on a channel get it; None where the storm's own message has told it."""
    earlier = _storm_before(session, notice, channel)
    if len(earlier) < LEAST - 1:
        return notice
    if len(earlier) == LEAST - 1:
        return _storm_notice(notice, earlier)
    worst = max((one.severity for one in earlier), key=_BY_WEIGHT.index)
    return notice if _BY_WEIGHT.index(notice.severity) > _BY_WEIGHT.index(worst) else None


def _storm_before(session: Session, notice: Notice, channel: str) -> Sequence[_Earlier]:
    """What the channel was to tell of the table before, without a longer gap; the newest first."""
    query = (
        select(AlertRow.severity, AlertRow.code, AlertRow.noticed_at)
        .join(DeliveryRow, DeliveryRow.alert_id == AlertRow.id)
        .where(DeliveryRow.channel == channel, DeliveryRow.event == str(notice.event))
        .where(AlertRow.table_id == notice.table_id, AlertRow.id < (notice.alert_id or 0))
        .order_by(AlertRow.id.desc())
        .limit(MOST_LOOKED_AT)
    )
    at = session.get_one(AlertRow, notice.alert_id).noticed_at
    found: list[_Earlier] = []
    for severity, code, noticed_at in session.execute(query):
        if at - noticed_at > GAP:
            break
        at = noticed_at
        found.append(_Earlier(Severity(severity), code, noticed_at))
    return found


def _storm_notice(notice: Notice, earlier: Sequence[_Earlier]) -> Notice:
    """The notice of the alert that makes it a storm, saying so."""
    worst = max((notice.severity, *(one.severity for one in earlier)), key=_BY_WEIGHT.index)
    codes = Counter([notice.code, *(one.code for one in earlier)])
    storm = {"alerts": len(earlier) + 1, "since": format_moment(earlier[-1].at), "codes": dict(codes.most_common())}
    body = json.loads(notice.body) | {"severity": str(worst), "storm": storm}
    return replace(notice, severity=worst, body=json.dumps(body, ensure_ascii=False, separators=(",", ":")))
