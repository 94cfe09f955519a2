"""Figures for Prometheus."""

from __future__ import annotations

from fastapi import APIRouter, Request
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.responses import PlainTextResponse

from thirdcard.service.web.dependencies import RoomHere, StrictRoute, find_person
from thirdcard.service.web.http_errors import RefusedError
from thirdcard.service.web.metrics import write_figures

router = APIRouter(route_class=StrictRoute, tags=["health"])


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(room: RoomHere, request: Request) -> PlainTextResponse:
    """Prometheus text; open unless the settings ask for a token."""
    if not room.settings.are_metrics_open and find_person(room, request) is None:
        raise RefusedError(401, "Send a token.")
    return PlainTextResponse(write_figures(room), media_type=CONTENT_TYPE_LATEST)
