"""The database tables for reviews of recorded shifts: the footage, and notes on its quality."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Double, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from thirdcard.service.store.columns import BIG_ID
from thirdcard.service.store.schema import Base


class FootageRow(Base):
    """A part of a video file that shows a part of a log; at most one is entered for any time."""

    __tablename__ = "footage"
    __table_args__ = (Index("ix_footage_log", "log_id", "from_at"), Index("ix_footage_file", "fingerprint"))

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    log_id: Mapped[int] = mapped_column(ForeignKey("logs.id"))
    path: Mapped[str] = mapped_column(String(1000))
    """The path or URL of the file, as given."""
    fingerprint: Mapped[str] = mapped_column(String(64))
    """Identifies the file, wherever it lies."""
    size_bytes: Mapped[int] = mapped_column(BIG_ID)
    from_at: Mapped[datetime]
    to_at: Mapped[datetime]
    begins_s: Mapped[float] = mapped_column(Double)
    """The position of `from_at` in the file, in seconds from its first frame."""


class LogNoteRow(Base):
    """A note on a span of a log: a gap, an overlap, a damaged part."""

    __tablename__ = "log_notes"
    __table_args__ = (Index("ix_log_notes_log", "log_id", "from_at"),)

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    log_id: Mapped[int] = mapped_column(ForeignKey("logs.id"))
    kind: Mapped[str] = mapped_column(String(20))
    """gap, overlap, clock, broken, left_out or completed."""
    from_at: Mapped[datetime]
    to_at: Mapped[datetime]
    text: Mapped[str] = mapped_column(Text)
