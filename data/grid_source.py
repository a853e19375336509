"""Random access to the grids of a data set, as Grain wants it: a length, and an item by its number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, SupportsIndex

import cv2
import numpy as np
from numpy.typing import NDArray

from .builder.manifest import DataSet


class GridSource:
    """The grids of a data set, in the order of its shards. Nothing is read before it is asked for.

    `grain.MapDataset.source(GridSource(folder))` is a Grain data set; copies of it may go to other processes.

    Arguments:
        folder: of the data set.
        clips: only grids of these clips, e.g. one side of a split; None for all.

    Raises:
        IsyaratError: it is no data set.
    """

    def __init__(self, folder: str | Path, clips: set[str] | None = None) -> None:
        self.data = DataSet(Path(folder))
        self._index = self.data.index()
        self._numbers = np.arange(len(self._index))
        if clips is not None:
            wanted = np.array([row["id"] in clips for row in self.data.rows()], np.bool_)
            self._numbers = np.flatnonzero(wanted[self._index[:, 5]])
        # Mapped, not opened: a file has one place at which it is read, and Grain reads from many threads.
        self._shards: dict[int, NDArray[np.uint8]] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, number: SupportsIndex) -> dict[str, Any]:
        """{"image": SxSx3 uint8 RGB, "gloss", "clip", "signer", "variant", "operations", …} (see shards/*.json)."""
        shard, png_at, png_size, note_at, note_size, _ = map(int, self._index[self._numbers[number.__index__()]])
        if shard not in self._shards:
            name = self.data.manifest.shards[shard].shard
            self._shards[shard] = np.memmap(self.data.shards / f"{name}.tar", np.uint8, "r")
        data = self._shards[shard]
        image = cv2.imdecode(np.array(data[png_at : png_at + png_size]), cv2.IMREAD_COLOR)
        assert image is not None
        note = json.loads(data[note_at : note_at + note_size].tobytes())
        return {"image": cv2.cvtColor(image, cv2.COLOR_BGR2RGB), **note}

    def __getstate__(self) -> dict[str, Any]:
        """Mapped shards stay behind."""
        return self.__dict__ | {"_shards": {}}

    def __repr__(self) -> str:
        """Names the data set, not the object: Grain compares this when it resumes."""
        return f"GridSource({str(self.data.folder)!r}, {len(self)} grids)"
