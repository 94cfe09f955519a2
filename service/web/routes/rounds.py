"""Round records with their log."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from thirdcard.service.alerts.evidence_files import EvidenceMissingError
from thirdcard.service.alerts.room import Room
from thirdcard.service.alerts.round_clips import clips_of_round, open_clip
from thirdcard.service.corrections.card_crops import CardLine, find_card_line, note_look
from thirdcard.service.rounds.rounds import corrections_of
from thirdcard.service.rounds.search.find import find_rounds
from thirdcard.service.rounds.seen_rounds import tell_round
from thirdcard.service.store.people import Person
from thirdcard.service.web.asking import known_tables, read_request, wish_of
from thirdcard.service.web.dependencies import CardsHere, RoomHere, StrictRoute, Viewer
from thirdcard.service.web.http_errors import not_found
from thirdcard.service.web.ranges import file_response
from thirdcard.service.web.requests import LARGEST_ID, RoundQuery
from thirdcard.service.web.review_schemas import (
    CardOut,
    CardPictureOut,
    ClipOut,
    CorrectionOut,
    OpenedRoundOut,
    VideoOut,
)
from thirdcard.service.web.routes.shared import shared_json
from thirdcard.service.web.schemas import Listing, RoundOut, log_out

router = APIRouter(prefix="/api/rounds", route_class=StrictRoute, tags=["rounds"])
RoundId = Annotated[int, Path(ge=1, le=LARGEST_ID)]
LineId = Annotated[int, Path(ge=1, le=LARGEST_ID)]
PICTURE: dict[int | str, dict[str, Any]] = {200: {"content": {"image/jpeg": {}}}}


@router.get("", response_model=Listing[RoundOut])
async def rounds(room: RoomHere, person: Viewer, query: Annotated[RoundQuery, Query()]) -> Response:
    """The newest rounds that match."""

    def read() -> Listing[RoundOut]:
        with room.database.reading() as session:
            tables = known_tables(session, person)
            asked = read_request(query, now=room.clock(), zone=room.settings.time_zone, tables=tables)
            page = find_rounds(session, person, wish_of(asked), limit=query.limit, cursor=query.cursor)
        return Listing[RoundOut](items=[RoundOut.of(view) for view in page.items], next=page.next)

    return await shared_json(room, ("rounds", person.tables, query.model_dump_json()), read)


@router.get("/{round_id}/video")
def video(room: RoomHere, person: Viewer, round_id: RoundId) -> VideoOut:
    """The video of the round: cut from the recording, or the clips of its alerts; else why there is none."""
    try:
        clips = clips_of_round(room, person, round_id)
    except EvidenceMissingError as error:
        return VideoOut(clips=[], why_none=str(error))
    if clips is None:
        raise not_found("round")
    return VideoOut(clips=[ClipOut.of(clip) for clip in clips], why_none=None)


@router.get("/{round_id}/clip", response_class=Response, responses={206: {"description": "the part asked for"}})
def clip(room: RoomHere, person: Viewer, request: Request, round_id: RoundId) -> Response:
    """The round as it was recorded (MP4, byte ranges)."""
    return file_response(open_clip(room, person, round_id), request.headers)


@router.get("/{round_id}/cards/{line}")
def card(room: RoomHere, cards: CardsHere, person: Viewer, round_id: RoundId, line: LineId) -> CardOut:
    """The card that a line of the round's log reports: where and when it can be seen, or why it cannot."""
    found = _card_line(room, person, round_id, line)
    try:
        picture = CardPictureOut.of(cards.show(room, found), f"/api/rounds/{round_id}/cards/{line}/picture")
    except EvidenceMissingError as error:
        return CardOut.of(found, None, str(error))
    return CardOut.of(found, picture, None)


@router.get("/{round_id}/cards/{line}/picture", response_class=Response, responses=PICTURE)
def card_picture(
    room: RoomHere, cards: CardsHere, person: Viewer, request: Request, round_id: RoundId, line: LineId
) -> Response:
    """The card as the camera saw it (JPEG), cut from the recording."""
    sight = cards.show(room, _card_line(room, person, round_id, line))
    note_look(room, person, round_id, line)
    headers = {"ETag": f'"{sight.tag}"', "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(sight.jpeg, media_type="image/jpeg", headers=headers)


def _card_line(room: Room, person: Person, round_id: int, line: int) -> CardLine:
    with room.database.reading() as session:
        found = find_card_line(session, person, round_id, line)
    if found is None:
        raise not_found("card")
    return found


@router.get("/{round_id}")
def one_round(room: RoomHere, person: Viewer, round_id: RoundId) -> OpenedRoundOut:
    """One round with its log and corrections."""
    with room.database.reading() as session:
        story = tell_round(session, person, round_id)
        corrections = [CorrectionOut.of(view) for view in corrections_of(session, round_id)]
    if story is None:
        raise not_found("round")
    return OpenedRoundOut(**RoundOut.of(story.round).model_dump(), log=log_out(story.log), corrections=corrections)
