"""Pictures and clips that were given with consent: in a folder, or wherever fsspec reaches (s3://…)."""

from __future__ import annotations

import contextlib
import errno
import secrets
from typing import BinaryIO

import fsspec

from ..problem import ProblemError

CHUNK = 1 << 20


class BlobStore:
    """Blobs by key.

    Arguments:
        url: a folder, or a URL that fsspec knows.
    """

    def __init__(self, url: str) -> None:
        self._files, self._root = fsspec.core.url_to_fs(url)
        self._files.makedirs(self._root, exist_ok=True)

    def put(self, data: BinaryIO, kind: str) -> str:
        """Stores what `data` holds, whole or not at all; returns the key.

        Arguments:
            kind: "grid" or "video".

        Raises:
            ProblemError: there is no space.
        """
        key = f"{kind}-{secrets.token_hex(16)}"
        partial, final = self._place(f".{key}.partial"), self._place(key)
        try:
            with self._files.open(partial, "wb") as target:
                while chunk := data.read(CHUNK):
                    target.write(chunk)
            self._files.mv(partial, final)
        except OSError as error:
            for place in (partial, final):
                self._remove(place)
            if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
                raise ProblemError("disk-full", "There is no space to keep the picture; nothing was kept.") from error
            raise ProblemError("store-down", "The store of pictures cannot be reached; nothing was kept.") from error
        return key

    def read(self, key: str) -> bytes:
        """The blob.

        Raises:
            FileNotFoundError: there is none.
        """
        data: bytes = self._files.cat_file(self._place(key))
        return data

    def delete(self, key: str) -> None:
        """Deletes it; one that is gone already is no error.

        Raises:
            OSError: it is still there.
        """
        place = self._place(key)
        if self._files.exists(place):
            self._files.rm_file(place)

    def _remove(self, place: str) -> None:
        # It never came to be, or the store is away: a partial has no row and is not read.
        with contextlib.suppress(OSError):
            self._files.rm_file(place)

    def _place(self, name: str) -> str:
        return f"{self._root}/{name}"
