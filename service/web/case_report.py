"""The report of a case as a single PDF, without the archive; each file is hashed in its present state."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from thirdcard.service.alerts.alerts import AlertStory, tell_alert
from thirdcard.service.alerts.cases import tell_case
from thirdcard.service.alerts.evidence_files import EvidenceMissingError, kept_file
from thirdcard.service.alerts.room import Room
from thirdcard.service.store import audit
from thirdcard.service.store.blob_store import EvidenceStore, EvidenceStoreError
from thirdcard.service.store.people import Person
from thirdcard.service.web.pages.pdf_report import ReportFiles, write_case_pdf
from thirdcard.service.web.pages.report import PackedFile


def write_report(room: Room, person: Person, case_id: int) -> bytes | None:
    """The PDF, recorded in the audit chain; None where there is no such case."""
    now = room.clock()
    with room.database.reading() as session:
        story = tell_case(session, person, case_id)
        if story is None:
            return None
        told = [tell_alert(session, person, alert.id) for alert in story.alerts]
    alerts = [one for one in told if one is not None]
    beside = _files_of(room.settings.evidence_store, alerts)
    pdf = write_case_pdf(room.settings, story, alerts, beside, signed=(person.name, now))
    seal = hashlib.sha256(pdf).hexdigest()
    with room.database.writing() as session:
        audit.note(
            session, person.name, "case.reported", f"case:{case_id}", at=now,
            report=seal, alerts=[one.alert.id for one in alerts],
        )  # fmt: skip
    return pdf


def _files_of(store: EvidenceStore, alerts: Sequence[AlertStory]) -> ReportFiles:
    files: list[PackedFile] = []
    missing: list[str] = []
    pictures: dict[int, dict[str, bytes]] = {}
    for told in alerts:
        for kind, piece in told.alert.evidence.items():
            stem = f"alert-{told.alert.id}-{kind}"
            try:
                file = kept_file(store, piece, stem)
                content = file.read()
            except (EvidenceMissingError, EvidenceStoreError, OSError) as error:
                missing.append(f"{stem}: {error}")
                continue
            found = hashlib.sha256(content).hexdigest()
            is_as_kept = found == piece.sha256
            files.append(PackedFile(name=file.name, size_bytes=file.size_bytes, sha256=found, is_as_kept=is_as_kept))
            if file.media_type.startswith("image/"):
                pictures.setdefault(told.alert.id, {})[kind] = content
    return ReportFiles(files=files, missing=missing, pictures=pictures)
