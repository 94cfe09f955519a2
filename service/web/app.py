"""Build the web application of the surveillance room from its parts; nothing runs before it is started.

Behind a proxy the application itself reads the proxy's headers, as configured: start the server with its own proxy
handling off.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from starlette.middleware import Middleware
from starlette.responses import RedirectResponse, Response
from starlette.routing import Match
from starlette.staticfiles import StaticFiles

from thirdcard.service.alerts.room import Room, build_room
from thirdcard.service.config.settings import RoomSettings
from thirdcard.service.corrections.card_crops import CardCrops
from thirdcard.service.ports.live_tables import Clock, LiveTables
from thirdcard.service.store.database import Database
from thirdcard.service.web.background import BackgroundWork
from thirdcard.service.web.http_errors import SIGN_IN, RefusedError, build_answer, install_error_handlers
from thirdcard.service.web.middleware import BodyLimit, HeadRequests, LastResort, SecurityHeaders
from thirdcard.service.web.pages.showing import STATIC, build_pages, digest_of_assets
from thirdcard.service.web.proxies import Origins
from thirdcard.service.web.routes import (
    accounts,
    alerts,
    analytics,
    analytics_pages,
    audit,
    camera_fits,
    cases,
    channels,
    corrections,
    dealers,
    decisions,
    guide,
    health,
    keeping,
    metrics,
    pages,
    review_pages,
    rounds,
    sessions,
    settings_pages,
    setups,
    shifts,
    signals,
    tables,
)
from thirdcard.service.web.schemas import ErrorBody

ROUTERS = (
    *(
        health,
        metrics,
        sessions,
        setups,
        camera_fits,
        guide,
        tables,
        signals,
        alerts,
        rounds,
        shifts,
        corrections,
        analytics,
        cases,
        audit,
        accounts,
        dealers,
    ),
    *(channels, keeping, decisions, analytics_pages, pages, settings_pages, review_pages),
)
LARGER_BODIES = setups.LARGER_BODIES | guide.LARGER_BODIES
"""Paths with larger bodies, and their limits in bytes."""
ERRORS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": ErrorBody, "description": "Refused; the body says why."},
    "5XX": {"model": ErrorBody, "description": "Failed; the body says what."},
}


def create_app(
    *,
    settings: RoomSettings,
    database: Database,
    live: LiveTables,
    clock: Clock,
    background: BackgroundWork | None = None,
) -> FastAPI:
    """The application; it follows alerts from its start to its end."""
    room, answer = build_room(settings, database, live, clock, background), build_answer(_show_refusal, _methods_of)
    app = FastAPI(
        title="Thirdcard",
        version=settings.version,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=_follow_alerts,
        responses=ERRORS,
        redirect_slashes=False,
        middleware=[
            Middleware(HeadRequests),
            Middleware(Origins, trusted=settings.trusted_proxies),
            Middleware(SecurityHeaders),
            Middleware(LastResort, answer=answer),
            Middleware(BodyLimit, largest_bytes=settings.largest_body_bytes, larger=LARGER_BODIES),
        ],
    )
    app.state.room, app.state.pages, app.state.cards = room, build_pages(settings), CardCrops()
    for module in ROUTERS:
        app.include_router(module.router)
    app.mount(f"/static/{digest_of_assets()}", _Assets(directory=STATIC), name="static")
    install_error_handlers(app, answer)
    return app


@asynccontextmanager
async def _follow_alerts(app: FastAPI) -> AsyncIterator[None]:
    room: Room = app.state.room
    following = asyncio.create_task(room.feed.run())
    try:
        yield
    finally:
        room.feed.end()
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following


def _methods_of(request: Request) -> list[str]:
    """The methods allowed at the requested path; a router's refusal names those of one route only."""
    routes = [route for module in ROUTERS for route in module.router.routes]
    matching = [route for route in routes if route.matches(request.scope)[0] != Match.NONE]
    takes = {method for route in matching for method in getattr(route, "methods", None) or ()}
    return sorted(takes | {"HEAD"} if "GET" in takes else takes)


def _show_refusal(request: Request, refusal: RefusedError) -> Response:
    """The error page for a browser; without a login, a redirect to the login page that leads back afterwards."""
    if refusal.status == 401 and request.method == "GET":
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"{SIGN_IN}?next={quote(target)}", status_code=303)
    page: Response = request.app.state.pages.show_refusal(refusal)
    return page


class _Assets(StaticFiles):
    """Style and scripts, whose URL changes with their content: browsers may cache them."""

    def file_response(self, *args: Any, **options: Any) -> Response:
        """A file with caching headers."""
        response = super().file_response(*args, **options)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response
