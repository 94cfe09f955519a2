"""The tables of the database that tell how gaming tables are set up: which are watched, and every version of each."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from thirdcard.service.store.columns import BIG_ID
from thirdcard.service.store.schema import Base


class SetupRow(Base):
    """One version of a table's set-up; its files lie in the service's folder."""

    __tablename__ = "setups"
    __table_args__ = (Index("ix_setups_version", "table_id", "version", unique=True),)

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    table_id: Mapped[str] = mapped_column(String(200))
    version: Mapped[int]
    """From 1 on."""
    origin: Mapped[str] = mapped_column(String(20))
    """`file`: somebody changed the files; `change`: sent as a whole; `restore`: an older version once more."""
    restored: Mapped[int | None]
    """Which one, of a restored version."""
    made_by: Mapped[str] = mapped_column(String(100))
    made_at: Mapped[datetime]
    why: Mapped[str | None] = mapped_column(String(500))
    digest: Mapped[str] = mapped_column(String(64))
    """SHA-256 over all files and where the films lie."""
    files: Mapped[str]
    """JSON: the SHA-256 of each file by its name, and where each film lies."""


class WatchedTableRow(Base):
    """A table that the service knows, and what is to become of it."""

    __tablename__ = "watched_tables"

    table_id: Mapped[str] = mapped_column(String(200), primary_key=True)
    version: Mapped[int]
    """That is in force."""
    state: Mapped[str] = mapped_column(String(20))
    """`watched`, `stopped`, or `gone`: somebody deleted its files."""
    changed_by: Mapped[str] = mapped_column(String(100))
    """Who changed the state or the version last."""
    changed_at: Mapped[datetime]
    is_placed: Mapped[bool] = mapped_column(default=False)
    """Whether the files in `tables/` are those of the version."""
