"""The tables of the database. Times are UTC; money is in a table's smallest unit; bodies are JSON texts.

What happened stands in chains (`thirdcard.service.store.chain`); all else can be found again from them or says where a
file lies.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from thirdcard.service.store.columns import BIG_ID, UtcTime


class Base(DeclarativeBase):
    """All tables."""

    type_annotation_map: ClassVar = {datetime: UtcTime()}


class ChainLine(Base):
    """One line of a chain, sealed with the hash of the line before."""

    __tablename__ = "chain_lines"
    __table_args__ = (Index("ix_chain_lines_place", "chain", "seq", unique=True),)

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    chain: Mapped[str] = mapped_column(String(120))
    seq: Mapped[int] = mapped_column(BIG_ID)
    """From 1 within its chain."""
    at: Mapped[datetime]
    body: Mapped[str] = mapped_column(Text)
    """JSON, keys in order."""
    seal: Mapped[str] = mapped_column(String(64))
    """SHA-256 in hexadecimal."""


class ChainHead(Base):
    """How long a chain is, and the seal of its last line: so that lost last lines show."""

    __tablename__ = "chain_heads"

    chain: Mapped[str] = mapped_column(String(120), primary_key=True)
    seq: Mapped[int] = mapped_column(BIG_ID)
    seal: Mapped[str] = mapped_column(String(64))


class LogRow(Base):
    """A table log: a stretch of one table's chain that is judged by itself, its time counted from its beginning."""

    __tablename__ = "logs"
    __table_args__ = (Index("ix_logs_table", "table_id", "id"), Index("ix_logs_shift", "shift", unique=True))

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    table_id: Mapped[str] = mapped_column(String(200))
    began_at: Mapped[datetime]
    """Where its `t` is 0."""
    rules: Mapped[str] = mapped_column(Text)
    """What it is judged by: rulebook, options, shoe, limits and chips, as JSON."""
    first_line: Mapped[int] = mapped_column(BIG_ID)
    """Where it begins in the table's chain."""
    origin: Mapped[str] = mapped_column(String(20), default="live")
    """live, or review: recordings that were watched later."""
    shift: Mapped[str | None] = mapped_column(String(64))
    """Of a review: the hash that names table and footage, so that the same is entered once."""
    is_counted: Mapped[bool] = mapped_column(default=True)
    """False where another log covers the same time at the table already."""


class AlertRow(Base):
    """An alert as it was raised, and what became of it."""

    __tablename__ = "alerts"
    __table_args__ = (
        Index("ix_alerts_table", "table_id", "id"),
        Index("ix_alerts_code", "code", "id"),
        Index("ix_alerts_state", "state", "id"),
        Index("ix_alerts_at", "at", "id"),
        Index("ix_alerts_table_at", "table_id", "at"),
        Index("ix_alerts_round", "log_id", "round"),
    )

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    table_id: Mapped[str] = mapped_column(String(200))
    log_id: Mapped[int] = mapped_column(ForeignKey("logs.id"))
    round: Mapped[int]
    """The number of its round within the log."""
    code: Mapped[str] = mapped_column(String(80))
    severity: Mapped[str] = mapped_column(String(20))
    state: Mapped[str] = mapped_column(String(20))
    dealer: Mapped[str | None] = mapped_column(String(200))
    at: Mapped[datetime]
    """When the fault happened."""
    noticed_at: Mapped[datetime]
    body: Mapped[str] = mapped_column(Text)
    """The alert as CONTRACT has it."""
    owner: Mapped[str | None] = mapped_column(String(100))
    """Who took it."""
    repeats: Mapped[int] = mapped_column(default=0)
    """How often the same fault was raised again."""
    is_quiet: Mapped[bool] = mapped_column(default=False)
    """Raised after the fact, by a review or a correction: shown, but neither sounded nor sent to anybody."""


class DoubtfulRow(Base):
    """A finding that was never sure enough to be an alert: somebody looks when there is time."""

    __tablename__ = "doubtful_findings"
    __table_args__ = (Index("ix_doubtful_table", "table_id", "id"), Index("ix_doubtful_round", "log_id", "round"))

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    table_id: Mapped[str] = mapped_column(String(200))
    log_id: Mapped[int] = mapped_column(ForeignKey("logs.id"))
    round: Mapped[int]
    """The number of its round within the log."""
    code: Mapped[str] = mapped_column(String(80))
    severity: Mapped[str] = mapped_column(String(20))
    dealer: Mapped[str | None] = mapped_column(String(200))
    at: Mapped[datetime]
    """When the fault would have happened."""
    confidence: Mapped[float]
    body: Mapped[str] = mapped_column(Text)
    """As an alert's."""


class AlertChange(Base):
    """One step in an alert's life."""

    __tablename__ = "alert_changes"
    __table_args__ = (Index("ix_alert_changes_alert", "alert_id", "id"),)

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    alert_id: Mapped[int] = mapped_column(ForeignKey("alerts.id"))
    at: Mapped[datetime]
    who: Mapped[str] = mapped_column(String(100))
    before: Mapped[str] = mapped_column(String(20))
    after: Mapped[str] = mapped_column(String(20))
    reason: Mapped[str | None] = mapped_column(String(80))
    note: Mapped[str | None] = mapped_column(Text)


class RoundRow(Base):
    """A round that is closed."""

    __tablename__ = "rounds"
    __table_args__ = (
        Index("ix_rounds_table", "table_id", "id"),
        Index("ix_rounds_closed", "closed_at", "id"),
        Index("ix_rounds_number", "log_id", "number"),
        Index("ix_rounds_table_closed", "table_id", "closed_at"),
    )

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    table_id: Mapped[str] = mapped_column(String(200))
    log_id: Mapped[int] = mapped_column(ForeignKey("logs.id"))
    number: Mapped[int]
    """From 1 within its log."""
    dealer: Mapped[str | None] = mapped_column(String(200))
    opened_at: Mapped[datetime]
    closed_at: Mapped[datetime]
    first_line: Mapped[int] = mapped_column(BIG_ID)
    """Where it begins in the table's chain."""
    last_line: Mapped[int] = mapped_column(BIG_ID)
    body: Mapped[str] = mapped_column(Text)
    """The round record."""
    terms: Mapped[str | None] = mapped_column(Text)
    """By what it is found, a line each, as entered in `round_terms`; None: not entered yet."""
    is_counted: Mapped[bool] = mapped_column(default=True)
    """False where another log covers the same round, better seen: figures count that one."""


class EvidenceRow(Base):
    """A file that shows what happened: promised at first, then there."""

    __tablename__ = "evidence"
    __table_args__ = (Index("ix_evidence_alert", "alert_id"), Index("ix_evidence_state", "state"))

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    alert_id: Mapped[int] = mapped_column(ForeignKey("alerts.id"))
    kind: Mapped[str] = mapped_column(String(20))
    """clip, still, overlay, before, after, or a further one that somebody asked for."""
    state: Mapped[str] = mapped_column(String(20))
    """promised, kept, failed or deleted."""
    from_at: Mapped[datetime]
    to_at: Mapped[datetime]
    path: Mapped[str | None] = mapped_column(String(500))
    """Below the evidence folder."""
    size_bytes: Mapped[int | None] = mapped_column(BIG_ID)
    sha256: Mapped[str | None] = mapped_column(String(64))
    fault: Mapped[str | None] = mapped_column(Text)
    """Why it could not be kept."""


class SignalRow(Base):
    """What a device reported, until its table has taken it in."""

    __tablename__ = "signals"
    __table_args__ = (Index("ix_signals_waiting", "table_id", "id"),)

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    table_id: Mapped[str] = mapped_column(String(200))
    at: Mapped[datetime]
    body: Mapped[str] = mapped_column(Text)
    is_taken: Mapped[bool] = mapped_column(default=False)


class UserRow(Base):
    """Somebody who may sign in."""

    __tablename__ = "users"

    name: Mapped[str] = mapped_column(String(100), primary_key=True)
    role: Mapped[str] = mapped_column(String(20))
    password_hash: Mapped[str] = mapped_column(String(200))
    tables: Mapped[str | None] = mapped_column(Text)
    """A JSON list of the tables he may see; all where null."""
    added_at: Mapped[datetime]
    is_active: Mapped[bool] = mapped_column(default=True)


class TokenRow(Base):
    """A program's way in."""

    __tablename__ = "tokens"

    name: Mapped[str] = mapped_column(String(100), primary_key=True)
    role: Mapped[str] = mapped_column(String(20))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    tables: Mapped[str | None] = mapped_column(Text)
    added_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    """From then on it holds no more; null: never."""
    used_at: Mapped[datetime | None]
    """When it was used last, to the minute; null: not yet."""
    is_active: Mapped[bool] = mapped_column(default=True)


class SessionRow(Base):
    """A browser that is signed in."""

    __tablename__ = "sessions"

    key_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user: Mapped[str] = mapped_column(ForeignKey("users.name"))
    csrf: Mapped[str] = mapped_column(String(64))
    began_at: Mapped[datetime]
    seen_at: Mapped[datetime]


class CaseRow(Base):
    """Alerts gathered because they belong together."""

    __tablename__ = "cases"

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    title: Mapped[str] = mapped_column(String(200))
    state: Mapped[str] = mapped_column(String(20))
    """open or closed."""
    opened_by: Mapped[str] = mapped_column(String(100))
    opened_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]


class CaseAlert(Base):
    """An alert in a case."""

    __tablename__ = "case_alerts"
    __table_args__ = (Index("ix_case_alerts_alert", "alert_id"),)

    case_id: Mapped[int] = mapped_column(ForeignKey("cases.id"), primary_key=True)
    alert_id: Mapped[int] = mapped_column(ForeignKey("alerts.id"), primary_key=True)
    added_by: Mapped[str] = mapped_column(String(100))
    added_at: Mapped[datetime]


class CaseNote(Base):
    """What somebody wrote about a case; never changed."""

    __tablename__ = "case_notes"
    __table_args__ = (Index("ix_case_notes_case", "case_id", "id"),)

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    case_id: Mapped[int] = mapped_column(ForeignKey("cases.id"))
    at: Mapped[datetime]
    who: Mapped[str] = mapped_column(String(100))
    text: Mapped[str] = mapped_column(Text)


class HoldRow(Base):
    """An order that evidence must not be deleted; of one alert, or of all alerts of a case."""

    __tablename__ = "holds"
    __table_args__ = (Index("ix_holds_alert", "alert_id"), Index("ix_holds_case", "case_id"))

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    alert_id: Mapped[int | None] = mapped_column(ForeignKey("alerts.id"))
    case_id: Mapped[int | None] = mapped_column(ForeignKey("cases.id"))
    reason: Mapped[str] = mapped_column(Text)
    put_by: Mapped[str] = mapped_column(String(100))
    put_at: Mapped[datetime]
    lifted_by: Mapped[str | None] = mapped_column(String(100))
    lifted_at: Mapped[datetime | None]


class DeliveryRow(Base):
    """A message for one channel: entered before it is sent, and kept with what became of it."""

    __tablename__ = "deliveries"
    __table_args__ = (
        Index("ix_deliveries_once", "key", "channel", unique=True),
        Index("ix_deliveries_due", "channel", "state", "due_at"),
        Index("ix_deliveries_alert", "alert_id"),
    )

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    key: Mapped[str] = mapped_column(String(120))
    """The same each time that it is sent: by it a receiver knows what it already has."""
    channel: Mapped[str] = mapped_column(String(100))
    alert_id: Mapped[int | None] = mapped_column(ForeignKey("alerts.id"))
    event: Mapped[str] = mapped_column(String(40))
    state: Mapped[str] = mapped_column(String(20))
    """waiting, sent, failed or gathered."""
    attempts: Mapped[int] = mapped_column(default=0)
    entered_at: Mapped[datetime]
    due_at: Mapped[datetime]
    """When it is tried next, while it waits."""
    settled_at: Mapped[datetime | None]
    """When it was sent, or given up."""
    fault: Mapped[str | None] = mapped_column(Text)
    """Why the last attempt failed."""
    body: Mapped[str] = mapped_column(Text)
    """JSON, as it is sent."""


class DeliveryPlace(Base):
    """How far deliveries were entered; moves in the transaction that enters them."""

    __tablename__ = "delivery_places"

    name: Mapped[str] = mapped_column(String(20), primary_key=True)
    """alerts, changes or overdue."""
    number: Mapped[int] = mapped_column(BIG_ID)
