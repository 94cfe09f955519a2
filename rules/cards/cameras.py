"""Tell when the table cannot be watched."""

from __future__ import annotations

from collections.abc import Iterator

from thirdcard.rules.findings.findings import Finding
from thirdcard.rules.log.events import CameraFaulted, CameraLost, CameraMoved, CameraObstructed
from thirdcard.rules.round.round import Round, confidence_of

_WHAT: dict[type[CameraFaulted], tuple[str, str]] = {
    CameraLost: ("camera.lost", "gives no picture"),
    CameraMoved: ("camera.moved", "no longer stands where it was calibrated"),
    CameraObstructed: ("camera.obstructed", "is covered"),
}
_WHY = {
    "frozen": "shows the same picture again and again",
    "dark": "sees too little: it is too dark",
    "glare": "is dazzled: parts of the cloth show nothing but white",
    "overloaded": "was not looked at for too long: the machine has too much to do",
    "stopped": "is not watched any more: the watch was ended",
    "not_watched": "was not watched before: a round was under way",
    "blurred": "is out of focus or dirty: no card could be read",
}
"""What says more than the type of event does."""


def find_camera_fault(event: CameraLost | CameraMoved | CameraObstructed, _running: Round | None) -> Iterator[Finding]:
    """The camera is lost, moved or covered, or sees too little for another reason."""
    code, what = _WHAT[type(event)]
    yield Finding(
        code=code,
        t=event.t,
        key=(code, event.camera, event.t),
        message=f"Camera {event.camera or 'of the table'} {_WHY.get(event.fault or '', what)}.",
        confidence=confidence_of(event),
    )
