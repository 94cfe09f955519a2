"""The tables of the database that reviews of recorded shifts fill: what their files showed, and how well."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Double, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from thirdcard.service.store.columns import BIG_ID
from thirdcard.service.store.schema import Base


class FootageRow(Base):
    """A stretch of a video file that shows a stretch of a log; of any moment at most one is entered."""

    __tablename__ = "footage"
    __table_args__ = (Index("ix_footage_log", "log_id", "from_at"), Index("ix_footage_file", "fingerprint"))

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    log_id: Mapped[int] = mapped_column(ForeignKey("logs.id"))
    path: Mapped[str] = mapped_column(String(1000))
    """The file, or its URL, as it was named."""
    fingerprint: Mapped[str] = mapped_column(String(64))
    """Tells the file apart, wherever it lies."""
    size_bytes: Mapped[int] = mapped_column(BIG_ID)
    from_at: Mapped[datetime]
    to_at: Mapped[datetime]
    begins_s: Mapped[float] = mapped_column(Double)
    """Where in the file `from_at` lies, in seconds from its first frame."""


class LogNoteRow(Base):
    """Something about a stretch of a log that people should know: a gap, an overlap, a damaged stretch."""

    __tablename__ = "log_notes"
    __table_args__ = (Index("ix_log_notes_log", "log_id", "from_at"),)

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    log_id: Mapped[int] = mapped_column(ForeignKey("logs.id"))
    kind: Mapped[str] = mapped_column(String(20))
    """gap, overlap, clock, broken, left_out or completed."""
    from_at: Mapped[datetime]
    to_at: Mapped[datetime]
    text: Mapped[str] = mapped_column(Text)
