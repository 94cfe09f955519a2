"""Add a table for findings whose confidence is too low for an alert."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from thirdcard.service.store.columns import UtcTime

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "doubtful_findings",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("table_id", sa.String(length=200), nullable=False),
        sa.Column("log_id", BIG_ID, nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(length=80), nullable=False),
        sa.Column("severity", sa.String(length=20), nullable=False),
        sa.Column("dealer", sa.String(length=200), nullable=True),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["log_id"], ["logs.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_doubtful_table", "doubtful_findings", ["table_id", "id"], unique=False)
    op.create_index("ix_doubtful_round", "doubtful_findings", ["log_id", "round"], unique=False)


def downgrade() -> None:
    """Drop the table."""
    op.drop_index("ix_doubtful_round", table_name="doubtful_findings")
    op.drop_index("ix_doubtful_table", table_name="doubtful_findings")
    op.drop_table("doubtful_findings")
