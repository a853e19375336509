"""Keeps LiteRT's own chatter away from the user."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

# Two threads that mute at the same time would restore each other's muted stream, for good.
_lock = threading.Lock()


@contextmanager
def mute_native_log() -> Iterator[None]:
    """Sends what native code writes to stderr nowhere (LiteRT's line about its delegate; no setting turns it off)."""
    with _lock:
        try:
            saved = os.dup(2)
        except OSError:  # whoever started this has closed it
            yield
            return
        if sys.stderr is not None:
            sys.stderr.flush()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, 2)
            yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)
            os.close(nowhere)
