"""Shards: plain tar files in WebDataset's layout (`KEY.png`, `KEY.json`), with a row a clip and the tracks beside them.

Why tar and not ArrayRecord or Parquet: the standard library writes it, so the base install stays light; its bytes
depend on what is put in and on nothing else; any tool can look inside; and since members lie uncompressed at known
places, an index of offsets gives Grain the random access it wants.

`NAME.tar` holds the grids, `NAME.npy` the tracks, `NAME.jsonl` a head line and a row a clip. The last is written last:
where it stands, the shard is complete. The name holds a digest of all that goes in, so that a shard that stands need
not be built again, and one that changes never overwrites the one that a reader has open.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from ..duplicates import Track

Row = dict[str, Any]


class HashingFile(io.RawIOBase):
    """A file that computes the SHA-256 of what is written to it, from the first byte to the last."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.hash, self.size = file, hashlib.sha256(), 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self.hash.update(data)
        self.size += len(data)
        return self.file.write(data)

    def tell(self) -> int:
        return self.size


class ShardWriter:
    """Writes one shard; nothing shows under its name before `close`.

    Arguments:
        folder: where the shards are.
        name: of this one.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        self.rows: list[Row] = []
        self.grids = 0
        self._tracks: list[Track] = []
        self._track_rows = 0
        # The number of the process keeps the last breath of a killed build apart from the one that resumes it.
        self._partial = folder / f".{name}.tar.{os.getpid()}.partial"
        self._raw = self._partial.open("wb")
        self._file = HashingFile(self._raw)
        self._tar = tarfile.open(fileobj=cast(BinaryIO, self._file), mode="w", format=tarfile.USTAR_FORMAT)  # noqa: SIM115

    def add_clip(self, row: Row, key: str, samples: list[tuple[bytes, bytes]], track: Track) -> None:
        """Appends a clip: its row gets the places of the grids (PNG offset, size, JSON offset, size) and the track."""
        places = []
        for variant, (png, note) in enumerate(samples):
            name = f"{key}-{variant:04d}"
            places.append([*self._add_member(f"{name}.png", png), *self._add_member(f"{name}.json", note)])
        self._tracks.append(track)
        row = row | {"grids": places, "track": [self._track_rows, self._track_rows + len(track)]}
        self._track_rows += len(track)
        self.grids += len(places)
        self.rows.append(row)

    def _add_member(self, name: str, data: bytes) -> tuple[int, int]:
        member = tarfile.TarInfo(name)  # owner, group and time are 0 by default: the bytes depend on the content alone
        member.size = len(data)
        offset = self._file.size + tarfile.BLOCKSIZE
        self._tar.addfile(member, io.BytesIO(data))
        return offset, len(data)

    def close(self) -> Row:
        """Completes the shard; returns its head."""
        self._tar.close()
        self._raw.flush()
        os.fsync(self._raw.fileno())
        self._raw.close()
        head = {
            "shard": self.name, "bytes": self._file.size, "sha256": self._file.hash.hexdigest(),
            "clips": len(self.rows), "grids": self.grids,
        }  # fmt: skip
        tracks = np.concatenate([np.zeros((0, 64), np.int8), *self._tracks])
        buffer = io.BytesIO()
        np.save(buffer, tracks)
        self._partial.replace(self.folder / f"{self.name}.tar")
        write_bytes(self.folder / f"{self.name}.npy", buffer.getvalue())
        lines = [json.dumps(line, ensure_ascii=False) for line in (head, *self.rows)]
        write_bytes(self.folder / f"{self.name}.jsonl", ("\n".join(lines) + "\n").encode())
        return head

    def discard(self) -> None:
        """Gives up."""
        self._raw.close()
        self._partial.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    with partial.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def read_head(folder: Path, name: str) -> Row | None:
    """The head of a complete shard, or None; looks at sizes only (`isyarat data check` reads everything)."""
    try:
        with (folder / f"{name}.jsonl").open(encoding="utf-8") as file:
            head: Row = json.loads(file.readline())
        complete = (folder / f"{name}.tar").stat().st_size == head["bytes"] and (folder / f"{name}.npy").exists()
    except (OSError, ValueError, KeyError):
        return None
    return head if complete else None


def read_rows(folder: Path, name: str) -> Iterator[Row]:
    """The rows of a shard, one at a time."""
    with (folder / f"{name}.jsonl").open(encoding="utf-8") as file:
        next(file)
        for line in file:
            yield json.loads(line)


def is_intact(folder: Path, head: Row) -> bool:
    """Whether the tar still has the bytes that were written."""
    try:
        with (folder / f"{head['shard']}.tar").open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == str(head["sha256"])
    except OSError:
        return False


def read_samples(folder: Path, name: str, row: Row) -> list[tuple[bytes, bytes]]:
    """(PNG, JSON) of every grid of a clip."""
    samples = []
    with (folder / f"{name}.tar").open("rb") as file:
        for png_at, png_size, note_at, note_size in row["grids"]:
            file.seek(png_at)
            png = file.read(png_size)
            file.seek(note_at)
            samples.append((png, file.read(note_size)))
    return samples


def read_track(folder: Path, name: str, row: Row) -> Track:
    """The track of a clip."""
    start, end = row["track"]
    tracks = np.load(folder / f"{name}.npy", mmap_mode="r")
    return np.array(tracks[start:end], np.int8)
