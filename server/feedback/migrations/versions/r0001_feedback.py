"""Persons and their feedback."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes both tables."""
    op.create_table(
        "person",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("token_sha256", sa.String(64), nullable=False, unique=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "feedback",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("person_id", sa.String(32), sa.ForeignKey("person.id", ondelete="CASCADE"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("clip", sa.String(64)),
        sa.Column("bundle", sa.String(64)),
        sa.Column("answered", sa.JSON, nullable=False),
        sa.Column("corrected", sa.JSON, nullable=False),
        sa.Column("sentence", sa.Text),
        sa.Column("variety", sa.String(50)),
        sa.Column("rating", sa.Integer),
        sa.Column("media_key", sa.String(80)),
        sa.Column("media_kind", sa.String(10)),
    )
    op.create_index("ix_feedback_person_id", "feedback", ["person_id"])


def downgrade() -> None:
    """Drops both."""
    op.drop_table("feedback")
    op.drop_table("person")
