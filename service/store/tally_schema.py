"""The database tables behind the house's figures: sums by hour, and the hours that changed since.

All of it can be computed again from rounds, alerts and logs. An unknown dealer is an empty text.
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
    """The start of the hour, a full hour UTC."""
    dealer: Mapped[str] = mapped_column(String(200), primary_key=True)
    rulebook: Mapped[str] = mapped_column(String(80), primary_key=True)
    rounds: Mapped[int]
    watched_rounds: Mapped[int]
    """The rounds that were watched without a gap."""
    timed_rounds: Mapped[int]
    """The rounds whose phases are all known."""
    timed_s: Mapped[float] = mapped_column(Double)
    """The total duration of these rounds in seconds, including the wait before each."""
    unseen_s: Mapped[float] = mapped_column(Double)
    """How long within the hour the table could not be watched, in seconds."""
    durations: Mapped[bytes] = mapped_column(LargeBinary)
    """Histograms of the durations of each phase: (phases, bins) unsigned 16-bit integers, little-endian."""


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
    """Alerts dismissed for a reason that blames the system."""
    accepted: Mapped[int]
    """Late bets for which no voiding was detected."""
    overpaid_minor: Mapped[float] = mapped_column(Double)
    """What the house overpaid because of it, in the table's minor units."""
    underpaid_minor: Mapped[float] = mapped_column(Double)
    """What patrons were underpaid, in minor units."""


class ErringTallyRow(Base):
    """The rounds with errors of an hour whose alerts have the same codes in the same states.

    A round counts in the hour in which it closed; an unclosed round, in the hour of its first alert.
    """

    __tablename__ = "erring_tallies"
    __table_args__ = (Index("ix_erring_tallies_hour", "hour"), Index("ix_erring_tallies_table", "table_id", "hour"))

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    table_id: Mapped[str] = mapped_column(String(200))
    hour: Mapped[datetime]
    dealer: Mapped[str] = mapped_column(String(200))
    """The dealer at the first alert."""
    rulebook: Mapped[str] = mapped_column(String(80))
    faults: Mapped[str] = mapped_column(Text)
    """A line for each code and state of the round's alerts, sorted: `misdeal.order open`."""
    rounds: Mapped[int]


class TouchedHour(Base):
    """An hour of a table whose tallies must be recomputed; rows are only added, so that writers do not block each
    other."""

    __tablename__ = "touched_hours"

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    table_id: Mapped[str] = mapped_column(String(200))
    hour: Mapped[datetime]
