"""The tables of the database. Times are UTC; money is in the table's minor units; bodies are JSON texts.

Events are stored in chains (`thirdcard.service.store.chain`); everything else can be computed from them, or says where
a file lies.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from thirdcard.service.store.columns import BIG_ID, UtcTime


class Base(DeclarativeBase):
    """The base class of all tables."""

    type_annotation_map: ClassVar = {datetime: UtcTime()}


class ChainLine(Base):
    """One line of a chain, sealed with the hash of the line before."""

    __tablename__ = "chain_lines"
    __table_args__ = (Index("ix_chain_lines_place", "chain", "seq", unique=True),)

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    chain: Mapped[str] = mapped_column(String(120))
    seq: Mapped[int] = mapped_column(BIG_ID)
    """Counted from 1 within its chain."""
    at: Mapped[datetime]
    body: Mapped[str] = mapped_column(Text)
    """JSON with sorted keys."""
    seal: Mapped[str] = mapped_column(String(64))
    """SHA-256 in hexadecimal."""


class ChainHead(Base):
    """The length of a chain and the seal of its last line, so that missing last lines are detected."""

    __tablename__ = "chain_heads"

    chain: Mapped[str] = mapped_column(String(120), primary_key=True)
    seq: Mapped[int] = mapped_column(BIG_ID)
    seal: Mapped[str] = mapped_column(String(64))


class LogRow(Base):
    """A table log: a part of one table's chain that is judged separately, with its own stream time."""

    __tablename__ = "logs"
    __table_args__ = (Index("ix_logs_table", "table_id", "id"), Index("ix_logs_shift", "shift", unique=True))

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    table_id: Mapped[str] = mapped_column(String(200))
    began_at: Mapped[datetime]
    """The time where its `t` is 0."""
    rules: Mapped[str] = mapped_column(Text)
    """What it is judged by: rulebook, options, shoe, limits and chips, as JSON."""
    first_line: Mapped[int] = mapped_column(BIG_ID)
    """The number of its first line in the table's chain."""
    origin: Mapped[str] = mapped_column(String(20), default="live")
    """`live`, or `review` for recordings that were watched later."""
    shift: Mapped[str | None] = mapped_column(String(64))
    """For a review: the hash of table and footage, so that the same footage is entered once."""
    is_counted: Mapped[bool] = mapped_column(default=True)
    """False where another log already covers the same time at the table."""


class AlertRow(Base):
    """An alert as it was raised, with its present state."""

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
    """The alert in the form of CONTRACT.md."""
    owner: Mapped[str | None] = mapped_column(String(100))
    """The user who acknowledged it."""
    repeats: Mapped[int] = mapped_column(default=0)
    """How often the same fault was raised again."""
    is_quiet: Mapped[bool] = mapped_column(default=False)
    """Raised after the fact, by a review or a correction: displayed, but without sound or message."""


class DoubtfulRow(Base):
    """A finding whose confidence stayed too low for an alert: somebody looks at it when there is time."""

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
    """In the form of an alert's body."""


class AlertChange(Base):
    """One change of an alert's state."""

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
    """A closed round."""

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
    """Counted from 1 within its log."""
    dealer: Mapped[str | None] = mapped_column(String(200))
    opened_at: Mapped[datetime]
    closed_at: Mapped[datetime]
    first_line: Mapped[int] = mapped_column(BIG_ID)
    """The number of its first line in the table's chain."""
    last_line: Mapped[int] = mapped_column(BIG_ID)
    body: Mapped[str] = mapped_column(Text)
    """The round record."""
    terms: Mapped[str | None] = mapped_column(Text)
    """Its search terms, one per line, as in `round_terms`; None where it is not indexed yet."""
    is_counted: Mapped[bool] = mapped_column(default=True)
    """False where another log covers the same round and saw it better: figures count only that one."""


class EvidenceRow(Base):
    """A file that shows what happened: first promised, then kept."""

    __tablename__ = "evidence"
    __table_args__ = (Index("ix_evidence_alert", "alert_id"), Index("ix_evidence_state", "state"))

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    alert_id: Mapped[int] = mapped_column(ForeignKey("alerts.id"))
    kind: Mapped[str] = mapped_column(String(20))
    """clip, still, overlay, before, after, or a further kind that was requested."""
    state: Mapped[str] = mapped_column(String(20))
    """promised, kept, failed or deleted."""
    from_at: Mapped[datetime]
    to_at: Mapped[datetime]
    path: Mapped[str | None] = mapped_column(String(500))
    """The path below the evidence folder."""
    size_bytes: Mapped[int | None] = mapped_column(BIG_ID)
    sha256: Mapped[str | None] = mapped_column(String(64))
    fault: Mapped[str | None] = mapped_column(Text)
    """Why it could not be kept."""


class SignalRow(Base):
    """A device's report, stored until its table has processed it."""

    __tablename__ = "signals"
    __table_args__ = (Index("ix_signals_waiting", "table_id", "id"),)

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    table_id: Mapped[str] = mapped_column(String(200))
    at: Mapped[datetime]
    body: Mapped[str] = mapped_column(Text)
    is_taken: Mapped[bool] = mapped_column(default=False)


class UserRow(Base):
    """A user who may log in."""

    __tablename__ = "users"

    name: Mapped[str] = mapped_column(String(100), primary_key=True)
    role: Mapped[str] = mapped_column(String(20))
    password_hash: Mapped[str] = mapped_column(String(200))
    tables: Mapped[str | None] = mapped_column(Text)
    """A JSON list of the tables that the user may see; null for all."""
    added_at: Mapped[datetime]
    is_active: Mapped[bool] = mapped_column(default=True)


class TokenRow(Base):
    """A program's access token."""

    __tablename__ = "tokens"

    name: Mapped[str] = mapped_column(String(100), primary_key=True)
    role: Mapped[str] = mapped_column(String(20))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    tables: Mapped[str | None] = mapped_column(Text)
    added_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    """When it expires; null for never."""
    used_at: Mapped[datetime | None]
    """When it was last used, to the minute; null where it was not used yet."""
    is_active: Mapped[bool] = mapped_column(default=True)


class SessionRow(Base):
    """A browser's login session."""

    __tablename__ = "sessions"

    key_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user: Mapped[str] = mapped_column(ForeignKey("users.name"))
    csrf: Mapped[str] = mapped_column(String(64))
    began_at: Mapped[datetime]
    seen_at: Mapped[datetime]


class CaseRow(Base):
    """A collection of alerts that belong together."""

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
    """A note on a case; never changed."""

    __tablename__ = "case_notes"
    __table_args__ = (Index("ix_case_notes_case", "case_id", "id"),)

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    case_id: Mapped[int] = mapped_column(ForeignKey("cases.id"))
    at: Mapped[datetime]
    who: Mapped[str] = mapped_column(String(100))
    text: Mapped[str] = mapped_column(Text)


class HoldRow(Base):
    """A hold that forbids the deletion of evidence: of one alert, or of all alerts of a case."""

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
    """A message for one channel: stored before it is sent, and kept with its result."""

    __tablename__ = "deliveries"
    __table_args__ = (
        Index("ix_deliveries_once", "key", "channel", unique=True),
        Index("ix_deliveries_due", "channel", "state", "due_at"),
        Index("ix_deliveries_alert", "alert_id"),
    )

    id: Mapped[int] = mapped_column(BIG_ID, primary_key=True)
    key: Mapped[str] = mapped_column(String(120))
    """The same for every attempt, so that a receiver can recognise repeats."""
    channel: Mapped[str] = mapped_column(String(100))
    alert_id: Mapped[int | None] = mapped_column(ForeignKey("alerts.id"))
    event: Mapped[str] = mapped_column(String(40))
    state: Mapped[str] = mapped_column(String(20))
    """waiting, sent, failed or gathered."""
    attempts: Mapped[int] = mapped_column(default=0)
    entered_at: Mapped[datetime]
    due_at: Mapped[datetime]
    """The time of the next attempt, while it waits."""
    settled_at: Mapped[datetime | None]
    """When it was sent, or given up."""
    fault: Mapped[str | None] = mapped_column(Text)
    """Why the last attempt failed."""
    body: Mapped[str] = mapped_column(Text)
    """The JSON that is sent."""


class DeliveryPlace(Base):
    """The last alert, change or reminder for which deliveries exist; updated in the transaction that adds them."""

    __tablename__ = "delivery_places"

    name: Mapped[str] = mapped_column(String(20), primary_key=True)
    """alerts, changes or overdue."""
    number: Mapped[int] = mapped_column(BIG_ID)
