"""The pages for reviewers: shifts, rounds, and the search for rounds."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from thirdcard.service.web.dependencies import PagesHere, RoomHere, StrictRoute, Viewer
from thirdcard.service.web.pages import facts, review_facts
from thirdcard.service.web.requests import LARGEST_ID, RoundsQuery, ShiftsQuery, WindowQuery

router = APIRouter(route_class=StrictRoute, include_in_schema=False)
Number = Annotated[int, Path(ge=1, le=LARGEST_ID)]


@router.get("/review")
def shifts(room: RoomHere, pages: PagesHere, person: Viewer, query: Annotated[ShiftsQuery, Query()]) -> Response:
    """All shifts, newest first."""
    shown = review_facts.shifts(room, person, query)
    return pages.show("review.html", **facts.frame(room, person, "review"), **shown)


@router.get("/review/{log_id}")
def shift(
    room: RoomHere, pages: PagesHere, person: Viewer, log_id: Number, query: Annotated[WindowQuery, Query()]
) -> Response:
    """One shift along a time line."""
    shown = review_facts.shift(room, person, log_id, query)
    return pages.show("shift.html", **facts.frame(room, person, "review"), **shown)


@router.get("/rounds")
def rounds(room: RoomHere, pages: PagesHere, person: Viewer, query: Annotated[RoundsQuery, Query()]) -> Response:
    """Rounds found by what happened in them."""
    shown = review_facts.rounds(room, person, query)
    return pages.show("rounds.html", **facts.frame(room, person, "rounds"), **shown)


@router.get("/rounds/{round_id}")
def one_round(room: RoomHere, pages: PagesHere, person: Viewer, round_id: Number) -> Response:
    """One round: its video beside the referee's reading."""
    shown = review_facts.opened(room, person, round_id)
    return pages.show("round.html", **facts.frame(room, person, "rounds"), **shown)


@router.get("/parts/rounds/{round_id}")
def round_part(room: RoomHere, pages: PagesHere, person: Viewer, round_id: Number) -> Response:
    """The parts of a round's page that a correction changes."""
    return pages.show("parts/round.html", **review_facts.opened(room, person, round_id))
