"""The retention of evidence, and the holds that forbid its deletion."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from thirdcard.service.alerts.holding import end_hold, put_hold, seen_holds
from thirdcard.service.web.case_schemas import Done
from thirdcard.service.web.dependencies import Admin, RoomHere, StrictRoute, Supervisor
from thirdcard.service.web.http_errors import not_found
from thirdcard.service.web.operations import DiskStory, tell_disk
from thirdcard.service.web.requests import LARGEST_ID
from thirdcard.service.web.schemas import Listing
from thirdcard.service.web.settings_schemas import ClassOut, HoldIn, HoldOut, HoldQuery, NextOut, RetentionOut

router = APIRouter(prefix="/api", route_class=StrictRoute, tags=["retention"])


@router.get("/retention")
def retention(room: RoomHere, person: Admin) -> RetentionOut:
    """The state of the disk, the space that each class uses, and what will be deleted next."""
    return _retention_out(tell_disk(room, now=room.clock()))


@router.get("/holds")
def holds(room: RoomHere, person: Supervisor, query: Annotated[HoldQuery, Query()]) -> Listing[HoldOut]:
    """The holds in force, the newest first."""
    with room.database.reading() as session:
        found = seen_holds(session, person, are_lifted_shown=query.lifted)
    return Listing[HoldOut](items=[HoldOut.of(hold) for hold in found], next=None)


@router.post("/holds", status_code=201)
def hold(room: RoomHere, person: Supervisor, body: HoldIn) -> Done:
    """Place a hold on the evidence of an alert or of a case, so that it is not deleted."""
    with room.database.writing() as session:
        number = put_hold(session, person, body.reason, alert=body.alert, case=body.case, now=room.clock())
    if number is None:
        raise not_found("alert" if body.case is None else "case")
    return Done(id=number)


@router.post("/holds/{hold_id}/lift")
def lift(room: RoomHere, person: Supervisor, hold_id: Annotated[int, Path(ge=1, le=LARGEST_ID)]) -> Done:
    """Lift a hold."""
    with room.database.writing() as session:
        if not end_hold(session, person, hold_id, now=room.clock()):
            raise not_found("hold in force")
    return Done(id=hold_id)


def _retention_out(story: DiskStory) -> RetentionOut:
    state, budget = story.state, story.budget
    return RetentionOut(
        level=None if state is None else str(state.level),
        used_bytes=None if state is None else state.used_bytes,
        capacity_bytes=None if state is None else state.capacity_bytes,
        free_bytes=None if state is None else state.free_bytes,
        recorded_bytes=None if state is None else state.recorded_bytes,
        budget_bytes=budget.budget_bytes,
        keep_free_bytes=budget.keep_free_bytes,
        fault=story.fault,
        classes=[ClassOut.model_validate(use, from_attributes=True) for use in story.classes],
        next=[NextOut(alert=one.alert_id, kind=str(one.kind), until=one.until) for one in story.next],
    )
