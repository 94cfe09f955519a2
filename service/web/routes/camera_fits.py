"""The refit of a live table's camera that was moved: the result, pictures, and its use in the set-up."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from thirdcard.service.alerts.room import Room
from thirdcard.service.config.data_folder import Home
from thirdcard.service.config.place_folder import PICTURES
from thirdcard.service.tables.table_views import KeptFit, camera_fit_of
from thirdcard.service.web.dependencies import Admin, RoomHere, StrictRoute, Viewer, seen_table
from thirdcard.service.web.http_errors import not_found
from thirdcard.service.web.routes.setups import acts_of
from thirdcard.service.web.setup_schemas import CameraFitOut, MadeOut, WhyIn

router = APIRouter(prefix="/api/tables", route_class=StrictRoute, tags=["tables"])
JPEG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/jpeg": {}}}}
WHY = "the camera was moved; its calibration was fitted anew from the cloth"


@router.get("/{table_id}/camera-fit")
def camera_fit(room: RoomHere, person: Viewer, table_id: str) -> CameraFitOut:
    """The last refit of the camera since the set-up's calibration was made; 404 where it was not moved."""
    seen_table(room, person, table_id)
    return CameraFitOut.of(_found(room, table_id).facts)


@router.get("/{table_id}/camera-fit/{which}.jpg", response_class=Response, responses=JPEG)
def picture(room: RoomHere, person: Viewer, table_id: str, which: str) -> Response:
    """The picture of the moved camera with the layout drawn by the previous calibration, or by the new one."""
    seen_table(room, person, table_id)
    folder = _found(room, table_id).folder
    if which not in PICTURES:
        raise not_found("picture")
    try:
        data = folder.picture(which).read_bytes()
    except OSError:
        raise not_found("picture") from None
    return Response(data, media_type="image/jpeg", headers={"Cache-Control": "private, no-cache"})


@router.post("/{table_id}/camera-fit/accept")
def accept(room: RoomHere, person: Admin, table_id: str, body: WhyIn) -> MadeOut:
    """Put the new calibration into the table's set-up, as a new version; it takes effect after the current round."""
    seen_table(room, person, table_id)
    calibration = _found(room, table_id).folder.offered.read_bytes()
    return MadeOut.of(acts_of(room, person).recalibrate(table_id, calibration, body.why or WHY))


def _found(room: Room, table_id: str) -> KeptFit:
    found = camera_fit_of(Home(room.settings.home), room.database, table_id)
    if found is None:
        raise not_found("fit of its camera")
    return found
