"""Tell when the table cannot be watched."""

from __future__ import annotations

from collections.abc import Iterator

from rules.events import CameraEvent, CameraLost, CameraMoved, CameraObstructed
from rules.findings import Finding
from rules.round import Round, confidence_of

_WHAT: dict[type[CameraEvent], tuple[str, str]] = {
    CameraLost: ("camera.lost", "gives no picture"),
    CameraMoved: ("camera.moved", "no longer stands where it was calibrated"),
    CameraObstructed: ("camera.obstructed", "is covered"),
}


def find_camera_fault(event: CameraLost | CameraMoved | CameraObstructed, _running: Round | None) -> Iterator[Finding]:
    """The camera is lost, moved or covered."""
    code, what = _WHAT[type(event)]
    yield Finding(
        code=code,
        t=event.t,
        key=(code, event.camera, event.t),
        message=f"Camera {event.camera or 'of the table'} {what}.",
        confidence=confidence_of(event),
    )
