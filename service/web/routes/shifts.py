"""Routes of shifts: the logs of live tables and of reviewed recordings."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from thirdcard.service.rounds.shift_listing import ShiftWish, find_shift, list_shifts
from thirdcard.service.web.dependencies import RoomHere, StrictRoute, Viewer
from thirdcard.service.web.http_errors import not_found
from thirdcard.service.web.requests import LARGEST_ID
from thirdcard.service.web.review_schemas import ShiftOut, ShiftQuery
from thirdcard.service.web.schemas import Listing

router = APIRouter(prefix="/api/shifts", route_class=StrictRoute, tags=["shifts"])


@router.get("")
def shifts(room: RoomHere, person: Viewer, query: Annotated[ShiftQuery, Query()]) -> Listing[ShiftOut]:
    """The shifts that match, latest start first."""
    wish = ShiftWish(table=query.table, origin=query.origin, from_at=query.from_, to_at=query.to)
    with room.database.reading() as session:
        page = list_shifts(session, person, wish, limit=query.limit, cursor=query.cursor)
    return Listing[ShiftOut](items=[ShiftOut.of(view) for view in page.items], next=page.next)


@router.get("/{log_id}")
def one_shift(room: RoomHere, person: Viewer, log_id: Annotated[int, Path(ge=1, le=LARGEST_ID)]) -> ShiftOut:
    """One shift."""
    with room.database.reading() as session:
        view = find_shift(session, person, log_id)
    if view is None:
        raise not_found("shift")
    return ShiftOut.of(view)
