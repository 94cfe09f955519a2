"""The tables: their state, and their live pictures."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from thirdcard.service.alerts.alert_schemas import AlertOut
from thirdcard.service.alerts.saving import SavedStretch, save_incident
from thirdcard.service.alerts.table_pictures import BOUNDARY, live_pictures
from thirdcard.service.alerts.table_recording import kept_stretches, open_recording
from thirdcard.service.alerts.tables import tell_tables
from thirdcard.service.alerts.views import alert_views
from thirdcard.service.rounds.search.index import enter_round_of_alert
from thirdcard.service.web.dependencies import Operator, RoomHere, StrictRoute, Viewer, seen_table, still_may
from thirdcard.service.web.http_errors import not_found
from thirdcard.service.web.ranges import file_response
from thirdcard.service.web.requests import MOST_ITEMS, FrameQuery, IncidentIn, RecordingQuery
from thirdcard.service.web.routes.shared import nudge
from thirdcard.service.web.schemas import Listing, RecordedOut, TableOut

router = APIRouter(prefix="/api/tables", route_class=StrictRoute, tags=["tables"])
RECORDING_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"content": {"video/mp4": {}}},
    206: {"description": "the part asked for"},
}


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
    """The newest picture, with the readings drawn in."""
    seen_table(room, person, table_id)
    picture = room.live.picture(table_id)
    if picture is None:
        raise not_found("picture yet")
    headers = {"ETag": f'"{picture.version}"', "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(picture.jpeg, media_type="image/jpeg", headers=headers)


@router.get("/{table_id}/recording")
def recording(room: RoomHere, person: Viewer, table_id: str) -> Listing[RecordedOut]:
    """The recorded periods of the table's camera without an outage, the newest first."""
    seen_table(room, person, table_id)
    return Listing[RecordedOut](
        items=[RecordedOut.of(one) for one in kept_stretches(room, table_id)[:MOST_ITEMS]], next=None
    )


@router.get("/{table_id}/recording/clip", response_class=Response, responses=RECORDING_ANSWERS)
def recorded(
    room: RoomHere, person: Viewer, request: Request, table_id: str, query: Annotated[RecordingQuery, Query()]
) -> Response:
    """A part of the recording (MP4, byte ranges), at most 15 minutes; it ends at an outage."""
    seen_table(room, person, table_id)
    return file_response(open_recording(room, person, table_id, query.from_, query.to), request.headers)


@router.post("/{table_id}/incidents", status_code=201)
def save(room: RoomHere, person: Operator, table_id: str, body: IncidentIn) -> AlertOut:
    """Save the last minutes of a table with a note: an alert with a clip, acknowledged by the person who saved it."""
    seen_table(room, person, table_id)
    wanted = SavedStretch(table_id=table_id, length=timedelta(minutes=body.minutes), note=body.note)
    with room.database.writing() as session:
        kept = room.settings.kept_of(table_id)
        row = save_incident(session, person, wanted, kept=kept, now=room.clock())
        enter_round_of_alert(session, row)
        (view,) = alert_views(session, [row])
    room.feed.wake()
    nudge(room, table_id)
    return AlertOut.of(view)


@router.get("/{table_id}/live", response_class=StreamingResponse)
def live(room: RoomHere, person: Viewer, table_id: str, request: Request) -> StreamingResponse:
    """The live picture, as a stream of JPEG files (MJPEG)."""
    seen_table(room, person, table_id)
    parts = live_pictures(room, table_id, lambda: still_may(room, request, person))
    return StreamingResponse(parts, media_type=f"multipart/x-mixed-replace; boundary={BOUNDARY}")
