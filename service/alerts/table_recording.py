"""Play the stored video of a table's camera; each viewing is recorded in the audit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from thirdcard.service.alerts.evidence_files import EvidenceFile, EvidenceMissingError
from thirdcard.service.alerts.room import Room
from thirdcard.service.alerts.saving import SavingError
from thirdcard.service.media.clips import ClipError
from thirdcard.service.media.ring import SEGMENT, Stretch, segments, stretches
from thirdcard.service.store import audit
from thirdcard.service.store.blob_store import EvidenceStore
from thirdcard.service.store.people import Person

LONGEST_PLAYED = timedelta(minutes=15)
"""The longest stretch in one request."""


def kept_stretches(room: Room, table_id: str) -> Sequence[Stretch]:
    """The stored stretches of a table's camera video, newest first."""
    return stretches(room.settings.ring / table_id)[::-1]


def has_kept(room: Room, table_id: str, from_at: datetime, to_at: datetime) -> bool:
    """Whether any video of that time is stored, judged by the file names."""
    return any(from_at - SEGMENT < one.began <= to_at for one in segments(room.settings.ring / table_id))


def open_recording(room: Room, person: Person, table_id: str, from_at: datetime, to_at: datetime) -> EvidenceFile:
    """Open a stretch of stored video, up to an outage, and record the viewing in the audit.

    Raises:
        SavingError: The stretch is empty or too long.
        EvidenceMissingError: Nothing of it is stored.
    """
    if not timedelta() < to_at - from_at <= LONGEST_PLAYED:
        raise SavingError("to", f"to: must lie after from, by {LONGEST_PLAYED.total_seconds() / 60:g} minutes at most")
    try:
        path = room.cuts.get_kept(room.settings.ring / table_id, from_at, min(to_at, room.clock())).path
    except (ClipError, OSError) as error:
        raise EvidenceMissingError("Nothing is kept of the table's camera of that time.") from error
    target = f"table:{table_id}"
    if room.sights.is_new(person.name, f"{target}/recording/{from_at}"):
        with room.database.writing(is_shown=False) as session:
            audit.note(
                session, person.name, "recording.seen", target, at=room.clock(), from_at=str(from_at), to_at=str(to_at)
            )
        room.sights.remember(person.name, f"{target}/recording/{from_at}")
    return EvidenceFile(
        store=EvidenceStore(path.parent),
        path=path.name,
        size_bytes=path.stat().st_size,
        media_type="video/mp4",
        tag=path.stem,
        name=f"{table_id}-{from_at:%Y%m%dT%H%M%S}.mp4",
    )
