"""The set-ups of tables: added, changed, restored, stopped and started while the service runs."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Path, Query

from thirdcard.service.alerts.room import Room
from thirdcard.service.config.data_folder import Home
from thirdcard.service.store.people import Person
from thirdcard.service.tables.setups import list_versions
from thirdcard.service.tables.table_acts import TableActs, id_of
from thirdcard.service.tables.table_views import known_table, told_version
from thirdcard.service.web.case_schemas import Done
from thirdcard.service.web.dependencies import Admin, RoomHere, StrictRoute
from thirdcard.service.web.http_errors import RefusedError, not_found
from thirdcard.service.web.requests import LARGEST_ID, MOST_ITEMS
from thirdcard.service.web.schemas import Listing
from thirdcard.service.web.setup_schemas import (
    LARGEST_BODY_BYTES,
    MadeOut,
    SetupFilesOut,
    SetupIn,
    SetupOut,
    SetupQuery,
    WhyIn,
)

router = APIRouter(prefix="/api/tables", route_class=StrictRoute, tags=["tables"])
LARGER_BODIES = {re.compile(r"/api/tables(/[^/]+/setup)?"): LARGEST_BODY_BYTES}
"""Paths that take whole set-ups, and their limits in bytes."""
Number = Annotated[int, Path(ge=1, le=LARGEST_ID)]


def acts_of(room: Room, person: Person) -> TableActs:
    """The acts on tables by that person."""
    return TableActs(home=Home(room.settings.home), database=room.database, now=room.clock, who=person.name)


def check_seen(room: Room, person: Person, table_id: str) -> None:
    """Raise RefusedError (404) where there is no such table, or the person may not see it."""
    if not person.may_see(table_id) or known_table(room.database, table_id) is None:
        raise not_found("table")


@router.post("", status_code=201)
def add(room: RoomHere, person: Admin, body: SetupIn) -> MadeOut:
    """Add a table with all its files and watch it; its id is in its table.yaml."""
    contents = body.contents()
    if not person.may_see(id_of(contents)):
        raise RefusedError(403, "You may not see a table of this id.")
    return MadeOut.of(acts_of(room, person).add(contents, body.why))


@router.post("/reload")
def reload(room: RoomHere, person: Admin, _body: WhyIn) -> Listing[MadeOut]:
    """Read the files in tables/ again: files changed by hand become a new version where nothing is wrong."""
    if person.tables is not None:
        raise RefusedError(403, "This concerns all tables, and you may see some of them.")
    made = acts_of(room, person).reload()
    return Listing[MadeOut](items=[MadeOut.of(one) for one in made], next=None)


@router.get("/{table_id}/setups")
def versions(room: RoomHere, person: Admin, table_id: str) -> Listing[SetupOut]:
    """All versions of a table's set-up, the newest first."""
    check_seen(room, person, table_id)
    with room.database.reading() as session:
        found = list_versions(session, table_id)
    return Listing[SetupOut](items=[SetupOut.of(one) for one in found[:MOST_ITEMS]], next=None)


@router.get("/{table_id}/setup")
def files(room: RoomHere, person: Admin, table_id: str, query: Annotated[SetupQuery, Query()]) -> SetupFilesOut:
    """A version with its files, and its differences from the previous one."""
    check_seen(room, person, table_id)
    told = told_version(Home(room.settings.home), room.database, table_id, query.version)
    return SetupFilesOut.of(told.table, told.setup, told.shown, told.changes)


@router.put("/{table_id}/setup")
def change(room: RoomHere, person: Admin, table_id: str, body: SetupIn) -> MadeOut:
    """Replace a table's whole set-up; a watched table changes over after the current round."""
    check_seen(room, person, table_id)
    return MadeOut.of(acts_of(room, person).change(table_id, body.contents(), body.why))


@router.post("/{table_id}/setups/{version}/restore")
def restore(room: RoomHere, person: Admin, table_id: str, version: Number, body: WhyIn) -> MadeOut:
    """Put an older version in force again, as a new version."""
    check_seen(room, person, table_id)
    return MadeOut.of(acts_of(room, person).restore(table_id, version, body.why))


@router.post("/{table_id}/stop")
def stop(room: RoomHere, person: Admin, table_id: str, body: WhyIn) -> Done:
    """Stop watching a table until it is started again."""
    check_seen(room, person, table_id)
    acts_of(room, person).stop(table_id, body.why)
    return Done()


@router.post("/{table_id}/start")
def start(room: RoomHere, person: Admin, table_id: str, body: WhyIn) -> Done:
    """Watch a stopped table again."""
    check_seen(room, person, table_id)
    acts_of(room, person).start(table_id, body.why)
    return Done()
