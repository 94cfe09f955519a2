"""Add the tables and columns for reviews of recorded shifts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from thirdcard.service.store.columns import UtcTime

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the origin of logs, and create the tables."""
    op.add_column("logs", sa.Column("origin", sa.String(length=20), nullable=False, server_default="live"))
    op.add_column("logs", sa.Column("shift", sa.String(length=64), nullable=True))
    op.add_column("logs", sa.Column("is_counted", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.create_index("ix_logs_shift", "logs", ["shift"], unique=True)
    op.create_table(
        "footage",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("log_id", BIG_ID, nullable=False),
        sa.Column("path", sa.String(length=1000), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("size_bytes", BIG_ID, nullable=False),
        sa.Column("from_at", UtcTime(), nullable=False),
        sa.Column("to_at", UtcTime(), nullable=False),
        sa.Column("begins_s", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["log_id"], ["logs.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_footage_log", "footage", ["log_id", "from_at"], unique=False)
    op.create_index("ix_footage_file", "footage", ["fingerprint"], unique=False)
    op.create_table(
        "log_notes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("log_id", BIG_ID, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("from_at", UtcTime(), nullable=False),
        sa.Column("to_at", UtcTime(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["log_id"], ["logs.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_log_notes_log", "log_notes", ["log_id", "from_at"], unique=False)


def downgrade() -> None:
    """Drop these tables and columns."""
    op.drop_index("ix_log_notes_log", table_name="log_notes")
    op.drop_table("log_notes")
    op.drop_index("ix_footage_file", table_name="footage")
    op.drop_index("ix_footage_log", table_name="footage")
    op.drop_table("footage")
    op.drop_index("ix_logs_shift", table_name="logs")
    for column in ("is_counted", "shift", "origin"):
        op.drop_column("logs", column)
