"""Figures for Prometheus."""

from __future__ import annotations

from fastapi import APIRouter, Request
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.responses import PlainTextResponse

from thirdcard.service.store.people import Role
from thirdcard.service.web.dependencies import RoomHere, StrictRoute, find_person
from thirdcard.service.web.http_errors import RefusedError
from thirdcard.service.web.metrics import write_figures

router = APIRouter(route_class=StrictRoute, tags=["health"])


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(room: RoomHere, request: Request) -> PlainTextResponse:
    """Prometheus text; open unless the settings ask for a token."""
    if not room.settings.are_metrics_open:
        person = find_person(room, request)
        if person is None:
            raise RefusedError(401, "Send a token.")
        if not person.role.includes(Role.VIEWER):
            raise RefusedError(403, f"This needs the role {Role.VIEWER}; yours is {person.role}.")
    return PlainTextResponse(write_figures(room), media_type=CONTENT_TYPE_LATEST)
