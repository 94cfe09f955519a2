"""Open a file of an alert's evidence, after recording in the audit who views it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import IO, ClassVar

from thirdcard.service.alerts.alerts import find_alert
from thirdcard.service.alerts.room import Room
from thirdcard.service.alerts.views import EvidenceView
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store import audit
from thirdcard.service.store.alert_writer import PROMISED
from thirdcard.service.store.blob_store import EvidenceStore
from thirdcard.service.store.people import Person


class EvidenceKind(StrEnum):
    """The kinds of evidence files."""

    CLIP = "clip"
    STILL = "still"
    BEFORE = "before"
    AFTER = "after"
    OVERLAY = "overlay"
    LONGER = "longer"
    LONGER_2 = "longer-2"
    LONGER_3 = "longer-3"
    CLIP_COPY = "clip-copy"
    LONGER_COPY = "longer-copy"
    LONGER_2_COPY = "longer-2-copy"
    LONGER_3_COPY = "longer-3-copy"


MEDIA_TYPES = {
    ".mp4": "video/mp4",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".json": "application/json",
}
NOT_THERE = {
    PROMISED: "The {kind} is being made; ask again in a moment.",
    "failed": "The {kind} could not be made: {fault}",
    "deleted": "The {kind} was deleted when its time was over.",
}


class EvidenceMissingError(ServiceError):
    """The file does not exist, is not ready or was deleted."""


class EvidenceComingError(EvidenceMissingError):
    """The file is still being made."""

    headers: ClassVar[Mapping[str, str]] = {"Retry-After": "2"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceFile:
    """A file that may be sent."""

    store: EvidenceStore
    path: str
    """Its path in the store."""
    size_bytes: int
    media_type: str
    tag: str
    """The entity tag: it changes with the content."""
    name: str
    """The name for a download."""

    def open(self) -> IO[bytes]:
        """Open it for reading, seekable."""
        return self.store.open(self.path)

    def read(self) -> bytes:
        """The whole content."""
        with self.open() as stream:
            return stream.read()


def open_evidence(room: Room, person: Person, alert_id: int, kind: EvidenceKind) -> EvidenceFile:
    """Open the file, and record in the audit chain that the person views it.

    Raises:
        EvidenceComingError: It is still being made.
        EvidenceMissingError: It does not exist, or the person may not see the alert.
    """
    with room.database.reading() as session:
        alert = find_alert(session, person, alert_id)
    if alert is None:
        raise EvidenceMissingError("There is no such alert.")
    found = alert.evidence.get(kind)
    if found is None:
        raise EvidenceMissingError(f"There is no {kind} of that alert.")
    file = kept_file(room.settings.evidence_store, found, f"alert-{alert_id}-{kind}")
    target = f"alert:{alert_id}"
    if room.sights.is_new(person.name, f"{target}/{kind}"):
        with room.database.writing() as session:
            audit.note(session, person.name, "evidence.seen", target, at=room.clock(), kind=str(kind))
        room.sights.remember(person.name, f"{target}/{kind}")
    return file


def kept_file(store: EvidenceStore, evidence: EvidenceView, name: str) -> EvidenceFile:
    """The file of an evidence row.

    Raises:
        EvidenceComingError: It is still being made.
        EvidenceMissingError: It is not kept, is missing from the store or was lost.
        EvidenceStoreError: The store does not answer.
    """
    if evidence.state != "kept" or evidence.path is None:
        told = NOT_THERE.get(evidence.state, "There is no {kind}.")
        message = told.format(kind=evidence.kind, fault=evidence.fault or "the reason is not known")
        raise EvidenceComingError(message) if evidence.state == PROMISED else EvidenceMissingError(message)
    size = store.size(evidence.path)
    if size is None:
        raise EvidenceMissingError(f"The {evidence.kind} is not where it was kept.")
    suffix = PurePosixPath(evidence.path).suffix.lower()
    return EvidenceFile(
        store=store,
        path=evidence.path,
        size_bytes=size,
        media_type=MEDIA_TYPES.get(suffix, "application/octet-stream"),
        tag=(evidence.sha256 or "none")[:32],
        name=f"{name}{suffix}",
    )
