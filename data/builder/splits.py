"""Splits of a data set as CSV files, and what they, or those of others, leak."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from ..errors import IsyaratError
from ..folds import Fold, Leak, Unit, find_leaks
from .manifest import DataSet
from .shard import write_bytes

TRAIN, TEST, LEFT_OUT = "train", "test", "left_out"


def list_units(data: DataSet) -> list[Unit]:
    """The clips of a data set that gave grids, with their groups of copies."""
    groups = data.group_of()
    return [
        Unit(
            row["id"],
            row["record"].get("gloss", ""),
            row["record"].get("signer", "unknown"),
            row["record"].get("background", ""),
            groups.get(row["id"], ""),
        )
        for row in data.rows()
        if not row["error"]
    ]


def write_split(path: Path, data: DataSet, folds: list[Fold], clips: Path | None) -> None:
    """A line a clip; a column a fold, named `part` if there is one only: train, test or left_out, and why.

    Such a file is a catalogue: `isyarat train nano --clips FILE --train-where part=train --test-where part=test`.

    Arguments:
        clips: folder of the clips, which makes the paths absolute; None leaves them as the catalogue has them.
    """
    names = ["part"] if len(folds) == 1 else [fold.name.replace(" ", "_") for fold in folds]
    sides = [dict.fromkeys(fold.train, TRAIN) | dict.fromkeys(fold.test, TEST) for fold in folds]
    groups = data.group_of()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["path", "label", "id", "role", "signer", "background", "group", *names, "why"])
    for row in sorted((row for row in data.rows() if not row["error"]), key=lambda row: row["id"]):
        name, record = row["id"], row["record"]
        why = "; ".join(sorted({fold.left_out[name] for fold in folds if name in fold.left_out}))
        writer.writerow([
            str(clips.absolute() / record["path"]) if clips else record["path"],
            record.get("gloss", ""), name, record.get("role", ""), record.get("signer", "unknown"),
            record.get("background", ""), groups.get(name, ""), *(side.get(name, LEFT_OUT) for side in sides), why,
        ])  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, text.getvalue().encode())


def check_split(path: Path, data: DataSet, *, by_signer: bool = False) -> dict[str, list[Leak]]:
    """Leaks of a split, a list a fold.

    Arguments:
        path: CSV with `id` (or `path`, as the catalogue has it) and columns of train and test, whoever wrote it.
        by_signer: whether sharing a signer is a leak.

    Raises:
        IsyaratError: it is no split of this data set.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise IsyaratError(f"{path}: it cannot be read as a CSV ({error}); give one with id and part.") from error
    ids = {row["record"]["path"]: row["id"] for row in data.rows()}
    known = set(ids.values())
    folds = [name for name in (rows[0] if rows else {}) if any(row[name] in (TRAIN, TEST) for row in rows)]
    if not folds:
        raise IsyaratError(f"{path}: no column of it says train or test; add a column part.")
    named = [(row.get("id") or ids.get(row.get("path") or "", ""), row) for row in rows]
    if not any(name in known for name, _ in named):
        raise IsyaratError(f"{path}: none of its clips is in {data.folder}; give id or path as the data set has them.")
    units = list_units(data)
    return {
        fold: find_leaks(
            units,
            {name for name, row in named if row[fold] == TRAIN},
            {name for name, row in named if row[fold] == TEST},
            by_signer=by_signer,
        )
        for fold in folds
    }
