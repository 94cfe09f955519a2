"""The database tables for the search of rounds, and for their corrections."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from thirdcard.service.store.columns import BIG_ID
from thirdcard.service.store.schema import Base


class RoundTerm(Base):
    """A property of a round: `card:7h`, `seat:3`, `code:late_bet.placed`. The key sorts by term, then time."""

    __tablename__ = "round_terms"
    __table_args__ = ({"sqlite_with_rowid": False},)

    term: Mapped[str] = mapped_column(String(200), primary_key=True)
    at: Mapped[datetime] = mapped_column(primary_key=True)
    """When the round closed."""
    round_id: Mapped[int] = mapped_column(BIG_ID, primary_key=True, autoincrement=False)


class CorrectionRow(Base):
    """A person's correction of a round; the same is in the chain `corrections/TABLE`."""

    __tablename__ = "corrections"
    __table_args__ = (
        Index("ix_corrections_log", "log_id", "id"),
        Index("ix_corrections_round", "round_id", "id"),
        Index("ix_corrections_picture", "picture_state", "id"),
    )

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    table_id: Mapped[str] = mapped_column(String(200))
    log_id: Mapped[int] = mapped_column(ForeignKey("logs.id"))
    round_id: Mapped[int] = mapped_column(ForeignKey("rounds.id"))
    at: Mapped[datetime]
    who: Mapped[str] = mapped_column(String(100))
    why: Mapped[str] = mapped_column(Text)
    body: Mapped[str] = mapped_column(Text)
    """The correction, as JSON."""
    effects: Mapped[str] = mapped_column(Text)
    """Its effects as JSON: rounds before and after, alerts closed, raised and opened again."""
    taken_back_by: Mapped[str | None] = mapped_column(String(100))
    taken_back_at: Mapped[datetime | None]
    taken_back_why: Mapped[str | None] = mapped_column(Text)
    picture_state: Mapped[str] = mapped_column(String(20), default="none")
    """The state of the picture of the corrected card: none, kept or failed."""
    picture: Mapped[str | None] = mapped_column(String(500))
    """The path of the frame below the evidence folder."""
    picture_sha256: Mapped[str | None] = mapped_column(String(64))
    picture_note: Mapped[str | None] = mapped_column(Text)
    """As JSON the video and the position in it; in words why there is no picture."""
