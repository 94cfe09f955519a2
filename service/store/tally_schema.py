"""The tables of the database that the house's figures are read from: sums by hour, and which hours changed since.

They hold nothing that cannot be found again from rounds, alerts and logs. No dealer is an empty text.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Double, Index, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from thirdcard.service.store.columns import BIG_ID
from thirdcard.service.store.schema import Base


class TallyRow(Base):
    """The rounds that one dealer closed at one table, by one rulebook, within an hour."""

    __tablename__ = "tallies"
    __table_args__ = (Index("ix_tallies_hour", "hour"),)

    table_id: Mapped[str] = mapped_column(String(200), primary_key=True)
    hour: Mapped[datetime] = mapped_column(primary_key=True)
    """Its beginning, a whole hour UTC."""
    dealer: Mapped[str] = mapped_column(String(200), primary_key=True)
    rulebook: Mapped[str] = mapped_column(String(80), primary_key=True)
    rounds: Mapped[int]
    watched_rounds: Mapped[int]
    """Those that were watched without a gap."""
    timed_rounds: Mapped[int]
    """Those whose phases are all known."""
    timed_s: Mapped[float] = mapped_column(Double)
    """What these took in all, with the wait before each."""
    unseen_s: Mapped[float] = mapped_column(Double)
    """How long within the hour the table could not be watched."""
    durations: Mapped[bytes] = mapped_column(LargeBinary)
    """Counts of the durations of each phase: (phases, bins) unsigned 16-bit integers, little end first."""


class CodeTallyRow(Base):
    """The alerts of one code in one state whose rounds closed within an hour."""

    __tablename__ = "code_tallies"
    __table_args__ = (Index("ix_code_tallies_hour", "hour"),)

    table_id: Mapped[str] = mapped_column(String(200), primary_key=True)
    hour: Mapped[datetime] = mapped_column(primary_key=True)
    dealer: Mapped[str] = mapped_column(String(200), primary_key=True)
    rulebook: Mapped[str] = mapped_column(String(80), primary_key=True)
    code: Mapped[str] = mapped_column(String(80), primary_key=True)
    state: Mapped[str] = mapped_column(String(20), primary_key=True)
    alerts: Mapped[int]
    false_alerts: Mapped[int]
    """Those dismissed for a reason that blames the system."""
    accepted: Mapped[int]
    """Late bets that nobody was seen to void."""
    overpaid_minor: Mapped[float] = mapped_column(Double)
    """What the house gave away by it, in the table's smallest unit."""
    underpaid_minor: Mapped[float] = mapped_column(Double)
    """What patrons were not given."""


class ErringTallyRow(Base):
    """The erring rounds of an hour whose alerts are of the same codes in the same states.

    A round counts in the hour in which it closed; alerts whose round never closed, in the hour of the first of them.
    """

    __tablename__ = "erring_tallies"
    __table_args__ = (Index("ix_erring_tallies_hour", "hour"), Index("ix_erring_tallies_table", "table_id", "hour"))

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    table_id: Mapped[str] = mapped_column(String(200))
    hour: Mapped[datetime]
    dealer: Mapped[str] = mapped_column(String(200))
    """Who dealt at the first alert."""
    rulebook: Mapped[str] = mapped_column(String(80))
    faults: Mapped[str] = mapped_column(Text)
    """A line for each code and state of the round's alerts, in order: `misdeal.order open`."""
    rounds: Mapped[int]


class TouchedHour(Base):
    """An hour of a table whose tallies are to be made anew; only added to, so that no writer waits for another."""

    __tablename__ = "touched_hours"

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    table_id: Mapped[str] = mapped_column(String(200))
    hour: Mapped[datetime]
