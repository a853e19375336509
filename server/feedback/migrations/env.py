"""Run by Alembic for every migration; the store hands its connection over."""

from __future__ import annotations

from alembic import context
from isyarat.server.feedback.models import Base

with context.config.attributes["engine"].connect() as connection:
    # render_as_batch: SQLite cannot alter columns in place.
    context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
