"""The feedback store: rows by SQLAlchemy, blobs beside them. Withdrawal deletes all of a person's."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, event, make_url, select
from sqlalchemy.engine import Engine
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.orm import Session

from ...data.errors import IsyaratError
from ..problem import ProblemError
from .blobs import BlobStore
from .models import Entry, Person

MIGRATIONS = Path(__file__).parent / "migrations"


@dataclass(slots=True)
class Feedback:
    """What a client gives.

    Attributes:
        clip: id of the translation that it is about.
        answered, corrected: glosses as the server gave them, and as they should have been.
        sentence: as it should have been.
        rating: 1 (useless) .. 5 (right).
        media: the picture or clip, with its kind.
    """

    clip: str | None = None
    bundle: str | None = None
    answered: list[str] = field(default_factory=list)
    corrected: list[str] = field(default_factory=list)
    sentence: str | None = None
    variety: str | None = None
    rating: int | None = None
    media: tuple[BinaryIO, str] | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was stored, and the token of a person who is new."""

    id: str
    token: str | None


class FeedbackStore:
    """A database and a store of blobs. Methods block.

    Arguments:
        url: SQLAlchemy URL; its tables are brought up to date.
        blobs: None: feedback with pictures is refused.

    Raises:
        IsyaratError: the URL is none, or the database cannot be reached.
    """

    def __init__(self, url: str, blobs: BlobStore | None) -> None:
        self.blobs = blobs
        try:
            self.engine = connect(url)
            migrate(self.engine)
        except (ArgumentError, ImportError):
            raise IsyaratError("The database URL is none; give one like sqlite:////srv/isyarat.db.") from None
        except SQLAlchemyError as error:
            # The error's own text may hold the URL with its password.
            reason = type(error).__name__
            raise IsyaratError(f"The database cannot be used ({reason}); check that it runs and the URL.") from None

    def add(self, feedback: Feedback, token: str | None) -> Receipt:
        """Stores a feedback that was given with consent.

        Arguments:
            token: of a person who gave feedback before; None makes a new person.

        Raises:
            ProblemError: the token is unknown, there is no space, or a store is down; nothing is kept then.
        """
        media_key = None
        try:
            with Session(self.engine) as session:
                person, fresh_token = self._find_or_make(session, token)
                if feedback.media is not None:
                    if self.blobs is None:
                        raise ProblemError("feedback-off", "This server keeps no pictures; send the feedback without.")
                    media_key = self.blobs.put(*feedback.media)
                entry = Entry(
                    id=secrets.token_hex(16), person=person, clip=feedback.clip, bundle=feedback.bundle,
                    answered=feedback.answered, corrected=feedback.corrected, sentence=feedback.sentence,
                    variety=feedback.variety, rating=feedback.rating, media_key=media_key,
                    media_kind=feedback.media[1] if feedback.media else None,
                )  # fmt: skip
                session.add(entry)
                session.commit()
                return Receipt(entry.id, fresh_token)
        except SQLAlchemyError as error:
            if media_key is not None and self.blobs is not None:
                self.blobs.delete(media_key)
            raise ProblemError("store-down", "The feedback could not be stored; nothing was kept.") from error

    def withdraw(self, token: str) -> tuple[int, int]:
        """Deletes everything of a person: pictures first, so that a failure leaves the token valid for another try.

        Returns:
            (entries, blobs) deleted.

        Raises:
            ProblemError: the token is unknown, or a store is down.
        """
        try:
            with Session(self.engine) as session:
                person = session.scalar(select(Person).where(Person.token_sha256 == hash_token(token)))
                if person is None:
                    raise ProblemError("withdrawal-unknown", "Nobody's feedback is kept under this token.")
                keys = [entry.media_key for entry in person.entries if entry.media_key is not None]
                count = len(person.entries)
                for key in keys:
                    if self.blobs is None:
                        raise ProblemError("store-down", "The store of pictures is not set up; set blobs_url again.")
                    self.blobs.delete(key)
                session.delete(person)
                session.commit()
                return count, len(keys)
        except (SQLAlchemyError, OSError) as error:
            raise ProblemError("store-down", "Not everything could be deleted; try again with the token.") from error

    def _find_or_make(self, session: Session, token: str | None) -> tuple[Person, str | None]:
        if token is None:
            token = "isw_" + secrets.token_urlsafe(24)
            person = Person(id=secrets.token_hex(16), token_sha256=hash_token(token))
            session.add(person)
            return person, token
        found = session.scalar(select(Person).where(Person.token_sha256 == hash_token(token)))
        if found is None:
            raise ProblemError("withdrawal-unknown", "Nobody's feedback is kept under this token.")
        return found, None

    def close(self) -> None:
        """Gives the connections back."""
        self.engine.dispose()


def connect(url: str) -> Engine:
    """An engine; SQLite keeps foreign keys and overwrites what is deleted, connections are tested before use."""
    parsed = make_url(url)
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    engine = create_engine(parsed, pool_pre_ping=True, hide_parameters=True)
    if parsed.get_backend_name() == "sqlite":

        @event.listens_for(engine, "connect")
        def set_pragmas(connection: object, _: object) -> None:
            cursor = connection.cursor()  # type: ignore[attr-defined]
            for pragma in ("foreign_keys=ON", "secure_delete=ON", "busy_timeout=5000"):
                cursor.execute(f"PRAGMA {pragma}")
            cursor.close()

    return engine


def migrate(engine: Engine) -> None:
    """Brings the tables up to date."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["engine"] = engine
    command.upgrade(config, "head")


def hash_token(token: str) -> str:
    """SHA-256 in hex; tokens are random, so nothing slower is needed."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
