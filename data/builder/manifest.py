"""The manifest of a data set. It is written last and in one step: what it does not name is not there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from ..clip import SCHEMA_VERSION
from ..duplicates import Track
from ..errors import IsyaratError
from .settings import FORMAT_VERSION, BuildSettings
from .shard import Row, read_rows, write_bytes

NAME = "manifest.json"


class ShardEntry(BaseModel):
    """A shard: its name without ending, the size and SHA-256 of its tar, and what it holds."""

    shard: str
    bytes: int
    sha256: str
    clips: int
    grids: int


class Manifest(BaseModel):
    """manifest.json.

    Attributes:
        source: name of the catalogue that it was built from.
        bits: a clip is in the shard named by so many first bits of the SHA-256 of its id.
        tools: versions of what made the bytes.
        tables: files in tables/, by what they hold: `index` (N x 6 int64: shard, offset and size of the PNG, offset
            and size of the JSON, number of the clip), `groups` (clips that show the same, a line a group).
        withdrawn: digests of signers who withdrew; their clips are left out of every later build.
    """

    format: str = "isyarat motion grids"
    version: int = FORMAT_VERSION
    schema_version: int = SCHEMA_VERSION
    source: str
    settings: BuildSettings
    tools: dict[str, str]
    clips: int
    grids: int
    errors: int
    bits: int
    shards: list[ShardEntry]
    tables: dict[str, str]
    withdrawn: list[str] = []


class DataSet:
    """A data set on disk.

    Arguments:
        folder: the one with manifest.json.
        manifest: one that is not written yet; without it, that of the folder is read.

    Raises:
        IsyaratError: there is none, or it is of a newer version.
    """

    def __init__(self, folder: Path, manifest: Manifest | None = None) -> None:
        self.folder = folder
        path = folder / NAME
        if manifest is not None:
            self.manifest = manifest
            return
        try:
            self.manifest = Manifest.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            raise IsyaratError(
                f"{folder}: it is no data set (no {NAME}); make one with: isyarat data build SOURCE -o {folder}."
            ) from None
        except ValidationError as error:
            raise IsyaratError(
                f"{path}: it is damaged ({error.errors()[0]['msg']}); build the data set again."
            ) from None
        if self.manifest.version > FORMAT_VERSION:
            raise IsyaratError(f"{path}: it was made by a newer isyarat; update isyarat to read it.")

    @property
    def shards(self) -> Path:
        """Folder of the shards."""
        return self.folder / "shards"

    def rows(self) -> Iterator[Row]:
        """The row of every clip, also of those that gave an error, in the order of the shards."""
        for _, row in self.placed_rows():
            yield row

    def placed_rows(self) -> Iterator[tuple[str, Row]]:
        """(name of the shard, row) of every clip."""
        for entry in self.manifest.shards:
            for row in read_rows(self.shards, entry.shard):
                yield entry.shard, row

    def index(self) -> NDArray[np.int64]:
        """The index, mapped into memory (see `Manifest.tables`)."""
        index: NDArray[np.int64] = np.load(self.folder / "tables" / self.manifest.tables["index"], mmap_mode="r")
        return index

    def groups(self) -> list[Row]:
        """Clips that show the same: {"group", "clips", "why": [[clip, clip, reason, correlation]]}."""
        text = (self.folder / "tables" / self.manifest.tables["groups"]).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def group_of(self) -> dict[str, str]:
        """The group of each clip that has one; every other clip is a group of its own."""
        return {clip: group["group"] for group in self.groups() for clip in group["clips"]}


def write_table(folder: Path, name: str, ending: str, data: bytes) -> str:
    """Writes tables/NAME-DIGEST.ENDING; returns that name. A table that changes never overwrites the former."""
    (folder / "tables").mkdir(exist_ok=True)
    file = f"{name}-{hashlib.sha256(data).hexdigest()[:16]}.{ending}"
    if not (folder / "tables" / file).exists():
        write_bytes(folder / "tables" / file, data)
    return file


def digest_signer(signer: str) -> str:
    """What is kept of a signer who withdrew."""
    return hashlib.sha256(f"isyarat withdrawal {signer}".encode()).hexdigest()


class TrackReader:
    """Tracks of clips by their number, from the files of the shards."""

    def __init__(self, shards: Path) -> None:
        self.places: list[tuple[str, int, int]] = []
        self._open = lru_cache(64)(lambda name: np.load(shards / f"{name}.npy", mmap_mode="r"))

    def add(self, shard: str, row: Row) -> None:
        """The next clip."""
        self.places.append((shard, *row["track"]))

    def read(self, number: int) -> Track:
        """N x 64 int8."""
        shard, start, end = self.places[number]
        return np.asarray(self._open(shard)[start:end], np.int8)
