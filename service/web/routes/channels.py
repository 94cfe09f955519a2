"""The channels to the outside, and the messages sent on them; for admins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from thirdcard.service.notify.deliveries import deliveries, send_again
from thirdcard.service.web.case_schemas import Done
from thirdcard.service.web.dependencies import Admin, RoomHere, StrictRoute
from thirdcard.service.web.http_errors import not_found
from thirdcard.service.web.operations import background_of, tell_channels
from thirdcard.service.web.requests import LARGEST_ID
from thirdcard.service.web.schemas import Listing
from thirdcard.service.web.settings_schemas import ChannelOut, DeliveryOut, DeliveryQuery, TestOut

router = APIRouter(prefix="/api", route_class=StrictRoute, tags=["notifications"])


@router.get("/channels")
def channels(room: RoomHere, person: Admin) -> Listing[ChannelOut]:
    """Every channel with its state."""
    found = [
        ChannelOut(
            name=one.name,
            kind=one.kind,
            fault=one.fault,
            waiting=one.tally.waiting,
            sent=one.tally.sent,
            failed=one.tally.failed,
            gathered=one.tally.gathered,
        )
        for one in tell_channels(room)
    ]
    return Listing[ChannelOut](items=found, next=None)


@router.post("/channels/{name}/test")
def test_channel(room: RoomHere, person: Admin, name: str) -> TestOut:
    """Send a test message at once, and report whether it was accepted."""
    fault = background_of(room).notifications.send_test(name, who=person.name)
    return TestOut(sent=fault is None, fault=fault)


@router.get("/deliveries")
def list_deliveries(room: RoomHere, person: Admin, query: Annotated[DeliveryQuery, Query()]) -> Listing[DeliveryOut]:
    """The newest deliveries that match."""
    with room.database.reading() as session:
        page = deliveries(
            session,
            limit=query.limit,
            cursor=query.cursor,
            channel=query.channel or None,
            state=query.state or None,
            alert_id=query.alert or None,
        )
    return Listing[DeliveryOut](items=[DeliveryOut.of(view) for view in page.items], next=page.next)


@router.post("/deliveries/{delivery_id}/again")
def again(room: RoomHere, person: Admin, delivery_id: Annotated[int, Path(ge=1, le=LARGEST_ID)]) -> Done:
    """Try a failed message again."""
    with room.database.writing() as session:
        if not send_again(session, person.name, delivery_id, now=room.clock()):
            raise not_found("delivery that was given up")
    return Done(id=delivery_id)
