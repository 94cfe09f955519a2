"""Figures of decisions on alerts, as JSON, as CSV and as a page; for supervisors."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import PlainTextResponse, Response

from thirdcard.service.alerts.alerts import AlertWish
from thirdcard.service.alerts.decisions import tell_decisions
from thirdcard.service.web.decision_schemas import DecisionPageQuery, DecisionQuery, DecisionsOut, decisions_csv
from thirdcard.service.web.dependencies import PagesHere, RoomHere, StrictRoute, Supervisor
from thirdcard.service.web.pages import decision_facts, facts
from thirdcard.service.web.schemas import CSV_TOO, Listing

router = APIRouter(route_class=StrictRoute, tags=["decisions"])


@router.get("/api/decisions", response_model=Listing[DecisionsOut], responses=CSV_TOO)
def decisions(
    room: RoomHere, person: Supervisor, query: Annotated[DecisionQuery, Query()]
) -> Listing[DecisionsOut] | Response:
    """The decisions on alerts, by code or by table: the share of false alerts, and the waiting times."""
    wish = AlertWish(table=query.table, code=query.code, from_at=query.from_, to_at=query.to)
    with room.database.reading() as session:
        found = [DecisionsOut.of(one) for one in tell_decisions(session, person, wish, query.by)]
    if query.format == "csv":
        headers = {"Content-Disposition": 'attachment; filename="decisions.csv"'}
        return PlainTextResponse(decisions_csv(found), media_type="text/csv; charset=utf-8", headers=headers)
    return Listing[DecisionsOut](items=found, next=None)


@router.get("/decisions", include_in_schema=False)
def page(
    room: RoomHere, pages: PagesHere, person: Supervisor, query: Annotated[DecisionPageQuery, Query()]
) -> Response:
    """The page of these figures, each with a link to its alerts."""
    shown = decision_facts.decisions(room, person, query)
    return pages.show("decisions.html", **facts.frame(room, person, "decisions"), **shown)
