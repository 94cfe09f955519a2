"""Figures with intervals: by dealer, table, code and time; as JSON, CSV or Parquet."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from thirdcard.service.analytics.asking import (
    By,
    FigureWish,
    TallyReading,
    pace_of_all,
    paces_from,
    tell_figures,
    trend_from,
)
from thirdcard.service.analytics.figure_rows import figures_csv, figures_parquet
from thirdcard.service.analytics.figures import Figures
from thirdcard.service.analytics.looks import ask_as
from thirdcard.service.analytics.outgoing import FiguresOut, PaceOut, PacesOut, TrendOut
from thirdcard.service.web.dependencies import RoomHere, StrictRoute, Viewer
from thirdcard.service.web.requests import FigureFileQuery, FigureQuery

router = APIRouter(prefix="/api/analytics", route_class=StrictRoute, tags=["analytics"])
MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}


FILES_TOO: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            kind: {"schema": {"type": "string", "format": "binary"}} for kind in ("text/csv", MEDIA_TYPES["parquet"])
        }
    }
}


class Listed(StrEnum):
    """The lists of figures."""

    DEALERS = "dealers"
    TABLES = "tables"
    RULEBOOKS = "rulebooks"
    CODES = "codes"
    SHIFTS = "shifts"
    HOURS = "hours"
    DAYS = "days"


@router.get("/trend")
def trend(room: RoomHere, person: Viewer, query: Annotated[FigureQuery, Query()]) -> TrendOut:
    """The rate by day, and the days on which it changed permanently."""
    asker = ask_as(room, person, "analytics", has_dealers=False)
    with room.database.reading() as session:
        return TrendOut.of(trend_from(TallyReading(session, room.settings.house, asker, wish_of(query))))


@router.get("/pace")
def pace(room: RoomHere, person: Viewer, query: Annotated[FigureQuery, Query()]) -> PacesOut:
    """The rounds per hour and the duration of each phase, by table."""
    asker = ask_as(room, person, "analytics", has_dealers=False)
    with room.database.reading() as session:
        reading = TallyReading(session, room.settings.house, asker, wish_of(query), has_durations=True)
        of_all, paces = pace_of_all(reading), paces_from(reading, By.TABLE)
    return PacesOut(items=[PaceOut.of(one) for one in paces], house=PaceOut.of(of_all))


@router.get("/{what}", response_model=FiguresOut, responses=FILES_TOO)
def figures(
    room: RoomHere, person: Viewer, what: Listed, query: Annotated[FigureFileQuery, Query()]
) -> FiguresOut | Response:
    """Rounds, errors, rate per 1000 rounds and more, with intervals."""
    asker = ask_as(room, person, "analytics", has_dealers=what is Listed.DEALERS)
    with room.database.reading() as session:
        found = tell_figures(session, room.settings.house, asker, By(what.removesuffix("s")), wish_of(query))
    if query.format != "json":
        return _file(found, what, query.format)
    return FiguresOut.of(found, room.settings.house, are_names_shown=asker.are_names_shown)


def wish_of(query: FigureQuery) -> FigureWish:
    """The filters of a request."""
    return FigureWish(
        from_at=query.from_,
        to_at=query.to,
        table=query.table,
        dealer=query.dealer,
        rulebook=query.rulebook,
        code=query.code,
        shift=query.shift,
        is_confirmed_only=query.confirmed,
    )


def _file(found: Figures, what: Listed, kind: str) -> Response:
    content = figures_csv(found.items) if kind == "csv" else figures_parquet(found.items)
    headers = {"Content-Disposition": f'attachment; filename="{what}.{kind}"'}
    return Response(content, media_type=MEDIA_TYPES[kind], headers=headers)
