"""Feedback for the routes: says clearly when it is off, and reaches the database again after it was gone."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import TYPE_CHECKING

from ..problem import ProblemError
from ..settings import ServerSettings

if TYPE_CHECKING:
    from .store import Feedback, FeedbackStore, Receipt

log = logging.getLogger("isyarat.feedback")

INSTALL = 'Feedback needs more packages on the server: pip install "isyarat[server]".'


class FeedbackService:
    """Opens the store when it is first needed, or at the start of the server."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._store: FeedbackStore | None = None
        self._opening = threading.Lock()

    def open(self) -> FeedbackStore:
        """The store.

        Raises:
            ProblemError: feedback is off, or its packages are not installed.
            IsyaratError: the database cannot be reached.
        """
        with self._opening:
            if self._store is None:
                if self._settings.database_url is None:
                    raise ProblemError("feedback-off", "No database is set on this server (--database).")
                try:
                    from .blobs import BlobStore
                    from .store import FeedbackStore
                except ImportError:
                    raise ProblemError("feedback-off", INSTALL) from None
                blobs = BlobStore(self._settings.blobs_url) if self._settings.blobs_url else None
                self._store = FeedbackStore(self._settings.database_url.get_secret_value(), blobs)
            return self._store

    def check(self) -> None:
        """Opens the store at the start of the server, so that a wrong URL is known then.

        Without the packages the server starts all the same; each request for feedback is told what is missing.

        Raises:
            IsyaratError: the database cannot be used.
        """
        if self._settings.database_url is not None:
            try:
                self.open()
            except ProblemError as problem:
                log.warning("feedback is off", extra={"fields": {"reason": problem.detail}})

    async def add(self, feedback: Feedback, token: str | None) -> Receipt:
        """Stores a feedback; see FeedbackStore.add."""
        return await asyncio.to_thread(lambda: self.open().add(feedback, token))

    async def withdraw(self, token: str) -> tuple[int, int]:
        """Deletes all of a person's; see FeedbackStore.withdraw."""
        return await asyncio.to_thread(lambda: self.open().withdraw(token))

    def require(self) -> None:
        """Raises ProblemError when feedback is off."""
        if self._settings.database_url is None:
            self.open()

    def close(self) -> None:
        """Closes the store."""
        if self._store is not None:
            self._store.close()
