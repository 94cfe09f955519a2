"""Add the set-ups of tables: which tables are watched, and every version of each set-up."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from thirdcard.service.store.columns import UtcTime

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "setups",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("table_id", sa.String(length=200), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("origin", sa.String(length=20), nullable=False),
        sa.Column("restored", sa.Integer(), nullable=True),
        sa.Column("made_by", sa.String(length=100), nullable=False),
        sa.Column("made_at", UtcTime(), nullable=False),
        sa.Column("why", sa.String(length=500), nullable=True),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("files", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_setups_version", "setups", ["table_id", "version"], unique=True)
    op.create_table(
        "watched_tables",
        sa.Column("table_id", sa.String(length=200), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("changed_by", sa.String(length=100), nullable=False),
        sa.Column("changed_at", UtcTime(), nullable=False),
        sa.Column("is_placed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("table_id"),
    )


def downgrade() -> None:
    """Drop the tables."""
    op.drop_index("ix_setups_version", table_name="setups")
    for table in ("setups", "watched_tables"):
        op.drop_table(table)
