"""The settings pages, and the page of holds."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from thirdcard.service.web.dependencies import Admin, PagesHere, RoomHere, StrictRoute, Supervisor
from thirdcard.service.web.pages import dealer_facts, facts, settings_facts
from thirdcard.service.web.requests import RosterPageQuery
from thirdcard.service.web.routes.dealers import check_names_shown
from thirdcard.service.web.routes.guide import seen_draft
from thirdcard.service.web.routes.setups import check_seen
from thirdcard.service.web.settings_schemas import DeliveryQuery

router = APIRouter(route_class=StrictRoute, include_in_schema=False)


@router.get("/settings")
def people(room: RoomHere, pages: PagesHere, person: Admin) -> Response:
    """Users, tokens and the service itself."""
    return pages.show("settings/people.html", **facts.frame(room, person, "settings"), **settings_facts.people(room))


@router.get("/settings/tables")
def tables(room: RoomHere, pages: PagesHere, person: Admin) -> Response:
    """Every table: the facts of its file, its state, and who changed it last."""
    shown = settings_facts.tables(room, person)
    return pages.show("settings/tables.html", **facts.frame(room, person, "settings"), **shown)


@router.get("/settings/tables/{table_id}")
def setups(room: RoomHere, pages: PagesHere, person: Admin, table_id: str) -> Response:
    """The versions of a table's set-up."""
    check_seen(room, person, table_id)
    shown = settings_facts.setups(room, table_id)
    return pages.show("settings/setups.html", **facts.frame(room, person, "settings"), **shown)


@router.get("/settings/new-tables/{table_id}")
def guide(room: RoomHere, pages: PagesHere, person: Admin, table_id: str) -> Response:
    """The guided set-up of a new table."""
    seen_draft(room, person, table_id)
    shown = settings_facts.guide(room, person, table_id)
    return pages.show("settings/guide.html", **facts.frame(room, person, "settings"), **shown)


@router.get("/settings/dealers")
def dealers(room: RoomHere, pages: PagesHere, person: Admin) -> Response:
    """The register of dealers."""
    return pages.show("settings/dealers.html", **facts.frame(room, person, "settings"), **dealer_facts.dealers(room))


@router.get("/roster")
def roster(
    room: RoomHere, pages: PagesHere, person: Supervisor, query: Annotated[RosterPageQuery, Query()]
) -> Response:
    """The roster of a day."""
    check_names_shown(room, person)
    return pages.show("roster.html", **facts.frame(room, person, "roster"), **dealer_facts.roster(room, person, query))


@router.get("/settings/notifications")
def notifications(
    room: RoomHere, pages: PagesHere, person: Admin, query: Annotated[DeliveryQuery, Query()]
) -> Response:
    """The channels and the sent messages."""
    shown = settings_facts.notifications(room, query)
    return pages.show("settings/notifications.html", **facts.frame(room, person, "settings"), **shown)


@router.get("/settings/retention")
def retention(room: RoomHere, pages: PagesHere, person: Admin) -> Response:
    """The disk, and how long evidence is kept."""
    shown = settings_facts.retention(room)
    return pages.show("settings/retention.html", **facts.frame(room, person, "settings"), **shown)


@router.get("/holds")
def holds(room: RoomHere, pages: PagesHere, person: Supervisor) -> Response:
    """The holds on evidence."""
    return pages.show("holds.html", **facts.frame(room, person, "holds"), **settings_facts.holds(room, person))
