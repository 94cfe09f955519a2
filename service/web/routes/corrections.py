"""Corrections of rounds."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Path, Query

from thirdcard.service.corrections.acts import WantedCorrection, correct, take_back
from thirdcard.service.corrections.card_pictures import keep_picture
from thirdcard.service.rounds.rounds import correction_view, list_corrections
from thirdcard.service.store.round_schema import CorrectionRow
from thirdcard.service.web.dependencies import Operator, RoomHere, StrictRoute, Viewer
from thirdcard.service.web.http_errors import not_found
from thirdcard.service.web.requests import LARGEST_ID, ListQuery
from thirdcard.service.web.review_schemas import CorrectionIn, CorrectionOut, TakeBackIn
from thirdcard.service.web.schemas import Listing

router = APIRouter(prefix="/api", route_class=StrictRoute, tags=["corrections"])
Number = Annotated[int, Path(ge=1, le=LARGEST_ID)]


@router.get("/corrections")
def corrections(room: RoomHere, person: Viewer, query: Annotated[ListQuery, Query()]) -> Listing[CorrectionOut]:
    """The newest corrections, including those taken back."""
    with room.database.reading() as session:
        page = list_corrections(session, person, limit=query.limit, cursor=query.cursor)
    return Listing[CorrectionOut](items=[CorrectionOut.of(view) for view in page.items], next=page.next)


@router.post("/rounds/{round_id}/corrections", status_code=201)
def enter(room: RoomHere, person: Operator, round_id: Number, body: Annotated[CorrectionIn, Body()]) -> CorrectionOut:
    """Correct a round, which is judged again at once; 409 where that is not possible."""
    change = body.model_dump(exclude={"why"})
    number = correct(
        room.database, person, WantedCorrection(round_id=round_id, change=change, why=body.why), now=room.clock()
    )
    if number is None:
        raise not_found("round")
    keep_picture(room.database, room.settings, number, now=room.clock())
    room.feed.wake()
    return _told(room, number)


@router.post("/corrections/{number}/take-back")
def withdraw(room: RoomHere, person: Operator, number: Number, body: TakeBackIn) -> CorrectionOut:
    """Take a correction back: the round is judged again without it."""
    if not take_back(room.database, person, number, why=body.why, now=room.clock()):
        raise not_found("correction")
    room.feed.wake()
    return _told(room, number)


def _told(room: RoomHere, number: int) -> CorrectionOut:
    with room.database.reading() as session:
        return CorrectionOut.of(correction_view(session.get_one(CorrectionRow, number)))
