"""Who did what; for supervisors."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from thirdcard.service.alerts.audit_log import list_acts
from thirdcard.service.web.dependencies import RoomHere, StrictRoute, Supervisor
from thirdcard.service.web.requests import ListQuery
from thirdcard.service.web.schemas import AuditOut, Listing

router = APIRouter(prefix="/api/audit", route_class=StrictRoute, tags=["audit"])


@router.get("")
def acts(room: RoomHere, person: Supervisor, query: Annotated[ListQuery, Query()]) -> Listing[AuditOut]:
    """The newest acts."""
    with room.database.reading() as session:
        page = list_acts(session, person, limit=query.limit, cursor=query.cursor)
    return Listing[AuditOut](items=[AuditOut.of(view) for view in page.items], next=page.next)
