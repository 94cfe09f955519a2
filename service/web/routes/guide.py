"""The guided set-up of a new table: its steps, each checked and stored separately."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from thirdcard.service.alerts.room import Room
from thirdcard.service.cameras.onvif import SignIn
from thirdcard.service.config.data_folder import Home
from thirdcard.service.guide.calibration_step import settle_fit, try_markers, try_points
from thirdcard.service.guide.camera_step import found_cameras, look_again, offered_streams, settle_camera
from thirdcard.service.guide.chips_step import ChipRow, choose_chips, enrol_row, settle_chips
from thirdcard.service.guide.cloth_step import choose_cloth, keep_sketch, load_cloth, settle_sketch
from thirdcard.service.guide.deck_step import drop_deck, enrol_deck
from thirdcard.service.guide.drafts import STILL, Drafts, NewTable
from thirdcard.service.guide.house_step import settle_house
from thirdcard.service.guide.lens_step import add_view, drop_views
from thirdcard.service.guide.trial import finish, try_table
from thirdcard.service.media.calibration_sheets import write_sheets
from thirdcard.service.store import audit
from thirdcard.service.store.people import Person
from thirdcard.service.tables.file_set import FileSet
from thirdcard.service.tables.setups import list_known, read_files
from thirdcard.service.web.case_schemas import Done
from thirdcard.service.web.dependencies import Admin, RoomHere, StrictRoute
from thirdcard.service.web.guide_schemas import (
    BeginIn,
    CameraIn,
    CameraOut,
    ChipsIn,
    ClothIn,
    DeckIn,
    DeckOut,
    DraftOut,
    FinishIn,
    FitOut,
    FoundCameraOut,
    HouseIn,
    LensOut,
    PictureQuery,
    PointsIn,
    SketchIn,
    StepOut,
    StreamsIn,
    StreamsOut,
    TrialOut,
)
from thirdcard.service.web.http_errors import RefusedError, not_found
from thirdcard.service.web.routes.setups import acts_of
from thirdcard.service.web.schemas import Listing
from thirdcard.service.web.setup_schemas import MadeOut

router = APIRouter(prefix="/api/new-tables", route_class=StrictRoute, tags=["new tables"])
LARGER_BODIES = {re.compile(r"/api/new-tables/[^/]+/sketch"): 4_000_000}
"""In bytes: the drawing of a full table in JSON."""


def drafts_of(room: Room) -> Drafts:
    """The drafts of tables in this service."""
    return Drafts(Home(room.settings.home))


def seen_draft(room: Room, person: Person, table_id: str) -> NewTable:
    """The draft of a table.

    Raises:
        RefusedError: 404, the person may not see a table of that id.
        NoSuchDraftError: There is no such draft.
    """
    if not person.may_see(table_id):
        raise not_found("table")
    return drafts_of(room).find(table_id)


def _note(room: Room, person: Person, table_id: str, step: str, **details: object) -> None:
    """Record a step of a table's set-up in the audit chain."""
    with room.database.writing() as session:
        audit.note(session, person.name, f"new_table.{step}", f"table:{table_id}", at=room.clock(), **details)


def house_cloths(room: Room, person: Person) -> dict[str, FileSet]:
    """The set-ups in force of the tables that the person may see, by id."""
    with room.database.reading() as session:
        known = [one for one in list_known(session) if person.may_see(one.table_id)]
    return {one.table_id: read_files(Home(room.settings.home), one.setup) for one in known}


@router.get("")
def drafts(room: RoomHere, person: Admin) -> Listing[DraftOut]:
    """The drafts of tables."""
    seen = [one for one in drafts_of(room).all() if person.may_see(one.table_id)]
    return Listing[DraftOut](items=[DraftOut.of(one) for one in seen], next=None)


@router.post("", status_code=201)
def begin(room: RoomHere, person: Admin, body: BeginIn) -> DraftOut:
    """Start the set-up of a table."""
    if not person.may_see(body.table):
        raise RefusedError(403, "You may not see a table of this id.")
    begun = drafts_of(room).begin(body.table)
    _note(room, person, body.table, "begun")
    return DraftOut.of(begun)


@router.post("/cameras")
def cameras(_room: RoomHere, _person: Admin) -> Listing[FoundCameraOut]:
    """Search the network for cameras (ONVIF); takes some seconds."""
    return Listing[FoundCameraOut](items=[FoundCameraOut.of(one) for one in found_cameras()], next=None)


@router.post("/streams")
def streams(_room: RoomHere, _person: Admin, body: StreamsIn) -> StreamsOut:
    """Ask a camera for its streams (ONVIF); the password is sent as a digest."""
    return StreamsOut.of(offered_streams(body.service, SignIn(user=body.user, password=body.password)))


@router.get("/{table_id}")
def draft(room: RoomHere, person: Admin, table_id: str) -> DraftOut:
    """The draft of a table."""
    return DraftOut.of(seen_draft(room, person, table_id))


@router.delete("/{table_id}")
def drop(room: RoomHere, person: Admin, table_id: str) -> Done:
    """Delete the draft of a table."""
    seen_draft(room, person, table_id)
    drafts_of(room).drop(table_id)
    _note(room, person, table_id, "dropped")
    return Done()


@router.put("/{table_id}/camera")
def camera(room: RoomHere, person: Admin, table_id: str, body: CameraIn) -> CameraOut:
    """Look through a camera for some seconds and store its address; nothing is stored where its picture is unusable."""
    found = seen_draft(room, person, table_id)
    films = None if room.settings.are_films_anywhere else Path(room.settings.home)
    told = CameraOut.told(found, settle_camera(found, body.asked(), films=films))
    _note(room, person, table_id, "camera", address=told.draft.camera)
    return told


@router.post("/{table_id}/look")
def look(room: RoomHere, person: Admin, table_id: str) -> CameraOut:
    """Take a new picture."""
    found = seen_draft(room, person, table_id)
    return CameraOut.told(found, look_again(found))


@router.get("/{table_id}/picture", response_class=Response)
def picture(room: RoomHere, person: Admin, table_id: str, _query: Annotated[PictureQuery, Query()]) -> Response:
    """The camera's picture, a JPEG."""
    path = seen_draft(room, person, table_id).needed(STILL, "Choose the camera first.")
    return Response(path.read_bytes(), media_type="image/jpeg", headers={"Cache-Control": "no-store"})


@router.put("/{table_id}/cloth")
def cloth(room: RoomHere, person: Admin, table_id: str, body: ClothIn) -> StepOut:
    """Choose a built-in cloth, or one of this house: `table:` and the table's id."""
    found = seen_draft(room, person, table_id)
    told = StepOut.of(found, choose_cloth(found, body.name, house_cloths(room, person)))
    _note(room, person, table_id, "cloth", name=body.name)
    return told


@router.put("/{table_id}/sketch")
def sketch(room: RoomHere, person: Admin, table_id: str, body: SketchIn) -> StepOut:
    """Store a drawing of the cloth as a draft, or make it the table's cloth."""
    found = seen_draft(room, person, table_id)
    if body.is_done:
        told = StepOut.of(found, settle_sketch(found, body.sketch))
        _note(room, person, table_id, "cloth", name="drawn", areas=len(body.sketch.areas))
        return told
    keep_sketch(found, body.sketch)
    return StepOut.of(found, ())


@router.get("/{table_id}/sheets", response_class=Response)
def sheets(room: RoomHere, person: Admin, table_id: str) -> Response:
    """The markers of the cloth and the calibration board, as a PDF to print."""
    layout = load_cloth(seen_draft(room, person, table_id))
    with tempfile.TemporaryDirectory() as folder:
        write_sheets(Path(folder) / "sheets.pdf", layout)
        content = (Path(folder) / "sheets.pdf").read_bytes()
    headers = {"Content-Disposition": 'attachment; filename="sheets.pdf"'}
    return Response(content, media_type="application/pdf", headers=headers)


@router.post("/{table_id}/lens")
def lens(room: RoomHere, person: Admin, table_id: str) -> LensOut:
    """Take a view of the printed board; from the fifth on, the lens is calibrated and used in further fits."""
    return LensOut.of(add_view(seen_draft(room, person, table_id)))


@router.delete("/{table_id}/lens")
def drop_lens(room: RoomHere, person: Admin, table_id: str) -> Done:
    """Delete the views of the board, and the lens calibration."""
    drop_views(seen_draft(room, person, table_id))
    return Done()


@router.put("/{table_id}/calibration")
def calibration(room: RoomHere, person: Admin, table_id: str, body: PointsIn) -> FitOut:
    """Fit the camera to points, or to the markers in its picture; the fit is stored where `is_done` is set."""
    found = seen_draft(room, person, table_id)
    told = try_markers(found) if body.points is None else try_points(found, body.points)
    if body.is_done:
        settle_fit(found, told)
        _note(room, person, table_id, "calibration", points=len(told.fit.errors_px))
    return FitOut.of(found, told)


@router.put("/{table_id}/chips")
def chips(room: RoomHere, person: Admin, table_id: str, body: ChipsIn) -> StepOut:
    """Choose a built-in chip set, values with colours, or measure a row of chips in front of the camera."""
    found = seen_draft(room, person, table_id)
    size_mm = (body.diameter_mm, body.thickness_mm)
    if body.built_in is not None:
        problems = choose_chips(found, body.built_in)
    elif body.is_row:
        values, names = [one.value for one in body.chips], [one.name for one in body.chips]
        problems = enrol_row(found, ChipRow(values=values, names=names, size_mm=size_mm))
    else:
        problems = settle_chips(found, size_mm, [(one.value, one.name, one.colour) for one in body.chips])
    _note(room, person, table_id, "chips", chips=found.read().chips)
    return StepOut.of(found, problems)


@router.post("/{table_id}/deck")
def deck(room: RoomHere, person: Admin, table_id: str, body: DeckIn) -> DeckOut:
    """Enrol the house's own cards from the spread that the camera shows now."""
    found = seen_draft(room, person, table_id)
    told = enrol_deck(found, body.card_mm)
    _note(room, person, table_id, "deck", faces=told.faces)
    return DeckOut.of(found, told)


@router.delete("/{table_id}/deck")
def undo_deck(room: RoomHere, person: Admin, table_id: str) -> Done:
    """Delete the enrolled cards."""
    drop_deck(seen_draft(room, person, table_id))
    _note(room, person, table_id, "deck", faces=0)
    return Done()


@router.put("/{table_id}/house")
def house(room: RoomHere, person: Admin, table_id: str, body: HouseIn) -> StepOut:
    """Set the rulebook with the elected options, limits and gestures."""
    found = seen_draft(room, person, table_id)
    told = StepOut.of(found, settle_house(found, body.house, Home(room.settings.home)))
    _note(room, person, table_id, "house", rulebook=body.house.rulebook)
    return told


@router.post("/{table_id}/trial")
def trial(room: RoomHere, person: Admin, table_id: str) -> TrialOut:
    """Check all files, and look through the camera for some seconds."""
    return TrialOut.of(try_table(seen_draft(room, person, table_id)))


@router.post("/{table_id}/finish", status_code=201)
def go_live(room: RoomHere, person: Admin, table_id: str, body: FinishIn) -> MadeOut:
    """Add the table, and watch it."""
    found = seen_draft(room, person, table_id)
    return MadeOut.of(finish(drafts_of(room), found, acts_of(room, person), body.why or None))
