"""The register of dealers, and the roster."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Path, Query

from thirdcard.service.alerts.room import Room
from thirdcard.service.dealers.register import list_dealers
from thirdcard.service.dealers.roster import list_stints
from thirdcard.service.rounds.dealer_acts import edit_dealer, enter_dealer, enter_stint, join, take_stint_out
from thirdcard.service.rounds.dealer_lists import RosterList, import_dealers, import_roster
from thirdcard.service.store.people import Person
from thirdcard.service.web.asking import all_tables, known_tables
from thirdcard.service.web.case_schemas import Done
from thirdcard.service.web.dealer_schemas import (
    DealerIn,
    DealerOut,
    ImportedOut,
    JoinIn,
    ListIn,
    RosterListIn,
    RosterQuery,
    StintIn,
    StintOut,
)
from thirdcard.service.web.dependencies import Admin, RoomHere, StrictRoute, Supervisor
from thirdcard.service.web.http_errors import RefusedError, not_found
from thirdcard.service.web.requests import LARGEST_ID
from thirdcard.service.web.schemas import Listing

router = APIRouter(prefix="/api", route_class=StrictRoute, tags=["dealers"])
BEFORE, AHEAD = timedelta(days=1), timedelta(days=7)
Number = Annotated[int, Path(ge=1, le=LARGEST_ID)]


def check_names_shown(room: Room, person: Person) -> None:
    """Raise RefusedError (403) where the house shows dealers' names to other roles only."""
    if not room.settings.house.shows_names_to(person):
        raise RefusedError(403, "The house shows dealers' names to other roles only.")


@router.get("/dealers")
def dealers(room: RoomHere, person: Supervisor) -> Listing[DealerOut]:
    """All dealers, sorted by name, including names that came from a log."""
    check_names_shown(room, person)
    with room.database.reading() as session:
        found = list_dealers(session)
    pseudonyms = room.settings.house.pseudonyms
    return Listing[DealerOut](items=[DealerOut.of(one, pseudonyms.of(one.name)) for one in found], next=None)


@router.post("/dealers", status_code=201)
def add(room: RoomHere, person: Admin, body: DealerIn) -> Done:
    """Add a dealer, or confirm one whose name came from a log."""
    with room.database.writing() as session:
        return Done(id=enter_dealer(session, person.name, body.fields(), now=room.clock()))


@router.post("/dealers/import")
def add_list(room: RoomHere, person: Admin, body: ListIn) -> ImportedOut:
    """Add or change many dealers: a CSV with the columns name, id, badge, active; refused lines are listed.

    What the list has no column for stays as it is.
    """
    return ImportedOut.of(import_dealers(room.database, person.name, body.text, now=room.clock()))


@router.post("/dealers/{dealer_id}")
def change(room: RoomHere, person: Admin, dealer_id: Number, body: DealerIn) -> Done:
    """Change a dealer; rounds, alerts and figures follow a new name."""
    with room.database.writing() as session:
        if not edit_dealer(session, person.name, dealer_id, body.fields(), now=room.clock()):
            raise not_found("dealer")
    return Done(id=dealer_id)


@router.post("/dealers/{dealer_id}/join")
def join_two(room: RoomHere, person: Admin, dealer_id: Number, body: JoinIn) -> Done:
    """Merge two register entries of the same person; rounds of the removed entry go to the one that stays."""
    with room.database.writing() as session:
        if not join(session, person.name, dealer_id, body.gone, now=room.clock()):
            raise not_found("pair of dealers")
    return Done(id=dealer_id)


@router.get("/roster")
def roster(room: RoomHere, person: Supervisor, query: Annotated[RosterQuery, Query()]) -> Listing[StintOut]:
    """The roster in order of time."""
    check_names_shown(room, person)
    now = room.clock()
    from_at, to_at = query.from_ or now - BEFORE, query.to or now + AHEAD
    with room.database.reading() as session:
        found = list_stints(session, table_id=query.table, from_at=from_at, to_at=to_at)
    seen = [StintOut.of(one) for one in found if person.may_see(one.table_id)]
    begin = int(query.cursor or 0)
    end = begin + query.limit
    return Listing[StintOut](items=seen[begin:end], next=f"{end}" if end < len(seen) else None)


@router.post("/roster", status_code=201)
def add_line(room: RoomHere, person: Supervisor, body: StintIn) -> Done:
    """Add a line, or state afterwards who dealt (`ruling`); rounds, alerts and figures are updated."""
    fields = body.fields(ZoneInfo(room.settings.time_zone))
    with room.database.writing() as session:
        is_watched = room.live.state(fields.table_id) is not None and person.may_see(fields.table_id)
        if not is_watched and fields.table_id not in known_tables(session, person):
            raise not_found("table")
        return Done(id=enter_stint(session, person.name, fields, now=room.clock()))


@router.post("/roster/import")
def add_lines(room: RoomHere, person: Supervisor, body: RosterListIn) -> ImportedOut:
    """Add many lines: a CSV with the columns table, from, to, dealer; refused lines are listed."""
    tables, zone = all_tables(room, person), ZoneInfo(room.settings.time_zone)
    roster = RosterList(text=body.text, zone=zone, tables=tables, replaces=body.replaces)
    return ImportedOut.of(import_roster(room.database, person.name, roster, now=room.clock()))


@router.post("/roster/{stint_id}/remove")
def remove_line(room: RoomHere, person: Supervisor, stint_id: Number) -> Done:
    """Remove a line."""
    with room.database.writing() as session:
        if not take_stint_out(session, person, stint_id, now=room.clock()):
            raise not_found("line of the roster")
    return Done(id=stint_id)
