"""Cut the evidence of a shift's alerts out of its files: clip, still, overlay, the stack before and after."""

from __future__ import annotations

import bisect
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from rules.alerts import Alert
from service.evidence import EvidenceKeeper
from service.evidence_store import EvidenceStore
from service.live.overlay_file import write_overlay
from service.live.overlay_memory import OverlayStretch, Since, between, hand_boxes, latest
from service.overlay import Outline
from service.review.judging import Verdict
from service.review.segment_watch import SegmentResult
from service.review.shift import Shift
from service.review.sights import read_sights
from service.review.timeline import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFile:
    """A file of evidence."""

    kind: str
    """clip, still, overlay, before or after."""
    path: Path
    """Below the evidence folder."""
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPictures:
    """All files of one alert, and what they show."""

    files: tuple[KeptFile, ...]
    from_at: datetime
    to_at: datetime
    fault: str | None = None
    """Why there is no clip."""


def sights_of(shift: Shift, results: Sequence[SegmentResult], verdict: Verdict) -> OverlayStretch:
    """All that was read in a shift, to be drawn onto its pictures."""
    began_at = shift.timeline.began_at
    return OverlayStretch(
        cards=read_sights((sight for result in results for sight in result.sights), began_at),
        areas=[Since(began_at + timedelta(seconds=t), texts) for t, texts in verdict.areas],
    )


@dataclass(frozen=True, slots=True)
class ShiftPictures:
    """Makes the evidence of one shift."""

    shift: Shift
    sights: OverlayStretch
    evidence: EvidenceStore

    def keep(self, alert: Alert, number: int) -> KeptPictures:
        """Write the files of an alert; made again they are the same.

        Args:
            alert: In the shift's time.
            number: Its place among the shift's alerts.
        """
        part = self._part_at(alert.t)
        if part is None:
            at = self.shift.timeline.began_at + timedelta(seconds=alert.t)
            return KeptPictures(files=(), from_at=at, to_at=at, fault="nothing was filmed then")
        table, zero_at = self.shift.table, part.file.began_at
        shift_s = self.shift.timeline.t(zero_at)
        day = self.evidence.folder / table.id / f"{part.from_at:%Y-%m-%d}"
        folder = day / f"shift-{self.shift.key[:12]}-{number:04d}"
        for old in sorted(folder.glob("clips/*")):
            old.unlink()
        keeper = EvidenceKeeper(
            video=part.file.path, layout=table.layout, calibration=table.cameras[0].calibration, folder=folder
        )
        noticed_at = (alert.t if alert.noticed_at is None else alert.noticed_at) - shift_s
        kept = keeper.keep(
            replace(alert, t=alert.t - shift_s), noticed_at=noticed_at, seen=lambda t: self._seen_at(zero_at, t)
        )
        from_at, to_at = zero_at + timedelta(seconds=kept.from_s), zero_at + timedelta(seconds=kept.to_s)
        named = {"clip": kept.clip, "still": kept.still, "before": kept.before, "after": kept.after}
        paths = {kind: folder / name for kind, name in named.items() if name is not None}
        if "clip" in paths:
            paths["overlay"] = self._overlay(paths["clip"], alert, from_at, to_at)
        files = tuple(self._file(kind, path) for kind, path in paths.items())
        fault = None if "clip" in paths else "no clip could be cut"
        return KeptPictures(files=files, from_at=from_at, to_at=to_at, fault=fault)

    def _part_at(self, t: float) -> Part | None:
        """The part that shows a moment, or the last before it."""
        timeline = self.shift.timeline
        begins = [timeline.t(part.from_at) for part in timeline.parts]
        place = bisect.bisect_right(begins, t) - 1
        return timeline.parts[place] if place >= 0 else None

    def _seen_at(self, zero_at: datetime, t: float) -> tuple[Outline, ...]:
        """The cards and the hands as they were, `t` seconds into a file."""
        at = zero_at + timedelta(seconds=t)
        return (*hand_boxes(self.shift.table.layout, latest(self.sights.areas, at)), *latest(self.sights.cards, at))

    def _overlay(self, clip: Path, alert: Alert, from_at: datetime, to_at: datetime) -> Path:
        path, table = clip.with_suffix(".json"), self.shift.table
        stretch = OverlayStretch(
            cards=between(self.sights.cards, from_at, to_at), areas=between(self.sights.areas, from_at, to_at)
        )
        write_overlay(
            path,
            stretch,
            began=from_at,
            layout=table.layout,
            calibration=table.cameras[0].calibration,
            questioned=alert.area,
        )
        return path

    def _file(self, kind: str, path: Path) -> KeptFile:
        data = path.read_bytes()
        relative = path.relative_to(self.evidence.folder)
        self.evidence.send(relative.as_posix())
        return KeptFile(kind=kind, path=relative, size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
