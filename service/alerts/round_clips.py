"""Find video of a round: a cut of the reviewed recording; for a live table, the stored camera video, or else the clips
of the round's alerts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote, urlencode

from sqlalchemy.orm import Session

from thirdcard.service.alerts.evidence_files import EvidenceFile, EvidenceMissingError
from thirdcard.service.alerts.room import Room
from thirdcard.service.alerts.table_recording import LONGEST_PLAYED, has_kept
from thirdcard.service.media.clip_span import round_span
from thirdcard.service.media.clips import ClipError, ClipSpan
from thirdcard.service.media.cuts import Cut
from thirdcard.service.media.finding import Shown, alert_clips, recordings
from thirdcard.service.store import audit
from thirdcard.service.store.blob_store import EvidenceStore
from thirdcard.service.store.people import Person
from thirdcard.service.store.schema import LogRow, RoundRow


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundClip:
    """A clip that shows a round or a part of it."""

    address: str
    from_at: datetime
    to_at: datetime
    alert: int | None
    source: str
    """The video that it was cut from, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    table_id: str
    log_id: int
    origin: str
    from_at: datetime
    to_at: datetime


def clips_of_round(room: Room, person: Person, round_id: int) -> Sequence[RoundClip] | None:
    """The clips of a round; cuts the recording if it was not cut yet. None: the person may not see the round.

    Raises:
        EvidenceMissingError: No video shows the round; the text says why.
    """
    with room.database.reading() as session:
        wanted = _wanted(session, person, round_id)
        if wanted is None:
            return None
        shown = recordings(session, wanted.log_id, wanted.from_at, wanted.to_at)
        others = alert_clips(session, room.settings.evidence, wanted.log_id, wanted.from_at, wanted.to_at)
    if shown:
        cut = _cut(room, shown[0], wanted)
        covers = (shown[0].moment_of(cut.covers.from_s), shown[0].moment_of(cut.covers.to_s))
        address = f"/api/rounds/{round_id}/clip"
        return [RoundClip(address=address, from_at=covers[0], to_at=covers[1], alert=None, source=shown[0].path.name)]
    kept = _of_the_ring(room, wanted)
    if kept is not None:
        return [kept]
    if not others:
        raise EvidenceMissingError(_why_nothing(wanted))
    return [
        RoundClip(
            address=f"/api/alerts/{one.alert}/clip", from_at=one.from_at, to_at=one.to_at, alert=one.alert,
            source=f"the clip of alert {one.alert}",
        )
        for one in others
    ]  # fmt: skip


def _of_the_ring(room: Room, wanted: _Wanted) -> RoundClip | None:
    """The round from the stored video of the table's camera; None where it is deleted, or not stored yet."""
    from_at, to_at = wanted.from_at, min(wanted.to_at, wanted.from_at + LONGEST_PLAYED, room.clock())
    if to_at <= from_at or not has_kept(room, wanted.table_id, from_at, to_at):
        return None
    try:
        covers = room.cuts.get_kept(room.settings.ring / wanted.table_id, from_at, to_at).covers
    except (ClipError, OSError):
        return None
    asked = urlencode({"from": from_at.isoformat(), "to": to_at.isoformat()})
    return RoundClip(
        address=f"/api/tables/{quote(wanted.table_id, safe='')}/recording/clip?{asked}",
        from_at=datetime.fromtimestamp(covers.from_s, UTC), to_at=datetime.fromtimestamp(covers.to_s, UTC),
        alert=None, source="what is kept of the table's camera",
    )  # fmt: skip


def open_clip(room: Room, person: Person, round_id: int) -> EvidenceFile:
    """Open the cut of the recording, and record in the audit that the person views it.

    Raises:
        EvidenceMissingError: No recording shows the round, or the person may not see it.
    """
    with room.database.reading() as session:
        wanted = _wanted(session, person, round_id)
        if wanted is None:
            raise EvidenceMissingError("There is no such round.")
        shown = recordings(session, wanted.log_id, wanted.from_at, wanted.to_at)
    if not shown:
        raise EvidenceMissingError(_why_nothing(wanted))
    path = _cut(room, shown[0], wanted).path
    target = f"round:{round_id}"
    if room.sights.is_new(person.name, target):
        with room.database.writing() as session:
            audit.note(session, person.name, "evidence.seen", target, at=room.clock(), kind="clip")
        room.sights.remember(person.name, target)
    return EvidenceFile(
        store=EvidenceStore(path.parent), path=path.name, size_bytes=path.stat().st_size, media_type="video/mp4",
        tag=path.stem, name=f"round-{round_id}.mp4",
    )  # fmt: skip


def _wanted(session: Session, person: Person, round_id: int) -> _Wanted | None:
    row = session.get(RoundRow, round_id)
    if row is None or not person.may_see(row.table_id):
        return None
    from_at, to_at = round_span(row.opened_at, row.closed_at)
    origin = session.get_one(LogRow, row.log_id).origin
    return _Wanted(table_id=row.table_id, log_id=row.log_id, origin=origin, from_at=from_at, to_at=to_at)


def _why_nothing(wanted: _Wanted) -> str:
    if wanted.origin == "live":
        return (
            "No video is kept of this round: of tables watched live what the camera sent last is, and the clips of "
            "alerts, and it had none."
        )
    return "No recording that was reviewed shows this round."


def _cut(room: Room, shown: Shown, wanted: _Wanted) -> Cut:
    span = ClipSpan(
        from_s=max(shown.second_of(max(wanted.from_at, shown.from_at)), 0.0),
        to_s=shown.second_of(min(wanted.to_at, shown.to_at)),
    )
    try:
        return room.cuts.get(shown.path, span)
    except (ClipError, OSError) as error:
        raise EvidenceMissingError(f"The round cannot be shown: {error}") from error
