"""The database tables of the gaming tables' set-ups: which tables are watched, and every version of each set-up."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from thirdcard.service.store.columns import BIG_ID
from thirdcard.service.store.schema import Base


class SetupRow(Base):
    """One version of a table's set-up; its files are in the service's folder."""

    __tablename__ = "setups"
    __table_args__ = (Index("ix_setups_version", "table_id", "version", unique=True),)

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    table_id: Mapped[str] = mapped_column(String(200))
    version: Mapped[int]
    """Counted from 1."""
    origin: Mapped[str] = mapped_column(String(20))
    """`file`: the files were changed by hand; `change`: a complete new set-up was sent; `restore`: an older version."""
    restored: Mapped[int | None]
    """The number of the restored version."""
    made_by: Mapped[str] = mapped_column(String(100))
    made_at: Mapped[datetime]
    why: Mapped[str | None] = mapped_column(String(500))
    digest: Mapped[str] = mapped_column(String(64))
    """SHA-256 over all files and the paths of the films."""
    files: Mapped[str]
    """JSON: the SHA-256 of each file by name, and the path of each film."""


class WatchedTableRow(Base):
    """A table known to the service, and its wanted state."""

    __tablename__ = "watched_tables"

    table_id: Mapped[str] = mapped_column(String(200), primary_key=True)
    version: Mapped[int]
    """The version in force."""
    state: Mapped[str] = mapped_column(String(20))
    """`watched`, `stopped`, or `gone` where its files were deleted."""
    changed_by: Mapped[str] = mapped_column(String(100))
    """Who last changed the state or the version."""
    changed_at: Mapped[datetime]
    is_placed: Mapped[bool] = mapped_column(default=False)
    """Whether the files in `tables/` are those of the version."""
