"""The pages of figures, and the shift report to print."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from thirdcard.service.web.dependencies import PagesHere, RoomHere, StrictRoute, Viewer
from thirdcard.service.web.pages import facts, figures, shift_report
from thirdcard.service.web.pages.shift_paper import print_report
from thirdcard.service.web.requests import FigurePageQuery

router = APIRouter(prefix="/analytics", route_class=StrictRoute, include_in_schema=False)
Filters = Annotated[FigurePageQuery, Query()]


class FigureView(StrEnum):
    """The views of figures."""

    DEALERS = "dealers"
    TABLES = "tables"
    CODES = "codes"
    TREND = "trend"
    PACE = "pace"


@router.get("")
def start(room: RoomHere, pages: PagesHere, person: Viewer, query: Filters) -> Response:
    """The figures of dealers."""
    return view(room, pages, person, FigureView.DEALERS, query)


@router.get("/report")
def report(room: RoomHere, pages: PagesHere, person: Viewer, query: Filters) -> Response:
    """The shift report of a table or a dealer, to print."""
    return pages.show("shift_report.html", **shift_report.gather(room, person, query))


@router.get("/report.pdf")
def report_pdf(room: RoomHere, person: Viewer, query: Filters) -> Response:
    """The shift report as a PDF."""
    told = shift_report.gather(room, person, query)
    paper = print_report(room.settings, told["report"], signed=(person.name, room.clock()))
    headers = {"Content-Disposition": 'inline; filename="shift-report.pdf"'}
    return Response(paper, media_type="application/pdf", headers=headers)


@router.get("/{what}")
def view(room: RoomHere, pages: PagesHere, person: Viewer, what: FigureView, query: Filters) -> Response:
    """One view of the figures."""
    shown = figures.page(room, person, what.value, query)
    return pages.show(f"figures/{what}.html", **facts.frame(room, person, "analytics"), **shown)
