"""The audit chain as JSON and as CSV; for supervisors."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import PlainTextResponse, Response

from thirdcard.service.alerts.audit_log import ActWish, list_acts
from thirdcard.service.analytics.figure_rows import format_csv
from thirdcard.service.web.dependencies import RoomHere, StrictRoute, Supervisor
from thirdcard.service.web.requests import AuditQuery
from thirdcard.service.web.schemas import CSV_TOO, AuditOut, Listing

router = APIRouter(prefix="/api/audit", route_class=StrictRoute, tags=["audit"])
MOST_LINES = 20_000
"""The most lines of a file; for more, request shorter periods."""
COLUMNS = ("seq", "at", "who", "action", "target", "details")


@router.get("", response_model=Listing[AuditOut], responses=CSV_TOO)
def acts(room: RoomHere, person: Supervisor, query: Annotated[AuditQuery, Query()]) -> Listing[AuditOut] | Response:
    """The newest acts; as a CSV file the newest 20,000."""
    wish = ActWish(who=query.who, action=query.action, text=query.text, from_at=query.from_, to_at=query.to)
    is_file = query.format == "csv"
    with room.database.reading() as session:
        page = list_acts(session, person, wish, limit=MOST_LINES if is_file else query.limit, cursor=query.cursor)
    told = [AuditOut.of(view) for view in page.items]
    return _file(told) if is_file else Listing[AuditOut](items=told, next=page.next)


def _file(acts: list[AuditOut]) -> Response:
    rows = [act.model_dump(mode="json") for act in acts]
    told = format_csv(({**row, "details": json.dumps(row["details"], ensure_ascii=False)} for row in rows), COLUMNS)
    headers = {"Content-Disposition": 'attachment; filename="audit.csv"'}
    return PlainTextResponse(told, media_type="text/csv; charset=utf-8", headers=headers)
