"""Alerts: the list, single alerts, their pictures, decisions, and the live stream."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request
from starlette.responses import Response, StreamingResponse

from thirdcard.service.alerts.alert_schemas import AlertOut, ChangeOut, DoubtfulOut
from thirdcard.service.alerts.alerts import AlertWish, list_alerts, tell_alert
from thirdcard.service.alerts.doubtful import list_doubtful
from thirdcard.service.alerts.evidence_files import EvidenceKind, open_evidence
from thirdcard.service.alerts.feed import parse_place
from thirdcard.service.alerts.lifecycle import Step, take_step, take_steps
from thirdcard.service.alerts.room import Room
from thirdcard.service.alerts.saving import Lengthening, lengthen_clip, order_copy
from thirdcard.service.alerts.views import alert_views
from thirdcard.service.store.alert_states import AlertState
from thirdcard.service.store.people import Person
from thirdcard.service.web.dependencies import Operator, RoomHere, StrictRoute, Viewer, still_may
from thirdcard.service.web.http_errors import not_found
from thirdcard.service.web.operations import NotRunHereError, running_beside
from thirdcard.service.web.ranges import file_response
from thirdcard.service.web.requests import (
    LARGEST_ID,
    AlertQuery,
    CopyIn,
    DecideIn,
    LongerIn,
    StepIn,
    StreamQuery,
    TakeIn,
)
from thirdcard.service.web.routes.shared import nudge, shared_json
from thirdcard.service.web.schemas import (
    AlertDetailOut,
    ComingOut,
    DecidedOut,
    Listing,
    PromisedOut,
    RoundOut,
    TakenOut,
    log_out,
)
from thirdcard.service.web.stream import alert_events

router = APIRouter(prefix="/api/alerts", route_class=StrictRoute, tags=["alerts"])
EVIDENCE_ANSWERS: dict[int | str, dict[str, Any]] = {
    202: {"model": ComingOut, "description": "it is being made: ask again after `Retry-After` seconds"},
    206: {"description": "the part asked for"},
}
AlertId = Annotated[int, Path(ge=1, le=LARGEST_ID)]


@router.get("", response_model=Listing[AlertOut] | Listing[DoubtfulOut])
async def alerts(room: RoomHere, person: Viewer, query: Annotated[AlertQuery, Query()]) -> Response:
    """The newest alerts that match; with `list=doubtful` the findings whose confidence stayed too low for an alert."""

    def read() -> Listing[AlertOut] | Listing[DoubtfulOut]:
        with room.database.reading() as session:
            if query.list_ == "doubtful":
                found = list_doubtful(session, person, wish_of(query), limit=query.limit, cursor=query.cursor)
                return Listing[DoubtfulOut](items=[DoubtfulOut.of(view) for view in found.items], next=found.next)
            page = list_alerts(session, person, wish_of(query), limit=query.limit, cursor=query.cursor)
        return Listing[AlertOut](items=[AlertOut.of(view) for view in page.items], next=page.next)

    return await shared_json(room, ("alerts", person.tables, query.model_dump_json()), read)


@router.get("/stream", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
def stream(
    room: RoomHere,
    person: Viewer,
    request: Request,
    query: Annotated[StreamQuery, Query()],
    last_event_id: Annotated[str | None, Header(max_length=40)] = None,
) -> StreamingResponse:
    """Server-sent events: `alert` for each raised alert, `change` for each decision, starting after `Last-Event-ID`."""
    told = last_event_id or query.after
    place = room.feed.last_place() if told is None else parse_place(told)
    events = alert_events(room, person, place, lambda: still_may(room, request, person))
    return StreamingResponse(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


@router.get("/{alert_id}", response_model=AlertDetailOut)
async def one_alert(room: RoomHere, person: Viewer, alert_id: AlertId) -> Response:
    """One alert with its round, its log and its history."""
    return await shared_json(room, ("alert", person.tables, alert_id), lambda: _detail(room, person, alert_id))


def _detail(room: Room, person: Person, alert_id: int) -> AlertDetailOut:
    with room.database.reading() as session:
        story = tell_alert(session, person, alert_id)
    if story is None:
        raise not_found("alert")
    fields = AlertOut.of(story.alert).model_dump(by_alias=False)
    return AlertDetailOut(
        **fields,
        round_record=None if story.round is None else RoundOut.of(story.round),
        log=log_out(story.log),
        changes=[ChangeOut.of(change) for change in story.changes],
    )


@router.post("/{alert_id}/state")
def decide(room: RoomHere, person: Operator, alert_id: AlertId, step: StepIn) -> AlertOut:
    """Acknowledge, escalate or decide an alert; 409 where somebody else has closed or acknowledged it meanwhile."""
    chosen = Step(state=AlertState(step.state), reason=step.reason, note=step.note)
    with room.database.writing() as session:
        row = take_step(session, person, alert_id, chosen, now=room.clock())
        if row is None:
            raise not_found("alert")
        (view,) = alert_views(session, [row])
    room.feed.wake()
    return AlertOut.of(view)


@router.post("/take")
def take(room: RoomHere, person: Operator, body: TakeIn) -> TakenOut:
    """Acknowledge several alerts in one act, such as a storm; those of other people are skipped."""
    with room.database.writing() as session:
        taken = take_steps(session, person, body.alerts, Step(state=AlertState.ACKNOWLEDGED), now=room.clock())
    room.feed.wake()
    return TakenOut.of(taken)


@router.post("/decide")
def decide_several(room: RoomHere, person: Operator, body: DecideIn) -> DecidedOut:
    """Confirm or dismiss several alerts for one reason; those that cannot be decided are listed in the answer."""
    step = Step(state=AlertState(body.state), reason=body.reason, note=body.note)
    with room.database.writing() as session:
        stepped = take_steps(session, person, body.alerts, step, now=room.clock())
    room.feed.wake()
    return DecidedOut.of(stepped)


@router.post("/{alert_id}/longer", status_code=202)
def lengthen(room: RoomHere, person: Operator, alert_id: AlertId, body: LongerIn) -> PromisedOut:
    """Order a longer clip beside the first one, cut from the recording of the table's camera."""
    before, after = timedelta(seconds=body.before_s), timedelta(seconds=body.after_s)
    wanted = Lengthening(alert_id=alert_id, before=before, after=after)
    with room.database.writing() as session:
        found = lengthen_clip(session, person, wanted, kept_of=room.settings.kept_of, now=room.clock())
    if found is None:
        raise not_found("alert")
    nudge(room, found[0])
    return PromisedOut(kind=found[1], url=f"/api/alerts/{alert_id}/{found[1]}")


@router.post("/{alert_id}/copies", status_code=202)
def copy(room: RoomHere, person: Operator, alert_id: AlertId, body: CopyIn) -> PromisedOut:
    """Order an H.264 copy of a clip, for browsers that cannot play it; the original stays the evidence."""
    if running_beside(room) is None:
        raise NotRunHereError("No copies are made in this service.")
    with room.database.writing() as session:
        kind = order_copy(session, person, alert_id, body.kind, now=room.clock())
    if kind is None:
        raise not_found("alert")
    return PromisedOut(kind=kind, url=f"/api/alerts/{alert_id}/{kind}")


@router.get("/{alert_id}/{kind}", response_class=Response, responses=EVIDENCE_ANSWERS)
def evidence(room: RoomHere, person: Viewer, request: Request, alert_id: AlertId, kind: EvidenceKind) -> Response:
    """The clip (MP4, byte ranges), the still, or the area before and after; 202 while it is being made."""
    return file_response(open_evidence(room, person, alert_id, kind), request.headers)


def wish_of(query: AlertQuery) -> AlertWish:
    """The filters of a request."""
    return AlertWish(
        table=query.table,
        code=query.code,
        severities=[str(one) for one in query.severity],
        states=[str(one) for one in query.state],
        dealer=query.dealer,
        from_at=query.from_,
        to_at=query.to,
    )
