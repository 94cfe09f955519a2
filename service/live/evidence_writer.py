"""Make the promised evidence: cut clips from the ring once their time has passed, and pictures from the clips.

A promise is stored with its alert; one that a crash left open is kept after the restart, while the ring still has the
video.
"""

from __future__ import annotations

import errno
import json
import logging
import threading
from collections import deque
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.history import CameraHistory
from thirdcard.rules.findings.alerts import Alert, parse_alert
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.live.journal import EnteredAlert
from thirdcard.service.media.alert_media import EvidenceKeeper
from thirdcard.service.media.clips import ClipError
from thirdcard.service.media.overlay import Outline, card_outlines
from thirdcard.service.media.overlay_file import write_overlay
from thirdcard.service.media.overlay_memory import OverlayMemory, OverlayStretch, area_texts
from thirdcard.service.media.ring import ClipTimes, cut_from_ring
from thirdcard.service.store.alert_writer import (
    FIRST_KINDS,
    LONGER_KINDS,
    PROMISED,
    AlertEvidence,
    KeptFile,
    are_promised,
    settle_promises,
)
from thirdcard.service.store.blob_store import settled
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import AlertRow, EvidenceRow
from thirdcard.service.watch.pipeline import TableWatch

logger = logging.getLogger(__name__)

CLIP = "clip"
_CUT = (CLIP, *LONGER_KINDS)
GRACE = timedelta(seconds=2)
"""The ring surely has video of this age."""


@dataclass(slots=True)
class EvidenceWriter:
    """Makes the evidence of one table."""

    database: Database
    table: TableConfig
    ring: Path
    folder: Path
    """The evidence folder of all tables."""
    memory: OverlayMemory = field(default_factory=OverlayMemory)
    """What the watch read in the last minutes."""
    _cameras: CameraHistory = field(init=False)
    """The camera's calibrations over time, in seconds of the epoch."""
    _promises: deque[EnteredAlert] = field(default_factory=deque)
    _is_asked: threading.Event = field(default_factory=threading.Event)
    """Set when people may have requested something."""

    def __post_init__(self) -> None:
        self._cameras = CameraHistory(self.table.cameras[0].calibration)

    def _calibration(self, at: datetime) -> Calibration:
        return self._cameras.at(at.timestamp())

    def open(self) -> None:
        """Load the promises that are still open."""
        self._promises = deque(self._open_promises())

    def ask(self) -> None:
        """Signal that people may have requested something; safe from any thread."""
        self._is_asked.set()

    def _open_promises(self) -> list[EnteredAlert]:
        with self.database.reading() as session:
            wanted = (
                select(AlertRow, EvidenceRow)
                .join(EvidenceRow, EvidenceRow.alert_id == AlertRow.id)
                .where(AlertRow.table_id == self.table.id, EvidenceRow.state == PROMISED, EvidenceRow.kind.in_(_CUT))
                .order_by(EvidenceRow.to_at)
            )
            return [
                EnteredAlert(alert_id=alert.id, at=alert.at, from_at=row.from_at, to_at=row.to_at, kind=row.kind)
                for alert, row in session.execute(wanted)
            ]

    def remember(self, at: datetime, watch: TableWatch) -> None:
        """Remember what the watch reads in a frame, for drawing it later."""
        if watch.camera.now is not self._cameras.now:
            self._cameras.change(at.timestamp(), watch.camera.now)
        self.memory.remember(at, card_outlines(watch.cards), area_texts(self.table.layout, watch.state))

    def promise(self, entry: EnteredAlert) -> None:
        """Add a new promise."""
        self._promises.append(entry)

    def is_due(self, now: datetime) -> bool:
        """Whether the next promise can be kept; people's requests come first."""
        if self._is_asked.is_set():
            self._take_asked()
        return bool(self._promises) and now >= self._promises[0].to_at + GRACE

    def _take_asked(self) -> None:
        self._is_asked.clear()
        try:
            found = self._open_promises()
        except SQLAlchemyError as error:
            self._is_asked.set()
            logger.error("table %s: the database does not say what was asked for: %s", self.table.id, error)
            return
        known = set(self._promises)
        self._promises.extendleft(one for one in found if one not in known)

    def keep_next(self, now: datetime) -> int:
        """Keep the next promise; returns the alert's number.

        Raises:
            ClipError, OSError: The disk is full; the promise stays open.
            SQLAlchemyError: The database fails; likewise.
        """
        promise = self._promises.popleft()
        try:
            if self._is_open(promise):
                self._keep(promise, now)
        except Exception:
            self._promises.append(promise)
            raise
        return promise.alert_id

    def _is_open(self, promise: EnteredAlert) -> bool:
        """Whether it is still open: a failing database may have stored it without confirming."""
        with self.database.reading() as session:
            return are_promised(session, promise.alert_id, _kinds(promise))

    def _keep(self, promise: EnteredAlert, now: datetime) -> None:
        folder = self.folder / self.table.id / f"{promise.at:%Y-%m-%d}"
        folder.mkdir(parents=True, exist_ok=True)
        further = "" if promise.kind == CLIP else f"-{promise.kind}"
        clip = folder / f"{promise.alert_id:08d}{further}.mp4"
        try:
            times = cut_from_ring(self.ring, clip, at=promise.at, from_at=promise.from_at, to_at=promise.to_at)
            files, fault = {promise.kind: clip}, None
            if promise.kind == CLIP:
                files |= self._pictures(promise, clip, times)
        except (ClipError, OSError) as error:
            if _is_full(error):
                raise
            logger.warning("table %s: alert %d: no clip: %s", self.table.id, promise.alert_id, error)
            times, files, fault = ClipTimes(began=promise.from_at, ended=promise.to_at), {}, str(error)
        kept = tuple(self._kept(kind, path) for kind, path in files.items())
        found = AlertEvidence(from_at=times.began, to_at=times.ended, kept=kept, fault=fault)

        def settle(session: Session) -> None:
            settle_promises(session, promise.alert_id, found, now=now, kinds=_kinds(promise))

        self.database.write(settle)

    def _pictures(self, promise: EnteredAlert, clip: Path, times: ClipTimes) -> dict[str, Path]:
        """The still, the stack before and after, and the outlines for the clip."""
        alert = self._alert(promise, (promise.at - times.began).total_seconds())
        camera = CameraHistory(self._calibration(promise.at))
        keeper = EvidenceKeeper(video=clip, layout=self.table.layout, camera=camera, folder=clip.parent)
        stem = clip.stem
        before, after = keeper.before_after(stem, alert)
        stretch = self.memory.between(times.began, times.ended)

        def seen(t: float) -> tuple[Outline, ...]:
            return stretch.seen_at(times.began + timedelta(seconds=t), self.table.layout)

        names = {"still": keeper.still(f"{stem}.jpg", alert, seen), "before": before, "after": after}
        files = {kind: clip.parent / name for kind, name in names.items() if name is not None}
        return files | self._overlay(clip, times, stretch, alert)

    def _overlay(self, clip: Path, times: ClipTimes, stretch: OverlayStretch, alert: Alert) -> dict[str, Path]:
        """The file of outlines; empty where that time is not remembered, as after a restart."""
        if not stretch.cards and not stretch.areas:
            return {}
        path = clip.with_suffix(".json")
        write_overlay(
            path,
            stretch,
            began=times.began,
            layout=self.table.layout,
            calibration=self._calibration(times.began),
            questioned=alert.area,
        )
        return {"overlay": path}

    def _alert(self, promise: EnteredAlert, t: float) -> Alert:
        with self.database.reading() as session:
            row = session.get_one(AlertRow, promise.alert_id)
            return replace(parse_alert(json.loads(row.body)), t=t)

    def _kept(self, kind: str, path: Path) -> KeptFile:
        relative, (size, digest) = path.relative_to(self.folder).as_posix(), settled(path)
        return KeptFile(kind=kind, path=relative, size_bytes=size, sha256=digest)


def _is_full(error: ClipError | OSError) -> bool:
    """Whether the disk was full: then writing may succeed later."""
    cause = error.__cause__ if isinstance(error, ClipError) else error
    return isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT)


def _kinds(promise: EnteredAlert) -> tuple[str, ...]:
    """The kinds of evidence that are made together."""
    return FIRST_KINDS if promise.kind == CLIP else (promise.kind,)
