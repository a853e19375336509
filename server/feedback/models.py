"""Tables of the feedback store (SQLAlchemy 2); changes to them need a migration in migrations/versions."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import JSON, DateTime, ForeignKey, Integer, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class Base(DeclarativeBase):
    """Of all tables."""


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)


class Person(Base):
    """Somebody who gave consent; known by nothing but the hash of the token with which they can withdraw it."""

    __tablename__ = "person"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    token_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)
    entries: Mapped[list[Entry]] = relationship(back_populates="person", cascade="all, delete-orphan")


class Entry(Base):
    """One feedback: what was answered, and what would have been right."""

    __tablename__ = "feedback"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    person_id: Mapped[str] = mapped_column(ForeignKey("person.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=now)
    clip: Mapped[str | None] = mapped_column(String(64))
    bundle: Mapped[str | None] = mapped_column(String(64))
    answered: Mapped[list[str]] = mapped_column(JSON)
    corrected: Mapped[list[str]] = mapped_column(JSON)
    sentence: Mapped[str | None] = mapped_column(Text)
    variety: Mapped[str | None] = mapped_column(String(50))
    rating: Mapped[int | None] = mapped_column(Integer)
    media_key: Mapped[str | None] = mapped_column(String(80))
    media_kind: Mapped[str | None] = mapped_column(String(10))
    person: Mapped[Person] = relationship(back_populates="entries")
