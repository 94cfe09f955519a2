"""Read the audit chain, newest first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.cursors import format_cursor, parse_cursor
from thirdcard.service.alerts.views import Page
from thirdcard.service.store.audit import AUDIT
from thirdcard.service.store.schema import ChainLine


@dataclass(frozen=True, slots=True, kw_only=True)
class ActView:
    """One act."""

    seq: int
    at: datetime
    who: str
    action: str
    target: str | None
    details: Mapping[str, Any]


def list_acts(session: Session, *, limit: int, cursor: str | None = None) -> Page[ActView]:
    """The newest acts.

    Raises:
        CursorError: The cursor is none of this list's.
    """
    below = parse_cursor(AUDIT, cursor)
    query = select(ChainLine).where(ChainLine.chain == AUDIT)
    query = query if below is None else query.where(ChainLine.seq < below)
    lines = session.scalars(query.order_by(ChainLine.seq.desc()).limit(limit + 1)).all()
    more = format_cursor(AUDIT, lines[limit - 1].seq) if len(lines) > limit else None
    return Page(items=[_view(line) for line in lines[:limit]], next=more)


def _view(line: ChainLine) -> ActView:
    body = json.loads(line.body)
    return ActView(
        seq=line.seq,
        at=line.at,
        who=body["who"],
        action=body["action"],
        target=body["target"],
        details=body.get("details", {}),
    )
