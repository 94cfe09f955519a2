"""Add the search index of rounds, and their corrections."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from thirdcard.service.store.columns import UtcTime

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables; existing rounds are indexed when the service starts."""
    op.add_column("rounds", sa.Column("terms", sa.Text(), nullable=True))
    op.create_index("ix_rounds_number", "rounds", ["log_id", "number"], unique=False)
    op.add_column("alerts", sa.Column("is_quiet", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "round_terms",
        sa.Column("term", sa.String(length=200), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("round_id", BIG_ID, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("term", "at", "round_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "corrections",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("table_id", sa.String(length=200), nullable=False),
        sa.Column("log_id", BIG_ID, nullable=False),
        sa.Column("round_id", BIG_ID, nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("who", sa.String(length=100), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("effects", sa.Text(), nullable=False),
        sa.Column("taken_back_by", sa.String(length=100), nullable=True),
        sa.Column("taken_back_at", UtcTime(), nullable=True),
        sa.Column("taken_back_why", sa.Text(), nullable=True),
        sa.Column("picture_state", sa.String(length=20), nullable=False),
        sa.Column("picture", sa.String(length=500), nullable=True),
        sa.Column("picture_sha256", sa.String(length=64), nullable=True),
        sa.Column("picture_note", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["log_id"], ["logs.id"]),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_corrections_log", "corrections", ["log_id", "id"], unique=False)
    op.create_index("ix_corrections_round", "corrections", ["round_id", "id"], unique=False)
    op.create_index("ix_corrections_picture", "corrections", ["picture_state", "id"], unique=False)


def downgrade() -> None:
    """Drop these tables and columns."""
    for name in ("picture", "round", "log"):
        op.drop_index(f"ix_corrections_{name}", table_name="corrections")
    op.drop_table("corrections")
    op.drop_table("round_terms")
    op.drop_column("alerts", "is_quiet")
    op.drop_index("ix_rounds_number", table_name="rounds")
    op.drop_column("rounds", "terms")
