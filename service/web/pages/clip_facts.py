"""The files that the player of an alert can play, and the position of the fault in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import quote, urlencode

from thirdcard.service.alerts.room import Room
from thirdcard.service.alerts.table_recording import has_kept
from thirdcard.service.alerts.views import AlertView
from thirdcard.service.store.alert_states import SAVED_BY_HAND
from thirdcard.service.store.alert_writer import COPY_KINDS, LONGER_KINDS

BESIDE, AROUND = timedelta(minutes=10), timedelta(minutes=3)
"""The lengths of recording played at once: before or after an alert, and to either side of it."""
LINKED = timedelta(minutes=1)
"""The time to either side of an alert without a clip, in links to other cameras."""
FILE_WORDS = {"clip": "clip", **dict.fromkeys(LONGER_KINDS, "longer clip")}
FILE_WORDS |= {copy: f"H.264 copy of the {FILE_WORDS[kind]}" for copy, kind in COPY_KINDS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipSource:
    """A file that shows the alert."""

    kind: str
    address: str
    from_at: datetime
    to_at: datetime
    fault_s: float
    """The position of the fault in it, in seconds."""

    @property
    def is_first(self) -> bool:
        """Whether it shows the alert's first clip: the readings can be drawn over it."""
        return self.kind in ("clip", "clip-copy")


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherView:
    """Another camera, at the house's own recorder."""

    name: str
    address: str


def recorded_sources(room: Room, view: AlertView) -> Sequence[ClipSource]:
    """The recordings of the table's camera before, around and after the alert, as far as they are kept."""
    now, at = room.clock(), view.at
    if room.live.state(view.table_id) is None or at < now - room.settings.kept_of(view.table_id) - AROUND:
        return ()
    found = []
    for kind, from_at, to_at in (
        ("before", at - BESIDE, at),
        ("around", at - AROUND, at + AROUND),
        ("after", at, at + BESIDE),
    ):
        if to_at <= now and has_kept(room, view.table_id, from_at, to_at):
            asked = urlencode({"from": from_at.isoformat(), "to": to_at.isoformat()})
            address = f"/api/tables/{quote(view.table_id, safe='')}/recording/clip?{asked}"
            fault_s = (at - from_at).total_seconds()
            found.append(ClipSource(kind=kind, address=address, from_at=from_at, to_at=to_at, fault_s=fault_s))
    return found


def other_views(room: Room, view: AlertView) -> Sequence[OtherView]:
    """The links to other cameras' recordings of the alert at the house's own recorder."""
    facts, clip = room.settings.facts_of(view.table_id), view.evidence.get("clip")
    from_at, to_at = (view.at - LINKED, view.at + LINKED) if clip is None else (clip.from_at, clip.to_at)
    cameras = () if facts is None else facts.other_cameras
    return [OtherView(name=one.name, address=one.between(from_at, to_at)) for one in cameras]


def clip_sources(view: AlertView) -> Sequence[ClipSource]:
    """The existing clips, the first one first."""
    found = []
    for kind in ("clip", *LONGER_KINDS, *COPY_KINDS):
        piece = view.evidence.get(kind)
        if piece is not None and piece.state == "kept":
            fault_s = max((_shown_first(view) - piece.from_at).total_seconds(), 0.0)
            address = f"/api/alerts/{view.id}/{kind}"
            found.append(
                ClipSource(kind=kind, address=address, from_at=piece.from_at, to_at=piece.to_at, fault_s=fault_s)
            )
    return found


def fault_in_clip_s(view: AlertView) -> float:
    """The position of an alert's fault in its clip, in seconds; 0 without a clip."""
    clip = view.evidence.get("clip")
    return 0.0 if clip is None else max((_shown_first(view) - clip.from_at).total_seconds(), 0.0)


def may_be_lengthened(room: Room, view: AlertView) -> bool:
    """Whether the table's camera is still recorded for that time, and a longer clip can be cut."""
    clip = view.evidence.get("clip")
    is_free = any(kind not in view.evidence for kind in LONGER_KINDS)
    is_here = room.live.state(view.table_id) is not None
    return (
        is_free and is_here and clip is not None and clip.from_at > room.clock() - room.settings.kept_of(view.table_id)
    )


def file_word(kind: str) -> str:
    """The name of a kind of file for display."""
    return FILE_WORDS.get(kind, kind)


def _shown_first(view: AlertView) -> datetime:
    """The time at which the player starts: the fault, or the start of a stretch that a person saved."""
    clip = view.evidence.get("clip")
    return clip.from_at if clip is not None and view.body["code"] == SAVED_BY_HAND else view.at
