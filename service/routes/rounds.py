"""Round records with their log."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from service.dependencies import RoomHere, StrictRoute, Viewer
from service.http_errors import not_found
from service.incoming import LARGEST_ID, RoundQuery
from service.room.rounds import RoundWish, list_rounds, tell_round
from service.schemas import Listing, RoundDetailOut, RoundOut, log_out

router = APIRouter(prefix="/api/rounds", route_class=StrictRoute, tags=["rounds"])


@router.get("")
def rounds(room: RoomHere, person: Viewer, query: Annotated[RoundQuery, Query()]) -> Listing[RoundOut]:
    """The newest rounds that fit."""
    wish = RoundWish(table=query.table, dealer=query.dealer, from_at=query.from_, to_at=query.to)
    with room.database.reading() as session:
        page = list_rounds(session, person, wish, limit=query.limit, cursor=query.cursor)
    return Listing[RoundOut](items=[RoundOut.of(view) for view in page.items], next=page.next)


@router.get("/{round_id}")
def one_round(room: RoomHere, person: Viewer, round_id: Annotated[int, Path(ge=1, le=LARGEST_ID)]) -> RoundDetailOut:
    """One round with its log."""
    with room.database.reading() as session:
        story = tell_round(session, person, round_id)
    if story is None:
        raise not_found("round")
    return RoundDetailOut(**RoundOut.of(story.round).model_dump(), log=log_out(story.log))
