"""Make the evidence of a shift's alerts from its files: clip, still, overlay, the stack before and after."""

from __future__ import annotations

import bisect
import hashlib
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.history import CameraHistory
from thirdcard.rules.findings.alerts import Alert
from thirdcard.service.config.table_file import load_table
from thirdcard.service.media.alert_media import EvidenceKeeper
from thirdcard.service.media.clip_span import RECORDED_CLIP
from thirdcard.service.media.clips import FilmFacts
from thirdcard.service.media.overlay_file import write_overlay
from thirdcard.service.media.overlay_memory import REMEMBERED, OverlayStretch, Since
from thirdcard.service.review.camera_moves import camera_history
from thirdcard.service.review.card_history import read_sights
from thirdcard.service.review.judging import LogVerdict
from thirdcard.service.review.segment_watch import SegmentResult
from thirdcard.service.review.shift import Shift
from thirdcard.service.review.shift_timeline import Part, ShiftTimeline
from thirdcard.service.store.alert_writer import AlertEvidence, KeptFile
from thirdcard.service.store.blob_store import EvidenceStore, EvidenceStoreError
from thirdcard.service.watch.film_sight import DAMAGED

logger = logging.getLogger(__name__)
_table_of = cache(load_table)


def _sights_of(shift: Shift, results: Sequence[SegmentResult], verdict: LogVerdict) -> OverlayStretch:
    """All readings of a shift, to draw onto its pictures."""
    began_at = shift.timeline.began_at
    return OverlayStretch(
        cards=read_sights((sight for result in results for sight in result.sights), began_at),
        areas=[Since(began_at + timedelta(seconds=t), texts) for t, texts in verdict.areas],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureOrder:
    """An order for one alert's pictures."""

    number: int
    """Its index among the shift's alerts."""
    alert: Alert
    """In the shift's time."""
    sights: OverlayStretch
    """The readings around it."""
    calibration: Calibration = field(compare=False)
    """The calibration at that time; later knowledge does not change it."""
    is_damaged: bool = False
    """Whether the film is damaged around it."""


def picture_orders(
    shift: Shift, results: Sequence[SegmentResult], verdict: LogVerdict, *, to_t: float = math.inf
) -> list[PictureOrder]:
    """One order for each alert whose pictures end before `to_t`, in order of time."""
    began_at, sights = shift.timeline.began_at, _sights_of(shift, results, verdict)
    camera = camera_history(shift.table.cameras[0].calibration, results)
    orders = []
    for number, alert in enumerate(verdict.alerts):
        t = alert.t
        if t + RECORDED_CLIP.longest_s < to_t:
            from_at = began_at + timedelta(seconds=t) - REMEMBERED
            around = sights.between(from_at, began_at + timedelta(seconds=t + RECORDED_CLIP.longest_s))
            is_damaged = _is_damaged(results, t - RECORDED_CLIP.longest_s, t + RECORDED_CLIP.longest_s)
            orders.append(
                PictureOrder(number=number, alert=alert, sights=around, calibration=camera.at(t), is_damaged=is_damaged)
            )
    return orders


def _is_damaged(results: Sequence[SegmentResult], from_t: float, to_t: float) -> bool:
    """Whether any film of that time could not be decoded."""
    lost = ((float(str(one[0])), float(str(one[1])), one[2]) for result in results for one in result.lost)
    return any(begins < to_t and ends > from_t and why == DAMAGED for begins, ends, why in lost)


@dataclass(frozen=True, slots=True)
class ShiftPictures:
    """Makes the evidence of one shift; can be sent to other processes."""

    table: Path
    """The table's file."""
    timeline: ShiftTimeline
    key: str
    """The shift's key."""
    evidence: EvidenceStore

    @classmethod
    def of(cls, shift: Shift, evidence: EvidenceStore) -> ShiftPictures:
        """The maker for a shift."""
        return cls(shift.table.path, shift.timeline, shift.key, evidence)

    def keep(self, order: PictureOrder) -> AlertEvidence:
        """Write the files of an alert; repeated runs give the same files.

        An error in one alert's film is reported with it, and does not affect the others.

        Raises:
            EvidenceStoreError: The store at the URL does not accept them.
        """
        try:
            return self._keep(order)
        except EvidenceStoreError:
            raise
        except Exception:
            logger.exception("no pictures of an alert of %s at %.1f s", self.table, order.alert.t)
            at = self.timeline.began_at + timedelta(seconds=order.alert.t)
            return AlertEvidence(from_at=at, to_at=at, fault="no pictures could be made")

    def _keep(self, order: PictureOrder) -> AlertEvidence:
        alert, sights = order.alert, order.sights
        part = self._part_at(alert.t)
        if part is None:
            at = self.timeline.began_at + timedelta(seconds=alert.t)
            return AlertEvidence(from_at=at, to_at=at, fault="nothing was filmed then")
        table, zero_at = _table_of(self.table), part.file.began_at
        shift_s = self.timeline.t(zero_at)
        day = self.evidence.folder / table.id / f"{part.from_at:%Y-%m-%d}"
        folder = day / f"shift-{self.key[:12]}-{order.number:04d}"
        for old in sorted(folder.glob("clips/*")):
            old.unlink()
        film = FilmFacts(size_wh_px=order.calibration.image_size_wh_px, is_damaged=order.is_damaged)
        camera = CameraHistory(order.calibration)
        keeper = EvidenceKeeper(video=part.file.path, layout=table.layout, camera=camera, folder=folder, film=film)
        noticed_at = (alert.t if alert.noticed_at is None else alert.noticed_at) - shift_s
        kept = keeper.keep(
            replace(alert, t=alert.t - shift_s),
            noticed_at=noticed_at,
            seen=lambda t: sights.seen_at(zero_at + timedelta(seconds=t), table.layout),
        )
        from_at, to_at = zero_at + timedelta(seconds=kept.from_s), zero_at + timedelta(seconds=kept.to_s)
        named = {"clip": kept.clip, "still": kept.still, "before": kept.before, "after": kept.after}
        paths = {kind: folder / name for kind, name in named.items() if name is not None}
        if "clip" in paths:
            paths["overlay"] = self._overlay(paths["clip"], order, from_at, to_at)
        files = tuple(self._file(kind, path) for kind, path in paths.items())
        fault = None if "clip" in paths else "no clip could be cut"
        return AlertEvidence(kept=files, from_at=from_at, to_at=to_at, fault=fault)

    def _part_at(self, t: float) -> Part | None:
        """The part that shows a time, or the last before it."""
        timeline = self.timeline
        begins = [timeline.t(part.from_at) for part in timeline.parts]
        place = bisect.bisect_right(begins, t) - 1
        return timeline.parts[place] if place >= 0 else None

    def _overlay(self, clip: Path, order: PictureOrder, from_at: datetime, to_at: datetime) -> Path:
        path, table = clip.with_suffix(".json"), _table_of(self.table)
        write_overlay(
            path,
            order.sights.between(from_at, to_at),
            began=from_at,
            layout=table.layout,
            calibration=order.calibration,
            questioned=order.alert.area,
        )
        return path

    def _file(self, kind: str, path: Path) -> KeptFile:
        data = path.read_bytes()
        relative = path.relative_to(self.evidence.folder).as_posix()
        self.evidence.send(relative)
        return KeptFile(kind=kind, path=relative, size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
