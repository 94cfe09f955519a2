"""The pages of the user interface, and the parts of them that are refreshed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import HTMLResponse, Response

from thirdcard.service.web.dependencies import PagesHere, RoomHere, StrictRoute, Supervisor, Viewer
from thirdcard.service.web.pages import facts
from thirdcard.service.web.requests import LARGEST_ID, AuditPageQuery, ListQuery, WallQuery

router = APIRouter(route_class=StrictRoute, include_in_schema=False)
Number = Annotated[int, Path(ge=1, le=LARGEST_ID)]
Filters = Annotated[WallQuery, Query()]


@router.get("/")
def wall(room: RoomHere, pages: PagesHere, person: Viewer) -> Response:
    """All tables."""
    return pages.show("wall.html", **facts.frame(room, person, "wall"), **facts.wall(room, person))


@router.get("/parts/wall")
def wall_part(room: RoomHere, pages: PagesHere, person: Viewer) -> Response:
    """The present state of all tables."""
    return pages.show("parts/wall.html", **facts.wall(room, person))


@router.get("/tables/{table_id}")
def table(room: RoomHere, pages: PagesHere, person: Viewer, table_id: str) -> Response:
    """One table: its picture, its round, its log."""
    return pages.show("table.html", **facts.frame(room, person, "wall"), **facts.table(room, person, table_id))


@router.get("/parts/tables/{table_id}")
def table_part(room: RoomHere, pages: PagesHere, person: Viewer, table_id: str) -> Response:
    """The present state of one table."""
    return pages.show("parts/table.html", **facts.table(room, person, table_id))


@router.get("/alerts")
def alerts(room: RoomHere, pages: PagesHere, person: Viewer, query: Filters) -> Response:
    """The alerts that match, newest first."""
    return pages.show("alerts.html", **facts.frame(room, person, "alerts"), **facts.alerts(room, pages, person, query))


@router.get("/alerts/{alert_id}")
def alert(room: RoomHere, pages: PagesHere, person: Viewer, alert_id: Number, query: Filters) -> Response:
    """The same list with one alert open."""
    shown = {**facts.alerts(room, pages, person, query), **facts.alert(room, person, alert_id)}
    return pages.show("alerts.html", **facts.frame(room, person, "alerts"), **shown)


@router.get("/parts/alerts")
def alerts_part(room: RoomHere, pages: PagesHere, person: Viewer, query: Filters) -> Response:
    """The present list of alerts."""
    return HTMLResponse(facts.alert_list(room, pages, person, query))


@router.get("/parts/alerts/{alert_id}")
def alert_part(room: RoomHere, pages: PagesHere, person: Viewer, alert_id: Number) -> Response:
    """The present state of one alert."""
    return pages.show("parts/alert.html", person=person, **facts.alert(room, person, alert_id))


@router.get("/doubtful")
def doubtful(room: RoomHere, pages: PagesHere, person: Viewer, query: Annotated[ListQuery, Query()]) -> Response:
    """The findings whose confidence stayed too low for an alert."""
    return pages.show("doubtful.html", **facts.frame(room, person, "alerts"), **facts.doubtful(room, person, query))


@router.get("/cases")
def cases(room: RoomHere, pages: PagesHere, person: Supervisor, query: Annotated[ListQuery, Query()]) -> Response:
    """All cases, newest first."""
    return pages.show("cases.html", **facts.frame(room, person, "cases"), **facts.cases(room, person, query))


@router.get("/cases/{case_id}")
def case(room: RoomHere, pages: PagesHere, person: Supervisor, case_id: Number) -> Response:
    """One case."""
    return pages.show("case.html", **facts.frame(room, person, "cases"), **facts.case(room, person, case_id))


@router.get("/audit")
def audit(room: RoomHere, pages: PagesHere, person: Supervisor, query: Annotated[AuditPageQuery, Query()]) -> Response:
    """The audit chain."""
    return pages.show("audit.html", **facts.frame(room, person, "audit"), **facts.audit(room, person, query))
