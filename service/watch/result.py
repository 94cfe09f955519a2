"""The results of a watch, for the report, the closing words and the evaluation.

Times are stream time in seconds. Independent of files and of detection.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.log.events import CameraBack, CameraFaulted, CameraLost, CameraMoved, CameraObstructed, Event
from thirdcard.rules.round.records import RoundRecord
from thirdcard.service.media.alert_media import Evidence
from thirdcard.service.watch.spread_count import CountedSpread

DAMAGED = "the film is damaged"
"""The reason shown where the film cannot be decoded."""
_FAULTS: Mapping[str, str] = {
    "frozen": "the picture was frozen",
    "dark": "it was too dark",
    "glare": "glare",
    "blurred": "out of focus or dirty",
    "damaged": DAMAGED,
    "gap": "the film has a gap",
    "clock": "the film's clock cannot be trusted",
    "size": "the picture has another size",
    "few_frames": "too few frames a second",
    "overloaded": "the machine had too much to do",
    "not_watched": "the watch began in the midst of a round",
}
_CAMERA_EVENTS: Mapping[type[CameraFaulted], str] = {
    CameraLost: "no picture",
    CameraMoved: "the camera moved",
    CameraObstructed: "the view was covered",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedAlert:
    """An alert with its evidence."""

    alert: Alert
    noticed_at: float
    """The stream time that the watch had reached when the alert was raised."""
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """A span in which the table could not be watched."""

    from_s: float
    to_s: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedTable:
    """The facts of the table for headings."""

    id: str
    rulebook: str
    options: Mapping[str, object]
    video: str
    """The file's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All results of one watch."""

    table: WatchedTable
    duration_s: float
    """The stream time that was watched."""
    frames: int
    wall_s: float
    events: tuple[Event, ...]
    alerts: tuple[WatchedAlert, ...]
    rounds: tuple[RoundRecord, ...]
    doubtful: tuple[Alert, ...] = ()
    """Findings whose confidence is too low for an alert."""
    stage_seconds: Mapping[str, float] = field(default_factory=dict)
    broken: str | None = None
    """Why the video broke off before its end."""
    damaged: str | None = None
    """What part of the video could not be decoded."""
    notes: tuple[str, ...] = ()
    """The problems of the film."""
    setup_hint: str | None = None
    """What to check in the table's set-up, where an error in it is likelier than one of the dealer."""
    familiarity: float | None = None
    """How well the reader knows the deck, 0 to 1; None where it was not measured."""
    spreads: tuple[CountedSpread, ...] = ()
    """The decks that were spread over the table."""

    @property
    def unseen(self) -> tuple[Unseen, ...]:
        """The spans in which the table could not be watched."""
        return unseen_stretches(self.events, self.duration_s)


def unseen_reason(event: CameraFaulted) -> str:
    """Why nothing can be seen, in a few words."""
    return _FAULTS.get(event.fault or "", _CAMERA_EVENTS[type(event)])


def unseen_stretches(events: Iterable[Event], end_s: float) -> tuple[Unseen, ...]:
    """The spans from each camera fault to the camera's return, or to `end_s`."""
    stretches: list[Unseen] = []
    since: tuple[float, str] | None = None
    for event in events:
        if isinstance(event, CameraFaulted) and since is None:
            since = (event.t, unseen_reason(event))
        elif isinstance(event, CameraBack) and since is not None:
            stretches.append(Unseen(from_s=since[0], to_s=event.t, reason=since[1]))
            since = None
    if since is not None:
        stretches.append(Unseen(from_s=since[0], to_s=max(end_s, since[0]), reason=since[1]))
    return tuple(stretches)
