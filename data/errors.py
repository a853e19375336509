"""Errors that are shown to the user as they are: one sentence, with the reason and the way out."""

from __future__ import annotations

from pathlib import Path


class IsyaratError(Exception):
    """A fault of the input or the set-up that the user can mend. The message is a full sentence."""


class ClipError(IsyaratError):
    """A clip that cannot be used.

    Arguments:
        path: the file as the user named it.
        reason: what is wrong with it, e.g. "the file is empty".
        way_out: what to do about it, e.g. "record or copy it again".
    """

    def __init__(self, path: str | Path, reason: str, way_out: str) -> None:
        self.path, self.reason, self.way_out = str(path), reason, way_out
        super().__init__(f"{self.path}: {reason}; {way_out}.")

    def __reduce__(self) -> tuple[type[ClipError], tuple[str, str, str]]:
        """Lets the error travel between processes."""
        return type(self), (self.path, self.reason, self.way_out)
