"""Round records with their log."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from thirdcard.service.alerts.evidence_files import EvidenceMissingError
from thirdcard.service.alerts.round_clips import clips_of_round, open_clip
from thirdcard.service.rounds.rounds import corrections_of
from thirdcard.service.rounds.search.find import find_rounds
from thirdcard.service.rounds.seen_rounds import tell_round
from thirdcard.service.web.asking import known_tables, read_request, wish_of
from thirdcard.service.web.dependencies import RoomHere, StrictRoute, Viewer
from thirdcard.service.web.http_errors import not_found
from thirdcard.service.web.ranges import file_response
from thirdcard.service.web.requests import LARGEST_ID, RoundQuery
from thirdcard.service.web.review_schemas import ClipOut, CorrectionOut, OpenedRoundOut, VideoOut
from thirdcard.service.web.routes.shared import shared_json
from thirdcard.service.web.schemas import Listing, RoundOut, log_out

router = APIRouter(prefix="/api/rounds", route_class=StrictRoute, tags=["rounds"])
RoundId = Annotated[int, Path(ge=1, le=LARGEST_ID)]


@router.get("", response_model=Listing[RoundOut])
async def rounds(room: RoomHere, person: Viewer, query: Annotated[RoundQuery, Query()]) -> Response:
    """The newest rounds that fit."""

    def read() -> Listing[RoundOut]:
        with room.database.reading() as session:
            tables = known_tables(session, person)
            asked = read_request(query, now=room.clock(), zone=room.settings.time_zone, tables=tables)
            page = find_rounds(session, person, wish_of(asked), limit=query.limit, cursor=query.cursor)
        return Listing[RoundOut](items=[RoundOut.of(view) for view in page.items], next=page.next)

    return await shared_json(room, ("rounds", person.tables, query.model_dump_json()), read)


@router.get("/{round_id}/video")
def video(room: RoomHere, person: Viewer, round_id: RoundId) -> VideoOut:
    """What shows the round: cut out of the recording, or clips of its alerts; else why there is nothing."""
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


@router.get("/{round_id}")
def one_round(room: RoomHere, person: Viewer, round_id: RoundId) -> OpenedRoundOut:
    """One round with its log, and what was corrected in it."""
    with room.database.reading() as session:
        story = tell_round(session, person, round_id)
        corrections = [CorrectionOut.of(view) for view in corrections_of(session, round_id)]
    if story is None:
        raise not_found("round")
    return OpenedRoundOut(**RoundOut.of(story.round).model_dump(), log=log_out(story.log), corrections=corrections)
