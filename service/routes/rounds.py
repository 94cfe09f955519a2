"""Round records with their log."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from service.dependencies import RoomHere, StrictRoute, Viewer
from service.http_errors import not_found
from service.incoming import LARGEST_ID, RoundQuery
from service.room.rounds import tell_round
from service.schemas import Listing, RoundDetailOut, RoundOut, log_out
from service.search.asking import known_tables, read_request, wish_of
from service.search.find import find_rounds

router = APIRouter(prefix="/api/rounds", route_class=StrictRoute, tags=["rounds"])


@router.get("")
def rounds(room: RoomHere, person: Viewer, query: Annotated[RoundQuery, Query()]) -> Listing[RoundOut]:
    """The newest rounds that fit."""
    with room.database.reading() as session:
        tables = known_tables(session, person)
        asked = read_request(query, now=room.clock(), zone=room.settings.time_zone, tables=tables)
        page = find_rounds(session, person, wish_of(asked), limit=query.limit, cursor=query.cursor)
    return Listing[RoundOut](items=[RoundOut.of(view) for view in page.items], next=page.next)


@router.get("/{round_id}")
def one_round(room: RoomHere, person: Viewer, round_id: Annotated[int, Path(ge=1, le=LARGEST_ID)]) -> RoundDetailOut:
    """One round with its log."""
    with room.database.reading() as session:
        story = tell_round(session, person, round_id)
    if story is None:
        raise not_found("round")
    return RoundDetailOut(**RoundOut.of(story.round).model_dump(), log=log_out(story.log))
