"""A case as one archive: its files with their hashes, the facts of each alert, and a report to read.

The archive does not need this service: `sha256sum -c` reads `SHA256SUMS`, `report.html` opens in any browser,
`report.pdf` has the same content on paper, and `player.html` plays the clips and checks everything against the
signatures, as `check.py` does. The list of files, `manifest.json`, is sealed in the chain of the case, which is signed.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from mimetypes import guess_type
from typing import IO, Any

from thirdcard.service.alerts.alert_schemas import AlertOut, ChangeOut
from thirdcard.service.alerts.alerts import AlertStory, tell_alert
from thirdcard.service.alerts.cases import CaseStory, tell_case
from thirdcard.service.alerts.evidence_files import EvidenceFile, EvidenceMissingError, kept_file
from thirdcard.service.alerts.room import Room
from thirdcard.service.ports.moments import format_moment
from thirdcard.service.store import audit, chain
from thirdcard.service.store.blob_store import EvidenceStoreError
from thirdcard.service.store.people import Person
from thirdcard.service.web.case_seal import case_chain, prove_export
from thirdcard.service.web.pages.case_player import (
    EMBEDDED_BYTES,
    SCRIPT,
    EmbeddedFile,
    PlayerFiles,
    check_script,
    write_case_player,
)
from thirdcard.service.web.pages.pdf_report import ReportFiles, write_case_pdf
from thirdcard.service.web.pages.report import PackedFile, write_case_report
from thirdcard.service.web.schemas import RoundOut, log_out

PIECE_BYTES = 256 * 1024
IN_MEMORY_BYTES = 8 * 1024 * 1024


@dataclass(slots=True)
class Bundle:
    """A finished archive; can be read once."""

    name: str
    size_bytes: int
    stream: IO[bytes]

    def pieces(self) -> Iterator[bytes]:
        """The content in pieces of bytes."""
        with self.stream:
            while piece := self.stream.read(PIECE_BYTES):
                yield piece


@dataclass(slots=True)
class _Packer:
    archive: zipfile.ZipFile
    packed: list[PackedFile] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    pictures: dict[int, dict[str, bytes]] = field(default_factory=dict)
    """The pictures for the report, by alert and kind."""

    def write(self, name: str, content: bytes) -> None:
        """Pack newly written content."""
        self.archive.writestr(name, content, zipfile.ZIP_DEFLATED)
        self.packed.append(PackedFile(name=name, size_bytes=len(content), sha256=hashlib.sha256(content).hexdigest()))

    def copy(self, name: str, file: EvidenceFile, known_sha256: str | None) -> None:
        """Pack a stored file unchanged, and hash its content."""
        digest, size = hashlib.sha256(), 0
        with file.open() as source, self.archive.open(name, "w", force_zip64=True) as target:
            while piece := source.read(PIECE_BYTES):
                digest.update(piece)
                size += len(piece)
                target.write(piece)
        found = digest.hexdigest()
        self.packed.append(PackedFile(name=name, size_bytes=size, sha256=found, is_as_kept=found == known_sha256))


def open_bundle(room: Room, person: Person, case_id: int) -> Bundle | None:
    """Pack a case; None where there is no such case. The export is recorded in the audit chain."""
    now = room.clock()
    with room.database.reading() as session:
        story = tell_case(session, person, case_id)
        if story is None:
            return None
        told = [tell_alert(session, person, alert.id) for alert in story.alerts]
    alerts, signed = [one for one in told if one is not None], (person.name, now)
    stream: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES)  # noqa: SIM115, the bundle closes it
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        packer = _Packer(archive)
        _pack_evidence(packer, room, alerts)
        packer.write("case.json", _json(_case_facts(story, alerts)))
        report = write_case_report(room.settings, story, alerts, packer.packed, missing=packer.missing, signed=signed)
        packer.write("report.html", report.encode("utf-8"))
        beside = ReportFiles(files=list(packer.packed), missing=packer.missing, pictures=packer.pictures)
        packer.write("report.pdf", write_case_pdf(room.settings, story, alerts, beside, signed=signed))
        packer.write("manifest.json", _json(_manifest(packer, story, by=person.name, at=format_moment(now))))
        line = _seal_export(room, person, case_id, packer.packed[-1].sha256, [one.alert.id for one in alerts])
        proof = prove_export(room, case_id, line, [one.alert.id for one in alerts])
        names = [file.name for file in packer.packed]
        packer.write("seal/proof.json", _json(proof.proof))
        for name, content in proof.files.items():
            packer.write(name, content)
        packer.write(SCRIPT, check_script().encode())
        shown = PlayerFiles(
            embedded=_embedded(archive, names), names=names, proof=proof.proof, is_stamped=proof.is_stamped
        )
        player = write_case_player(room.settings, story, alerts, shown, signed=signed)
        packer.write("player.html", player.encode("utf-8"))
        sums = "".join(f"{file.sha256}  {file.name}\n" for file in packer.packed)
        archive.writestr("SHA256SUMS", sums, zipfile.ZIP_DEFLATED)
    size = stream.tell()
    stream.seek(0)
    return Bundle(f"case-{case_id}.zip", size, stream)


def _seal_export(room: Room, person: Person, case_id: int, manifest: str, alerts: list[int]) -> int:
    """Record the export in the chain of the case and the audit chain; returns the line's number in the case's chain."""
    now = room.clock()
    with room.database.writing() as session:
        body = {"case": case_id, "manifest": manifest, "exported_by": person.name, "at": format_moment(now)}
        (line,) = chain.append(session, case_chain(case_id), [body], at=now)
        audit.note(
            session, person.name, "case.exported", f"case:{case_id}", at=now, manifest=manifest, alerts=alerts
        )  # fmt: skip
        return line.seq


def _embedded(archive: zipfile.ZipFile, names: Sequence[str]) -> list[EmbeddedFile]:
    """The files embedded in the page: the smallest first, up to the size limit."""
    found, left = [], EMBEDDED_BYTES
    for name in sorted(names, key=lambda name: archive.getinfo(name).file_size):
        left -= archive.getinfo(name).file_size
        if left >= 0:
            media_type = guess_type(name)[0] or "application/octet-stream"
            found.append(EmbeddedFile(name=name, media_type=media_type, content=archive.read(name)))
    return found


def _pack_evidence(packer: _Packer, room: Room, alerts: Sequence[AlertStory]) -> None:
    for told in alerts:
        for kind, piece in told.alert.evidence.items():
            stem = f"alert-{told.alert.id}-{kind}"
            try:
                file = kept_file(room.settings.evidence_store, piece, stem)
                packer.copy(f"evidence/{file.name}", file, piece.sha256)
                if file.media_type.startswith("image/"):
                    packer.pictures.setdefault(told.alert.id, {})[kind] = file.read()
            except (EvidenceMissingError, EvidenceStoreError, OSError) as error:
                packer.missing.append(f"{stem}: {error}")


def _case_facts(story: CaseStory, alerts: Sequence[AlertStory]) -> Mapping[str, Any]:
    case = story.case
    return {
        "case": case.id,
        "title": case.title,
        "state": case.state,
        "opened_by": case.opened_by,
        "opened_at": format_moment(case.opened_at),
        "closed_at": None if case.closed_at is None else format_moment(case.closed_at),
        "notes": [{"at": format_moment(note.at), "who": note.who, "text": note.text} for note in story.notes],
        "alerts": [_alert_facts(told) for told in alerts],
    }


def _alert_facts(told: AlertStory) -> Mapping[str, Any]:
    return {
        **AlertOut.of(told.alert).model_dump(mode="json", by_alias=True, exclude={"evidence"}),
        "round_record": None if told.round is None else RoundOut.of(told.round).model_dump(mode="json"),
        "log": log_out(told.log),
        "changes": [ChangeOut.of(change).model_dump(mode="json") for change in told.changes],
    }


def _manifest(packer: _Packer, story: CaseStory, *, by: str, at: str) -> Mapping[str, Any]:
    return {
        "case": story.case.id,
        "title": story.case.title,
        "exported_by": by,
        "exported_at": at,
        "files": [
            {"name": file.name, "size": file.size_bytes, "sha256": file.sha256}
            | ({} if file.is_as_kept is None else {"as_kept": file.is_as_kept})
            for file in packer.packed
        ],
        "missing": packer.missing,
    }


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8")
