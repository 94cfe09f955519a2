"""The database tables of the log over all chains: its leaves, and its signed checkpoints."""

from __future__ import annotations

from sqlalchemy import Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from thirdcard.service.store.columns import BIG_ID
from thirdcard.service.store.schema import Base


class TreeLeaf(Base):
    """One chain's head at one time; leaves are only added."""

    __tablename__ = "tree_leaves"
    __table_args__ = (Index("ix_tree_leaves_chain", "origin", "chain", "number"),)

    origin: Mapped[str] = mapped_column(String(120), primary_key=True)
    """The signed log that it belongs to."""
    number: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    """Counted from 0 within its log."""
    chain: Mapped[str] = mapped_column(String(120))
    seq: Mapped[int] = mapped_column(BIG_ID)
    seal: Mapped[str] = mapped_column(String(64))


class CheckpointRow(Base):
    """A signed checkpoint."""

    __tablename__ = "checkpoints"

    origin: Mapped[str] = mapped_column(String(120), primary_key=True)
    number: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    """Counted from 1 within its log by the signer."""
    note: Mapped[str] = mapped_column(Text)
    """The complete signed note."""
