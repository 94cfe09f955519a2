"""Find the video file that shows a time or a stretch of a log."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.store.schema import AlertRow, EvidenceRow
from thirdcard.service.store.shift_schema import FootageRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A stretch of time and the file that shows it."""

    path: Path
    from_at: datetime
    to_at: datetime
    begins_s: float
    """The position of `from_at` in the file, seconds."""
    alert: int | None = None
    """The alert whose clip it is; None for a recording."""

    def second_of(self, at: datetime) -> float:
        """The position of a time in the file, seconds."""
        return self.begins_s + (at - self.from_at).total_seconds()

    def moment_of(self, second_s: float) -> datetime:
        """The time at a position in the file."""
        return self.from_at + timedelta(seconds=second_s - self.begins_s)

    def overlap(self, from_at: datetime, to_at: datetime) -> timedelta:
        """The length of the part of a stretch that it shows."""
        return max(min(self.to_at, to_at) - max(self.from_at, from_at), timedelta())


def recordings(session: Session, log_id: int, from_at: datetime, to_at: datetime) -> list[Shown]:
    """The recordings that show a part of a stretch, the one with the largest part first."""
    wanted = select(FootageRow).where(
        FootageRow.log_id == log_id, FootageRow.from_at < to_at, FootageRow.to_at > from_at
    )
    found = [
        Shown(path=Path(row.path), from_at=row.from_at, to_at=row.to_at, begins_s=row.begins_s)
        for row in session.scalars(wanted.order_by(FootageRow.from_at))
    ]
    return sorted(found, key=lambda shown: -shown.overlap(from_at, to_at))


def alert_clips(session: Session, evidence: Path, log_id: int, from_at: datetime, to_at: datetime) -> list[Shown]:
    """The stored clips of alerts that show a part of a stretch, in order of time."""
    wanted = (
        select(EvidenceRow)
        .join(AlertRow, AlertRow.id == EvidenceRow.alert_id)
        .where(AlertRow.log_id == log_id, AlertRow.at >= from_at - timedelta(minutes=2))
        .where(AlertRow.at <= to_at + timedelta(minutes=2), EvidenceRow.kind == "clip", EvidenceRow.state == "kept")
        .where(EvidenceRow.from_at < to_at, EvidenceRow.to_at > from_at)
        .order_by(EvidenceRow.from_at)
    )
    return [
        Shown(path=evidence / (row.path or ""), from_at=row.from_at, to_at=row.to_at, begins_s=0.0, alert=row.alert_id)
        for row in session.scalars(wanted)
    ]
