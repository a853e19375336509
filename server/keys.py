"""API keys: made once, shown once, kept as hashes, limited by rate."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from ..data.errors import IsyaratError

NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")

# Clients whose rate is remembered; the least recent is forgotten first.
MOST_CLIENTS = 100_000


@dataclass(frozen=True, slots=True)
class Key:
    """One client's key.

    Attributes:
        name: for logs and metrics.
        digest: SHA-256 of the key, in hex. Keys have 256 random bits, so nothing slower is needed.
        rate_per_minute: its own limit, or None for the server's.
    """

    name: str
    digest: str
    rate_per_minute: int | None = None


class KeyRing:
    """All keys of a server."""

    def __init__(self, keys: list[Key]) -> None:
        self.keys = keys

    def find(self, key: str) -> Key | None:
        """The entry of a key. Compares with every hash, each in constant time."""
        digest = hash_key(key)
        found = None
        for entry in self.keys:
            if hmac.compare_digest(entry.digest, digest):
                found = entry
        return found


def hash_key(key: str) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def read_keys(path: Path) -> KeyRing:
    """Reads lines of `NAME SHA256 [RATE]`; # begins a comment.

    Raises:
        IsyaratError: the file or a line cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise IsyaratError(f"{path}: the keys cannot be read ({error}); give the file of --create-key.") from None
    keys = []
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        fits = len(words) in {2, 3} and NAME.fullmatch(words[0]) and re.fullmatch(r"[0-9a-f]{64}", words[1])
        if not fits or not (len(words) == 2 or words[2].isdecimal()):
            raise IsyaratError(f"{path}: line {number} is not `NAME SHA256 [REQUESTS_A_MINUTE]`; make it anew.")
        keys.append(Key(words[0], words[1], int(words[2]) if len(words) == 3 else None))
    if not keys:
        raise IsyaratError(f"{path}: there is no key in it; make one with `isyarat serve --create-key NAME`.")
    return KeyRing(keys)


def create_key(path: Path, name: str) -> str:
    """Makes a key, adds its hash to the file, and returns the key itself, which is kept nowhere.

    Raises:
        IsyaratError: the name does not fit, or is taken.
    """
    if not NAME.fullmatch(name):
        raise IsyaratError(f"{name!r} is no name for a key; use letters, digits, dot, dash and underscore.")
    existing = path.read_text(encoding="utf-8") if path.exists() else ""
    if any(line.split()[:1] == [name] for line in existing.splitlines()):
        raise IsyaratError(f"{path}: there is a key {name!r} already; delete its line or choose another name.")
    key = "isy_" + secrets.token_urlsafe(32)
    partial = path.with_name(path.name + ".partial")
    file = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as stream:
        stream.write(existing + ("\n" if existing and not existing.endswith("\n") else ""))
        stream.write(f"{name} {hash_key(key)}\n")
    partial.replace(path)
    return key


class RateLimiter:
    """Token buckets: `rate` requests a minute, of which a sixth may come at once.

    Arguments:
        clock: seconds that never go back.
    """

    def __init__(self, clock: object = time.monotonic) -> None:
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str, rate_per_minute: int) -> float:
        """Takes one token; 0 when there was one, else the seconds until there is."""
        assert callable(self._clock)
        now, a_second = self._clock(), rate_per_minute / 60
        most = max(1.0, rate_per_minute / 6)
        tokens, seen = self._buckets.pop(client, (most, now))
        tokens = min(most, tokens + (now - seen) * a_second)
        wait_s = 0.0 if tokens >= 1 else (1 - tokens) / a_second
        self._buckets[client] = (tokens - 1 if wait_s == 0 else tokens, now)
        if len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return wait_s
