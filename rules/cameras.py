"""Tell when the table cannot be watched."""

from __future__ import annotations

from collections.abc import Iterator

from rules.events import CameraEvent, CameraLost, CameraMoved, CameraObstructed, Event
from rules.findings import Finding
from rules.round import confidence_of

_WHAT: dict[type[CameraEvent], tuple[str, str]] = {
    CameraLost: ("camera.lost", "gives no picture"),
    CameraMoved: ("camera.moved", "no longer stands where it was calibrated"),
    CameraObstructed: ("camera.obstructed", "is covered"),
}


def find_camera_fault(event: Event) -> Iterator[Finding]:
    """The camera is lost, moved or covered."""
    if not isinstance(event, CameraEvent) or type(event) not in _WHAT:
        return
    code, what = _WHAT[type(event)]
    yield Finding(
        code=code,
        t=event.t,
        key=(code, event.camera, event.t),
        message=f"Camera {event.camera or 'of the table'} {what}.",
        confidence=confidence_of(event),
    )
