"""The database tables about dealers: the house's dealers, the spellings of their names, and the roster."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from thirdcard.service.store.columns import BIG_ID
from thirdcard.service.store.schema import Base


class DealerRow(Base):
    """A dealer. Rounds and alerts refer to the name."""

    __tablename__ = "dealers"

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    staff_id: Mapped[str | None] = mapped_column(String(64), unique=True)
    """The house's own id of the person."""
    badge: Mapped[str | None] = mapped_column(String(100), unique=True)
    """The value that a badge or key reader at the table reports."""
    is_active: Mapped[bool] = mapped_column(default=True)
    is_confirmed: Mapped[bool] = mapped_column(default=True)
    """False for a name that came from a log and that nobody has confirmed yet."""
    added_at: Mapped[datetime]


class DealerNameRow(Base):
    """One spelling of a dealer's name, without case, accents and word order."""

    __tablename__ = "dealer_names"

    folded: Mapped[str] = mapped_column(String(200), primary_key=True)
    dealer_id: Mapped[int] = mapped_column(ForeignKey("dealers.id"))


class StintRow(Base):
    """A line of the roster: who deals at a table in a span of time."""

    __tablename__ = "stints"
    __table_args__ = (Index("ix_stints_table", "table_id", "from_at"),)

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    table_id: Mapped[str] = mapped_column(String(200))
    from_at: Mapped[datetime]
    to_at: Mapped[datetime]
    dealer_id: Mapped[int | None] = mapped_column(ForeignKey("dealers.id"))
    """Null for a break without a dealer."""
    is_ruling: Mapped[bool] = mapped_column(default=False)
    """Whether it overrides the table's log: somebody stated afterwards who dealt."""
    entered_by: Mapped[str] = mapped_column(String(100))
    entered_at: Mapped[datetime]
