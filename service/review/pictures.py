"""Cut the evidence of a shift's alerts out of its files: clip, still, and the stack before and after."""

from __future__ import annotations

import bisect
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rules.alerts import Alert
from service.evidence import EvidenceKeeper
from service.overlay import Outline
from service.review.shift import Shift
from service.review.sights import outlines_at
from service.review.timeline import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFile:
    """A file of evidence."""

    kind: str
    """clip, still, before or after."""
    path: Path
    """Below the evidence folder."""
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPictures:
    """All files of one alert, and what they show."""

    files: tuple[KeptFile, ...]
    from_t: float
    to_t: float
    fault: str | None = None
    """Why there is no clip."""


@dataclass(frozen=True, slots=True)
class ShiftPictures:
    """Makes the evidence of one shift."""

    shift: Shift
    sights: Sequence[Mapping[str, object]]
    """Where cards lay, in order of time."""
    evidence: Path
    """The folder of all evidence."""

    def keep(self, alert: Alert, number: int) -> KeptPictures:
        """Write the files of an alert; made again they are the same.

        Args:
            alert: In the shift's time.
            number: Its place among the shift's alerts.
        """
        part = self._part_at(alert.t)
        if part is None:
            return KeptPictures(files=(), from_t=alert.t, to_t=alert.t, fault="nothing was filmed then")
        table, timeline = self.shift.table, self.shift.timeline
        shift_s = timeline.t(part.from_at) - part.from_s
        folder = self.evidence / table.id / f"{part.from_at:%Y-%m-%d}" / f"shift-{self.shift.key[:12]}-{number:04d}"
        for old in sorted(folder.glob("clips/*")):
            old.unlink()
        keeper = EvidenceKeeper(
            video=part.file.path, layout=table.layout, calibration=table.cameras[0].calibration, folder=folder
        )

        def seen(t: float) -> tuple[Outline, ...]:
            return outlines_at(self.sights, t + shift_s)

        noticed_at = (alert.t if alert.noticed_at is None else alert.noticed_at) - shift_s
        kept = keeper.keep(replace(alert, t=alert.t - shift_s), noticed_at=noticed_at, seen=seen)
        named = {"clip": kept.clip, "still": kept.still, "before": kept.before, "after": kept.after}
        files = tuple(self._file(kind, folder / name) for kind, name in named.items() if name is not None)
        fault = None if kept.clip is not None else "no clip could be cut"
        return KeptPictures(files=files, from_t=kept.from_s + shift_s, to_t=kept.to_s + shift_s, fault=fault)

    def _part_at(self, t: float) -> Part | None:
        """The part that shows a moment, or the last before it."""
        timeline = self.shift.timeline
        begins = [timeline.t(part.from_at) for part in timeline.parts]
        place = bisect.bisect_right(begins, t) - 1
        return timeline.parts[place] if place >= 0 else None

    def _file(self, kind: str, path: Path) -> KeptFile:
        data = path.read_bytes()
        relative = path.relative_to(self.evidence)
        return KeptFile(kind=kind, path=relative, size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
