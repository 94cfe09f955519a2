"""The health of the service and its tables; open to all."""

from __future__ import annotations

from fastapi import APIRouter

from thirdcard.service.web.dependencies import RoomHere, StrictRoute
from thirdcard.service.web.health import is_well
from thirdcard.service.web.schemas import Health

router = APIRouter(route_class=StrictRoute, tags=["health"])


@router.get("/api/health")
def health(room: RoomHere) -> Health:
    """`degraded` where a table cannot be watched or the database does not answer."""
    return Health(status="ok" if is_well(room) else "degraded", version=room.settings.version)
