"""The tables of the database that tell who deals: the house's dealers, how they are written, and the roster."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from thirdcard.service.store.columns import BIG_ID
from thirdcard.service.store.schema import Base


class DealerRow(Base):
    """One person who deals. Rounds and alerts hold the name."""

    __tablename__ = "dealers"

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    staff_id: Mapped[str | None] = mapped_column(String(64), unique=True)
    """What the house calls the person in its own lists."""
    badge: Mapped[str | None] = mapped_column(String(100), unique=True)
    """What a reader at the table reports of a badge or a key."""
    is_active: Mapped[bool] = mapped_column(default=True)
    is_confirmed: Mapped[bool] = mapped_column(default=True)
    """False for a name that a log brought and nobody has looked at yet."""
    added_at: Mapped[datetime]


class DealerNameRow(Base):
    """One way in which a dealer is written, without case, accents and order of the words."""

    __tablename__ = "dealer_names"

    folded: Mapped[str] = mapped_column(String(200), primary_key=True)
    dealer_id: Mapped[int] = mapped_column(ForeignKey("dealers.id"))


class StintRow(Base):
    """A line of the roster: who deals at a table from when to when."""

    __tablename__ = "stints"
    __table_args__ = (Index("ix_stints_table", "table_id", "from_at"),)

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    table_id: Mapped[str] = mapped_column(String(200))
    from_at: Mapped[datetime]
    to_at: Mapped[datetime]
    dealer_id: Mapped[int | None] = mapped_column(ForeignKey("dealers.id"))
    """Null: nobody, a break."""
    is_ruling: Mapped[bool] = mapped_column(default=False)
    """Whether it holds against what the table's log says: somebody said afterwards who dealt."""
    entered_by: Mapped[str] = mapped_column(String(100))
    entered_at: Mapped[datetime]
