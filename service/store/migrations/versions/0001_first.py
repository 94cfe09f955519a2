"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from thirdcard.service.store.columns import UtcTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    _make_cases()
    _make_chain_heads()
    _make_chain_lines()
    _make_delivery_places()
    _make_logs()
    _make_signals()
    _make_tokens()
    _make_users()
    _make_alerts()
    _make_case_notes()
    _make_rounds()
    _make_sessions()
    _make_alert_changes()
    _make_case_alerts()
    _make_deliveries()
    _make_evidence()
    _make_holds()


def downgrade() -> None:
    """Drop the tables."""
    op.drop_index("ix_holds_case", table_name="holds")
    op.drop_index("ix_holds_alert", table_name="holds")
    op.drop_table("holds")
    op.drop_index("ix_evidence_state", table_name="evidence")
    op.drop_index("ix_evidence_alert", table_name="evidence")
    op.drop_table("evidence")
    op.drop_index("ix_deliveries_once", table_name="deliveries")
    op.drop_index("ix_deliveries_due", table_name="deliveries")
    op.drop_index("ix_deliveries_alert", table_name="deliveries")
    op.drop_table("deliveries")
    op.drop_index("ix_case_alerts_alert", table_name="case_alerts")
    op.drop_table("case_alerts")
    op.drop_index("ix_alert_changes_alert", table_name="alert_changes")
    op.drop_table("alert_changes")
    op.drop_table("sessions")
    op.drop_index("ix_rounds_table", table_name="rounds")
    op.drop_index("ix_rounds_closed", table_name="rounds")
    op.drop_table("rounds")
    op.drop_index("ix_case_notes_case", table_name="case_notes")
    op.drop_table("case_notes")
    op.drop_index("ix_alerts_table", table_name="alerts")
    op.drop_index("ix_alerts_state", table_name="alerts")
    op.drop_index("ix_alerts_round", table_name="alerts")
    op.drop_index("ix_alerts_code", table_name="alerts")
    op.drop_index("ix_alerts_at", table_name="alerts")
    op.drop_table("alerts")
    op.drop_table("users")
    op.drop_table("tokens")
    op.drop_index("ix_signals_waiting", table_name="signals")
    op.drop_table("signals")
    op.drop_index("ix_logs_table", table_name="logs")
    op.drop_table("logs")
    op.drop_table("delivery_places")
    op.drop_index("ix_chain_lines_place", table_name="chain_lines")
    op.drop_table("chain_lines")
    op.drop_table("chain_heads")
    op.drop_table("cases")


def _make_cases() -> None:
    op.create_table(
        "cases",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("opened_by", sa.String(length=100), nullable=False),
        sa.Column("opened_at", UtcTime(), nullable=False),
        sa.Column("closed_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )


def _make_chain_heads() -> None:
    op.create_table(
        "chain_heads",
        sa.Column("chain", sa.String(length=120), nullable=False),
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("seal", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("chain"),
    )


def _make_chain_lines() -> None:
    op.create_table(
        "chain_lines",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("chain", sa.String(length=120), nullable=False),
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("seal", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_chain_lines_place", "chain_lines", ["chain", "seq"], unique=True)


def _make_delivery_places() -> None:
    op.create_table(
        "delivery_places",
        sa.Column("name", sa.String(length=20), nullable=False),
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )


def _make_logs() -> None:
    op.create_table(
        "logs",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("table_id", sa.String(length=200), nullable=False),
        sa.Column("began_at", UtcTime(), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("first_line", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_logs_table", "logs", ["table_id", "id"], unique=False)


def _make_signals() -> None:
    op.create_table(
        "signals",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("table_id", sa.String(length=200), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("is_taken", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_signals_waiting", "signals", ["table_id", "id"], unique=False)


def _make_tokens() -> None:
    op.create_table(
        "tokens",
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("tables", sa.Text(), nullable=True),
        sa.Column("added_at", UtcTime(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
        sa.UniqueConstraint("token_hash"),
    )


def _make_users() -> None:
    op.create_table(
        "users",
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=False),
        sa.Column("tables", sa.Text(), nullable=True),
        sa.Column("added_at", UtcTime(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )


def _make_alerts() -> None:
    op.create_table(
        "alerts",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("table_id", sa.String(length=200), nullable=False),
        sa.Column("log_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(length=80), nullable=False),
        sa.Column("severity", sa.String(length=20), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("dealer", sa.String(length=200), nullable=True),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("noticed_at", UtcTime(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("owner", sa.String(length=100), nullable=True),
        sa.Column("repeats", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["log_id"],
            ["logs.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_alerts_at", "alerts", ["at", "id"], unique=False)
    op.create_index("ix_alerts_code", "alerts", ["code", "id"], unique=False)
    op.create_index("ix_alerts_round", "alerts", ["log_id", "round"], unique=False)
    op.create_index("ix_alerts_state", "alerts", ["state", "id"], unique=False)
    op.create_index("ix_alerts_table", "alerts", ["table_id", "id"], unique=False)


def _make_case_notes() -> None:
    op.create_table(
        "case_notes",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("case_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("who", sa.String(length=100), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["case_id"],
            ["cases.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_case_notes_case", "case_notes", ["case_id", "id"], unique=False)


def _make_rounds() -> None:
    op.create_table(
        "rounds",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("table_id", sa.String(length=200), nullable=False),
        sa.Column("log_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("dealer", sa.String(length=200), nullable=True),
        sa.Column("opened_at", UtcTime(), nullable=False),
        sa.Column("closed_at", UtcTime(), nullable=False),
        sa.Column("first_line", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("last_line", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["log_id"],
            ["logs.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_rounds_closed", "rounds", ["closed_at", "id"], unique=False)
    op.create_index("ix_rounds_table", "rounds", ["table_id", "id"], unique=False)


def _make_sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("key_hash", sa.String(length=64), nullable=False),
        sa.Column("user", sa.String(length=100), nullable=False),
        sa.Column("csrf", sa.String(length=64), nullable=False),
        sa.Column("began_at", UtcTime(), nullable=False),
        sa.Column("seen_at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user"],
            ["users.name"],
        ),
        sa.PrimaryKeyConstraint("key_hash"),
    )


def _make_alert_changes() -> None:
    op.create_table(
        "alert_changes",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("alert_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("who", sa.String(length=100), nullable=False),
        sa.Column("before", sa.String(length=20), nullable=False),
        sa.Column("after", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.String(length=80), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["alert_id"],
            ["alerts.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_alert_changes_alert", "alert_changes", ["alert_id", "id"], unique=False)


def _make_case_alerts() -> None:
    op.create_table(
        "case_alerts",
        sa.Column("case_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("alert_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("added_by", sa.String(length=100), nullable=False),
        sa.Column("added_at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["alert_id"],
            ["alerts.id"],
        ),
        sa.ForeignKeyConstraint(
            ["case_id"],
            ["cases.id"],
        ),
        sa.PrimaryKeyConstraint("case_id", "alert_id"),
    )
    op.create_index("ix_case_alerts_alert", "case_alerts", ["alert_id"], unique=False)


def _make_deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("key", sa.String(length=120), nullable=False),
        sa.Column("channel", sa.String(length=100), nullable=False),
        sa.Column("alert_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("event", sa.String(length=40), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("entered_at", UtcTime(), nullable=False),
        sa.Column("due_at", UtcTime(), nullable=False),
        sa.Column("settled_at", UtcTime(), nullable=True),
        sa.Column("fault", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["alert_id"],
            ["alerts.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_deliveries_alert", "deliveries", ["alert_id"], unique=False)
    op.create_index("ix_deliveries_due", "deliveries", ["channel", "state", "due_at"], unique=False)
    op.create_index("ix_deliveries_once", "deliveries", ["key", "channel"], unique=True)


def _make_evidence() -> None:
    op.create_table(
        "evidence",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("alert_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("from_at", UtcTime(), nullable=False),
        sa.Column("to_at", UtcTime(), nullable=False),
        sa.Column("path", sa.String(length=500), nullable=True),
        sa.Column("size_bytes", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("sha256", sa.String(length=64), nullable=True),
        sa.Column("fault", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["alert_id"],
            ["alerts.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_evidence_alert", "evidence", ["alert_id"], unique=False)
    op.create_index("ix_evidence_state", "evidence", ["state"], unique=False)


def _make_holds() -> None:
    op.create_table(
        "holds",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("alert_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("case_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("put_by", sa.String(length=100), nullable=False),
        sa.Column("put_at", UtcTime(), nullable=False),
        sa.Column("lifted_by", sa.String(length=100), nullable=True),
        sa.Column("lifted_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["alert_id"],
            ["alerts.id"],
        ),
        sa.ForeignKeyConstraint(
            ["case_id"],
            ["cases.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_holds_alert", "holds", ["alert_id"], unique=False)
    op.create_index("ix_holds_case", "holds", ["case_id"], unique=False)
