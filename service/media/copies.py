"""Make copies of clips that browsers cannot play: H.264, beside the original, which stays the evidence.

Requests are in the database, so a copy that a crash interrupted is made after it.
"""

from __future__ import annotations

import logging
import shutil
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

import av
from sqlalchemy import select

from thirdcard.service.media.clips import BROWSER_CODECS, ClipError, encode_whole
from thirdcard.service.ports.live_tables import Clock
from thirdcard.service.ports.repeated_work import RepeatedWork
from thirdcard.service.store.alert_writer import (
    COPY_KINDS,
    KEPT,
    PROMISED,
    AlertEvidence,
    KeptFile,
    settle_promises,
)
from thirdcard.service.store.blob_store import EvidenceStore, EvidenceStoreError, settled
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import EvidenceRow

logger = logging.getLogger(__name__)

LOOK_S = 1.5
"""Seconds between two checks for requests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    alert_id: int
    kind: str
    from_at: datetime
    to_at: datetime
    original: str | None
    """Its path in the store; None where it is no longer kept."""


@dataclass(slots=True)
class ClipCopies:
    """Makes the requested copies."""

    database: Database
    store: EvidenceStore
    clock: Clock
    _looking: RepeatedWork = field(init=False)

    def __post_init__(self) -> None:
        self._looking = RepeatedWork("copies of clips", self._look_and_rest, LOOK_S)

    @property
    def fault(self) -> str | None:
        """Why copies cannot be made at present; None where they can."""
        return self._looking.fault

    def start(self) -> None:
        """Start checking in a thread."""
        self._looking.start()

    def stop(self) -> None:
        """Start no further copy."""
        self._looking.stop()

    def make_next(self) -> bool:
        """Make the copy that waits longest; returns whether there was one."""
        wanted = self._next()
        if wanted is None:
            return False
        kept: tuple[KeptFile, ...] = ()
        fault: str | None = None
        try:
            kept = (self._make(wanted),)
        except (ClipError, EvidenceStoreError, av.FFmpegError, OSError) as error:
            logger.warning("alert %d: no copy of its %s: %s", wanted.alert_id, COPY_KINDS[wanted.kind], error)
            fault = str(error)
        found = AlertEvidence(from_at=wanted.from_at, to_at=wanted.to_at, kept=kept, fault=fault)
        with self.database.writing() as session:
            settle_promises(session, wanted.alert_id, found, now=self.clock(), kinds=(wanted.kind,))
        return True

    def _next(self) -> _Wanted | None:
        of_copies = (EvidenceRow.state == PROMISED, EvidenceRow.kind.in_(COPY_KINDS))
        with self.database.reading() as session:
            row = session.scalars(select(EvidenceRow).where(*of_copies).order_by(EvidenceRow.id).limit(1)).first()
            if row is None:
                return None
            of_original = (EvidenceRow.alert_id == row.alert_id, EvidenceRow.kind == COPY_KINDS[row.kind])
            original = session.scalars(select(EvidenceRow).where(*of_original, EvidenceRow.state == KEPT)).first()
            return _Wanted(
                alert_id=row.alert_id,
                kind=row.kind,
                from_at=row.from_at,
                to_at=row.to_at,
                original=None if original is None else original.path,
            )

    def _make(self, wanted: _Wanted) -> KeptFile:
        if wanted.original is None:
            raise ClipError("the original is no longer kept")
        source = self.store.folder / wanted.original
        name = str(PurePosixPath(wanted.original).with_suffix(".copy.mp4"))
        target = self.store.folder / name
        fetched = target.with_suffix(".original")
        try:
            if not source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                with self.store.open(wanted.original) as there, fetched.open("wb") as here:
                    shutil.copyfileobj(there, here)
                source = fetched
            _encode(source, target)
        finally:
            fetched.unlink(missing_ok=True)
        size, digest = settled(target)
        return KeptFile(kind=wanted.kind, path=name, size_bytes=size, sha256=digest)

    def _look_and_rest(self) -> float:
        while not self._looking.is_stopping and self.make_next():
            pass
        return LOOK_S


def _encode(source: Path, target: Path) -> None:
    with av.open(str(source)) as container:
        codec = container.streams.video[0].codec_context.name if container.streams.video else "nothing"
    if codec in BROWSER_CODECS:
        raise ClipError(f"the original is {codec} already, which browsers play")
    half = target.with_suffix(".part")
    try:
        encode_whole(source, half)
        half.replace(target)
    finally:
        half.unlink(missing_ok=True)
