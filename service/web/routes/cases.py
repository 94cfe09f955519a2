"""Cases: collect alerts, add notes, export; for supervisors."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response, StreamingResponse

from thirdcard.service.alerts.cases import (
    CLOSED,
    add_note,
    list_cases,
    open_case,
    put_alert,
    set_case_state,
    take_alert_out,
    tell_case,
)
from thirdcard.service.web.bundle import open_bundle
from thirdcard.service.web.case_report import write_report
from thirdcard.service.web.case_schemas import (
    CaseAlertIn,
    CaseDetailOut,
    CaseIn,
    CaseOut,
    CaseQuery,
    CaseStateIn,
    Done,
    NoteIn,
)
from thirdcard.service.web.case_seal import have_signed
from thirdcard.service.web.dependencies import RoomHere, StrictRoute, Supervisor
from thirdcard.service.web.http_errors import not_found
from thirdcard.service.web.requests import LARGEST_ID
from thirdcard.service.web.schemas import Listing

router = APIRouter(prefix="/api/cases", route_class=StrictRoute, tags=["cases"])
CaseId = Annotated[int, Path(ge=1, le=LARGEST_ID)]


@router.get("")
def cases(room: RoomHere, person: Supervisor, query: Annotated[CaseQuery, Query()]) -> Listing[CaseOut]:
    """The newest cases."""
    with room.database.reading() as session:
        page = list_cases(session, person, limit=query.limit, cursor=query.cursor, state=query.state)
    return Listing[CaseOut](items=[CaseOut.of(view) for view in page.items], next=page.next)


@router.post("", status_code=201)
def new_case(room: RoomHere, person: Supervisor, body: CaseIn) -> Done:
    """Open a case, with an alert in it where one is given."""
    now = room.clock()
    with room.database.writing() as session:
        number = open_case(session, person, body.title, now=now)
        if body.alert is not None and not put_alert(session, person, number, body.alert, now=now):
            raise not_found("alert")
    return Done(id=number)


@router.get("/{case_id}")
def one_case(room: RoomHere, person: Supervisor, case_id: CaseId) -> CaseDetailOut:
    """A case with its alerts and notes."""
    with room.database.reading() as session:
        story = tell_case(session, person, case_id)
    if story is None:
        raise not_found("case")
    return CaseDetailOut.telling(story)


@router.post("/{case_id}/alerts")
def add_alert(room: RoomHere, person: Supervisor, case_id: CaseId, body: CaseAlertIn) -> Done:
    """Put an alert into a case; repeating it has no effect."""
    with room.database.writing() as session:
        if not put_alert(session, person, case_id, body.alert, now=room.clock()):
            raise not_found("case or alert")
    return Done(id=case_id)


@router.delete("/{case_id}/alerts/{alert_id}")
def remove_alert(
    room: RoomHere, person: Supervisor, case_id: CaseId, alert_id: Annotated[int, Path(ge=1, le=LARGEST_ID)]
) -> Done:
    """Take an alert out of a case."""
    with room.database.writing() as session:
        if not take_alert_out(session, person, case_id, alert_id, now=room.clock()):
            raise not_found("alert in that case")
    return Done(id=case_id)


@router.post("/{case_id}/notes", status_code=201)
def note(room: RoomHere, person: Supervisor, case_id: CaseId, body: NoteIn) -> Done:
    """Add a note to a case."""
    with room.database.writing() as session:
        if not add_note(session, person, case_id, body.text, now=room.clock()):
            raise not_found("case")
    return Done(id=case_id)


@router.post("/{case_id}/state")
def close_or_open(room: RoomHere, person: Supervisor, case_id: CaseId, body: CaseStateIn) -> Done:
    """Close a case, or open it again."""
    with room.database.writing() as session:
        if not set_case_state(session, person, case_id, body.state, now=room.clock()):
            raise not_found("case")
    if body.state == CLOSED:
        have_signed(room)
    return Done(id=case_id)


@router.get("/{case_id}/report.pdf", response_class=Response, responses={200: {"content": {"application/pdf": {}}}})
def report(room: RoomHere, person: Supervisor, case_id: CaseId) -> Response:
    """The case as a PDF."""
    pdf = write_report(room, person, case_id)
    if pdf is None:
        raise not_found("case")
    headers = {"Content-Disposition": f'inline; filename="case-{case_id}.pdf"'}
    return Response(pdf, media_type="application/pdf", headers=headers)


@router.get(
    "/{case_id}/export", response_class=StreamingResponse, responses={200: {"content": {"application/zip": {}}}}
)
def export(room: RoomHere, person: Supervisor, case_id: CaseId) -> StreamingResponse:
    """The case as one archive, with the hash of each file and a report to read."""
    bundle = open_bundle(room, person, case_id)
    if bundle is None:
        raise not_found("case")
    headers = {
        "Content-Disposition": f'attachment; filename="{bundle.name}"',
        "Content-Length": str(bundle.size_bytes),
    }
    return StreamingResponse(bundle.pieces(), media_type="application/zip", headers=headers)
