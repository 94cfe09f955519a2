"""Figures for Prometheus, and the API document; open or not, as configured."""

from __future__ import annotations

from threading import Lock
from typing import Any

from fastapi import APIRouter, Request
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse

from thirdcard.service.alerts.room import Room
from thirdcard.service.store.people import Role
from thirdcard.service.web.api_document import calls_of, complete
from thirdcard.service.web.dependencies import PagesHere, RoomHere, StrictRoute, find_person
from thirdcard.service.web.http_errors import RefusedError
from thirdcard.service.web.metrics import write_figures

router = APIRouter(route_class=StrictRoute, tags=["health"])
_making_document = Lock()
"""FastAPI makes the document at the first request, and fails where two threads do so at once."""


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(room: RoomHere, request: Request) -> PlainTextResponse:
    """Prometheus text; open unless the settings ask for a token."""
    if not room.settings.are_metrics_open:
        _ask_who(room, request)
    return PlainTextResponse(write_figures(room), media_type=CONTENT_TYPE_LATEST)


@router.get("/api/openapi.json")
def api_document(room: RoomHere, request: Request) -> JSONResponse:
    """The OpenAPI 3.1 document of this API; open unless the settings ask for a token."""
    if not room.settings.is_api_document_open:
        _ask_who(room, request)
    return JSONResponse(_document(request))


@router.get("/api/docs", response_class=HTMLResponse, include_in_schema=False)
def api_page(room: RoomHere, pages: PagesHere, request: Request) -> HTMLResponse:
    """The API document as a page: every call with its fields and an example; open as the document is."""
    if not room.settings.is_api_document_open:
        _ask_who(room, request)
    return pages.show("api.html", document=_document(request), calls=calls_of(_document(request)))


def _document(request: Request) -> dict[str, Any]:
    with _making_document:
        if request.app.openapi_schema is None:
            request.app.openapi_schema = complete(request.app.openapi())
        document: dict[str, Any] = request.app.openapi_schema
    return document


def _ask_who(room: Room, request: Request) -> None:
    """Raise RefusedError where the request comes from nobody with the role of a viewer."""
    person = find_person(room, request)
    if person is None:
        raise RefusedError(401, "Send a token.")
    if not person.role.includes(Role.VIEWER):
        raise RefusedError(403, f"This needs the role {Role.VIEWER}; yours is {person.role}.")
