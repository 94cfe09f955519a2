"""The tables of the database that hold the log over all chains: leaves, subtrees, and the signed checkpoints."""

from __future__ import annotations

from sqlalchemy import Index, Integer, String, Text
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


class SubtreeRow(Base):
    """The root of a whole subtree of the log, kept so that proofs need not read all leaves; it proves nothing."""

    __tablename__ = "subtrees"

    origin: Mapped[str] = mapped_column(String(120), primary_key=True)
    level: Mapped[int] = mapped_column(Integer, primary_key=True)
    """How many levels above the leaves: the subtree has 2 ** level of them."""
    number: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    """From 0 within its level."""
    root: Mapped[str] = mapped_column(String(64))
    """SHA-256 in hexadecimal."""


class CheckpointRow(Base):
    """A signed checkpoint."""

    __tablename__ = "checkpoints"

    origin: Mapped[str] = mapped_column(String(120), primary_key=True)
    number: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    """Counted from 1 within its log by the signer."""
    note: Mapped[str] = mapped_column(Text)
    """The complete signed note."""
