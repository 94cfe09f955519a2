"""Add the tallies behind the house's figures; all existing hours are marked for counting."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from thirdcard.service.store.columns import UtcTime

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
HOUR_MICROSECONDS = 3_600_000_000
TOUCHED = "INSERT INTO touched_hours (table_id, hour) SELECT DISTINCT table_id, {0} - {0} % {1} FROM {2}"


def upgrade() -> None:
    """Create the tables, and the indexes for the rows of an hour."""
    op.create_index("ix_rounds_table_closed", "rounds", ["table_id", "closed_at"], unique=False)
    op.create_index("ix_alerts_table_at", "alerts", ["table_id", "at"], unique=False)
    _make_tallies()
    _make_code_tallies()
    op.create_table(
        "touched_hours",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("table_id", sa.String(length=200), nullable=False),
        sa.Column("hour", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    for moment, table in (("closed_at", "rounds"), ("at", "alerts")):
        op.execute(TOUCHED.format(moment, HOUR_MICROSECONDS, table))


def downgrade() -> None:
    """Drop the tables and indexes."""
    op.drop_table("touched_hours")
    op.drop_index("ix_code_tallies_hour", table_name="code_tallies")
    op.drop_table("code_tallies")
    op.drop_index("ix_tallies_hour", table_name="tallies")
    op.drop_table("tallies")
    op.drop_index("ix_alerts_table_at", table_name="alerts")
    op.drop_index("ix_rounds_table_closed", table_name="rounds")


def _make_tallies() -> None:
    op.create_table(
        "tallies",
        *_key(),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("watched_rounds", sa.Integer(), nullable=False),
        sa.Column("timed_rounds", sa.Integer(), nullable=False),
        sa.Column("timed_s", sa.Double(), nullable=False),
        sa.Column("unseen_s", sa.Double(), nullable=False),
        sa.Column("durations", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "hour", "dealer", "rulebook"),
    )
    op.create_index("ix_tallies_hour", "tallies", ["hour"], unique=False)


def _make_code_tallies() -> None:
    op.create_table(
        "code_tallies",
        *_key(),
        sa.Column("code", sa.String(length=80), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("alerts", sa.Integer(), nullable=False),
        sa.Column("false_alerts", sa.Integer(), nullable=False),
        sa.Column("accepted", sa.Integer(), nullable=False),
        sa.Column("overpaid_minor", sa.Double(), nullable=False),
        sa.Column("underpaid_minor", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "hour", "dealer", "rulebook", "code", "state"),
    )
    op.create_index("ix_code_tallies_hour", "code_tallies", ["hour"], unique=False)


def _key() -> tuple[sa.Column[object], ...]:
    return (
        sa.Column("table_id", sa.String(length=200), nullable=False),
        sa.Column("hour", UtcTime(), nullable=False),
        sa.Column("dealer", sa.String(length=200), nullable=False),
        sa.Column("rulebook", sa.String(length=80), nullable=False),
    )
