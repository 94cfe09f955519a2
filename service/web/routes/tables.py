"""The tables: how they stand, and their live pictures."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from thirdcard.service.alerts.table_pictures import BOUNDARY, live_pictures
from thirdcard.service.alerts.tables import tell_tables
from thirdcard.service.web.dependencies import RoomHere, StrictRoute, Viewer, seen_table, still_may
from thirdcard.service.web.http_errors import not_found
from thirdcard.service.web.requests import FrameQuery
from thirdcard.service.web.schemas import Listing, TableOut

router = APIRouter(prefix="/api/tables", route_class=StrictRoute, tags=["tables"])


@router.get("")
def list_tables(room: RoomHere, person: Viewer) -> Listing[TableOut]:
    """Every table that the asker may see."""
    told = tell_tables(room, [state for state in room.live.states() if person.may_see(state.table_id)])
    return Listing[TableOut](items=[TableOut.of(*one) for one in told], next=None)


@router.get("/{table_id}")
def one_table(room: RoomHere, person: Viewer, table_id: str) -> TableOut:
    """One table."""
    (told,) = tell_tables(room, [seen_table(room, person, table_id)])
    return TableOut.of(*told)


@router.get("/{table_id}/frame.jpg", response_class=Response, responses={200: {"content": {"image/jpeg": {}}}})
def frame(
    room: RoomHere, person: Viewer, table_id: str, request: Request, _query: Annotated[FrameQuery, Query()]
) -> Response:
    """The newest picture, with what is read of it drawn in."""
    seen_table(room, person, table_id)
    picture = room.live.picture(table_id)
    if picture is None:
        raise not_found("picture yet")
    headers = {"ETag": f'"{picture.version}"', "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(picture.jpeg, media_type="image/jpeg", headers=headers)


@router.get("/{table_id}/live", response_class=StreamingResponse)
def live(room: RoomHere, person: Viewer, table_id: str, request: Request) -> StreamingResponse:
    """The live picture, as a stream of JPEG files (MJPEG)."""
    seen_table(room, person, table_id)
    parts = live_pictures(room, table_id, lambda: still_may(room, request, person))
    return StreamingResponse(parts, media_type=f"multipart/x-mixed-replace; boundary={BOUNDARY}")
