"""Whether a data set is whole: every byte, every place in the index, every picture."""

from __future__ import annotations

import json
from collections.abc import Callable

import cv2
import numpy as np

from .manifest import DataSet
from .shard import is_intact, read_head, read_rows, read_samples

WAY_OUT = "delete it and run isyarat data build again; only it is built anew"


def check_dataset(data: DataSet, progress: Callable[[int], object] = lambda count: None) -> list[str]:
    """Everything that is wrong, a sentence each; `progress` is told of every shard."""
    faults: list[str] = []
    grids = clips = 0
    for entry in data.manifest.shards:
        path = data.shards / f"{entry.shard}.tar"
        head = read_head(data.shards, entry.shard)
        if head is None:
            faults.append(f"{path}: it is missing or cut off; {WAY_OUT}.")
        elif head != entry.model_dump() or not is_intact(data.shards, head):
            faults.append(f"{path}: its bytes are not those that were written; {WAY_OUT}.")
        else:
            rows = list(read_rows(data.shards, entry.shard))
            faults += [fault for row in rows for fault in check_row(data, entry.shard, row)]
            clips += len(rows)
            grids += sum(len(row["grids"]) for row in rows)
        progress(1)
    if faults:
        return faults
    if (clips, grids) != (data.manifest.clips, data.manifest.grids):
        faults.append(
            f"{data.folder}: the manifest counts {data.manifest.grids} grids, the shards hold {grids}; rebuild."
        )
    try:
        index = data.index()
        if len(index) != grids:
            faults.append(f"{data.folder}: the index names {len(index)} grids, the shards hold {grids}; rebuild.")
        data.groups()
    except (OSError, ValueError) as error:
        faults.append(f"{data.folder}: a table is missing or damaged ({error}); rebuild.")
    return faults


def check_row(data: DataSet, shard: str, row: dict[str, object]) -> list[str]:
    """Whether the grids of a clip lie where its row says, and can be read."""
    size = data.manifest.settings.image_size
    for png, note in read_samples(data.shards, shard, row):
        image = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR) if png else None
        if image is None or image.shape != (size, size, 3) or json.loads(note)["clip"] != row["id"]:
            return [f"{data.shards / shard}.tar: the grids of {row['id']} are not where its row says; {WAY_OUT}."]
    return []
