"""Anchor checkpoints outside the machine: in an append-only folder, and with time stamps of an authority (RFC 3161).

Each checkpoint covers everything before it, so one time stamp on the newest proves all older ones; after a time without
a network only the newest is stamped.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import httpx
from cryptography.x509 import Certificate, load_pem_x509_certificates
from rfc3161_client import TimestampRequestBuilder, VerificationError, VerifierBuilder, decode_timestamp_response

from thirdcard.service.sealing.checkpoint import SealError, SignedNote, parse_note
from thirdcard.service.sealing.keys import write_once
from thirdcard.service.sealing.signer import Signer

logger = logging.getLogger(__name__)

NOTE, STAMP = ".note", ".tsr"
ANSWER_S = 10.0
"""The timeout for a time stamp authority, in seconds; the service waits for its signature meanwhile."""
AGAIN_S = 60.0
"""Seconds until a folder or an authority that failed is tried again."""
_READABLE = 0o444


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A checkpoint found outside the machine."""

    path: Path
    note: SignedNote
    stamped_at: datetime | None
    """The time of the authority's stamp; None where there is no stamp, or none was asked for."""
    is_of_folder: bool = True
    """Whether its whole folder was given, so that missing anchors can be detected; a single file is compared alone."""


class Anchoring:
    """Writes signed checkpoints into a folder, and has them stamped.

    Args:
        signer: The signer whose checkpoints are anchored.
        folder: The folder to write to.
        tsa: The URL of a time stamp authority, or None.
        clock: A monotonic clock, in seconds.
    """

    def __init__(self, signer: Signer, folder: Path, tsa: str | None, clock: Callable[[], float]) -> None:
        self._signer = signer
        self._folder = folder
        self._tsa = tsa
        self._clock = clock
        self._due = 0.0
        self._stamped = 0
        self.fault: str | None = None
        """Why checkpoints are not anchored yet; None where all are anchored."""

    def __call__(self) -> None:
        """Anchor the waiting checkpoints, unless the last try failed less than `AGAIN_S` ago."""
        newest = self._signer.newest
        is_done = self._signer.anchored == newest and (self._tsa is None or self._stamped == newest)
        if is_done or self._clock() < self._due:
            return
        try:
            self._export()
            self._stamp(newest)
            self.fault = None
        except (OSError, SealError, httpx.HTTPError, ValueError) as error:
            waiting = newest - self._signer.anchored
            self.fault = f"{waiting} checkpoints wait for {self._folder}, or the newest for its time stamp: {error}"
            logger.warning("%s", self.fault)
            self._due = self._clock() + AGAIN_S

    def newest_stamp(self) -> tuple[int, bytes] | None:
        """The newest time stamp in the folder with the number of its checkpoint; None where there is none."""
        begins = self._folder / self._signer.key.origin.replace("/", "_")
        found = sorted(self._folder.glob(f"{begins.name}-*{STAMP}"))
        return (int(found[-1].stem.rpartition("-")[2]), found[-1].read_bytes()) if found else None

    def _export(self) -> None:
        for number, note in enumerate(self._signer.notes(self._signer.anchored), start=self._signer.anchored + 1):
            path = anchor_path(self._folder, self._signer.key.origin, number)
            if not path.is_file() or path.read_text(encoding="utf-8") != note:
                write_once(path, note.encode(), mode=_READABLE)
            self._signer.note_anchored(number)

    def _stamp(self, newest: int) -> None:
        if self._tsa is None:
            return
        path = anchor_path(self._folder, self._signer.key.origin, newest)
        stamp = path.with_suffix(STAMP)
        if not stamp.is_file():
            write_once(stamp, ask_stamp(path.read_bytes(), self._tsa), mode=_READABLE)
        self._stamped = newest


def anchor_path(folder: Path, origin: str, number: int) -> Path:
    """The path of a checkpoint in a folder of anchors."""
    return folder / f"{origin.replace('/', '_')}-{number:08}{NOTE}"


def ask_stamp(data: bytes, tsa: str) -> bytes:
    """Ask an authority for a time stamp over data; returns its answer, DER.

    Raises:
        httpx.HTTPError: The authority does not answer.
        ValueError: The answer is not a time stamp, or a refusal.
    """
    request = TimestampRequestBuilder().data(data).cert_request(cert_request=True).build()
    headers = {"Content-Type": "application/timestamp-query"}
    answer = httpx.post(tsa, content=request.as_bytes(), headers=headers, timeout=ANSWER_S)
    answer.raise_for_status()
    response = decode_timestamp_response(answer.content)
    if response.status not in (0, 1):
        raise ValueError(f"{tsa}: the authority refused, status {response.status}")
    return answer.content


def check_stamp(stamp: bytes, data: bytes, roots: Sequence[Certificate], where: Path) -> datetime:
    """Check a time stamp; returns when the authority saw the data.

    Args:
        stamp: The authority's answer, DER.
        data: The data that was stamped.
        roots: The trusted certificates.
        where: The name of the source, for error messages.

    Raises:
        SealError: The stamp is truncated, is of other data, or of an authority that is not trusted.
    """
    try:
        response = decode_timestamp_response(stamp)
        builder = VerifierBuilder()
        for root in roots:
            builder = builder.add_root_certificate(root)
        builder.build().verify_message(response, data)
    except (VerificationError, ValueError) as error:
        raise SealError(f"{where}: the time stamp does not hold: {error}") from error
    return response.tst_info.gen_time


def load_anchors(place: Path, roots: Sequence[Certificate] = ()) -> list[Anchor]:
    """Every checkpoint of a folder, by file name; or the checkpoint of one file.

    Args:
        place: The folder of anchors, a copy of it, or one of its files.
        roots: Certificates of time stamp authorities; without any, stamps are not checked.

    Raises:
        SealError: It is neither a folder nor a file, it is empty, or a file is truncated or invalid.
    """
    if place.is_file():
        return [replace(_load_anchor(place, roots), is_of_folder=False)]
    paths = sorted(place.glob(f"*{NOTE}")) if place.is_dir() else []
    if not paths:
        raise SealError(f"--anchors = {place}; must be a folder with checkpoints (*{NOTE}), or a file of it")
    return [_load_anchor(path, roots) for path in paths]


def load_roots(paths: Iterable[Path]) -> list[Certificate]:
    """The certificates of PEM files.

    Raises:
        SealError: A file holds no certificate.
    """
    found: list[Certificate] = []
    for path in paths:
        try:
            found += load_pem_x509_certificates(path.read_bytes())
        except ValueError as error:
            raise SealError(f"--tsa-root = {path}; must be a certificate in PEM") from error
    return found


def _load_anchor(path: Path, roots: Sequence[Certificate]) -> Anchor:
    data = path.read_bytes()
    try:
        note = parse_note(data.decode(), str(path))
    except UnicodeDecodeError as error:
        raise SealError(f"{path}: is no checkpoint; must be text") from error
    stamp = path.with_suffix(STAMP)
    stamped_at = check_stamp(stamp.read_bytes(), data, roots, stamp) if roots and stamp.is_file() else None
    return Anchor(path=path, note=note, stamped_at=stamped_at)
