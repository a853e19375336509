"""From finished shards to a data set: index, groups of copies, table of errors, card, report, and last the manifest."""

from __future__ import annotations

import csv
import io
import json
from array import array
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..clip import export_schema
from ..duplicates import THUMBNAIL, find_copies, join_groups, link_equal, map_energy
from .card import write_card
from .manifest import NAME, DataSet, Manifest, TrackReader, write_table
from .report import write_report
from .shard import write_bytes
from .stats import collect_stats


@dataclass(frozen=True, slots=True)
class Problem:
    """A line of the catalogue that gives no clip."""

    path: str
    where: str
    reason: str


def finish_dataset(folder: Path, manifest: Manifest, problems: list[Problem]) -> Manifest:
    """Writes everything beside the shards.

    Arguments:
        manifest: names the shards; counts and tables are filled in here.
    """
    data = DataSet(folder, manifest)
    index = array("q")
    names: list[str] = []
    sha256s: list[str] = []
    groups: list[str] = []
    tracks = TrackReader(data.shards)
    energies = []
    errors = [(problem.path, problem.where, problem.reason) for problem in problems]
    numbers = {entry.shard: number for number, entry in enumerate(manifest.shards)}
    for shard, row in data.placed_rows():
        for place in row["grids"]:
            index.extend([numbers[shard], *place, len(names)])
        tracks.add(shard, row)
        energies.append(map_energy(tracks.read(len(names))))
        names.append(row["id"])
        sha256s.append(row["sha256"])
        groups.append(row["record"].get("split_group", ""))
        if row["error"]:
            errors.append((row["record"]["path"], row["id"], row["error"]))
    buffer = io.BytesIO()
    np.save(buffer, np.frombuffer(index.tobytes(), np.int64).reshape(-1, 6))
    stacked = np.stack(energies) if energies else np.zeros((0, THUMBNAIL**2), np.float32)
    why = [(i, j, "same file", 1.0) for i, j in link_equal(sha256s)]
    why += [(i, j, "same split_group", 1.0) for i, j in link_equal(groups)]
    why += [
        (i, j, "same movement", round(score, 3))
        for i, j, score in find_copies(stacked, tracks.read)
        if sha256s[i] != sha256s[j]
    ]
    tables = {
        "index": write_table(folder, "index", "npy", buffer.getvalue()),
        "groups": write_table(folder, "groups", "jsonl", list_groups(names, why)),
    }
    manifest = manifest.model_copy(
        update={
            "tables": tables,
            "grids": sum(entry.grids for entry in manifest.shards),
            "errors": len(errors),
        }
    )
    data = DataSet(folder, manifest)
    write_bytes(folder / "errors.csv", write_errors(errors))
    write_bytes(folder / "schema.json", (json.dumps(export_schema(), indent=1, ensure_ascii=False) + "\n").encode())
    stats = collect_stats(data)
    write_bytes(folder / "README.md", write_card(manifest, stats).encode())
    write_bytes(folder / "report.html", write_report(data, stats, errors).encode())
    forget_splits(folder, set(names))
    write_bytes(folder / NAME, (manifest.model_dump_json(indent=1) + "\n").encode())
    return manifest


def list_groups(names: list[str], why: list[tuple[int, int, str, float]]) -> bytes:
    """JSONL: every group of clips that show the same, and the pairs that tell why."""
    heads = join_groups(names, [(i, j) for i, j, _, _ in why])
    members: dict[str, list[str]] = {}
    for name, head in zip(names, heads, strict=True):
        members.setdefault(head, []).append(name)
    reasons: dict[str, list[tuple[str, str, str, float]]] = {}
    for i, j, reason, score in why:
        reasons.setdefault(heads[i], []).append((*sorted((names[i], names[j])), reason, score))  # type: ignore[arg-type]
    lines = [
        json.dumps({"group": head, "clips": sorted(clips), "why": sorted(reasons[head])}, ensure_ascii=False)
        for head, clips in sorted(members.items())
        if len(clips) > 1
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def write_errors(errors: list[tuple[str, str, str]]) -> bytes:
    """CSV of what could not be used."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["path", "where", "reason"])
    writer.writerows(errors)
    return text.getvalue().encode()


def forget_splits(folder: Path, names: set[str]) -> None:
    """Deletes splits that name clips which are no longer there: what they say of the others rests on those, too."""
    for path in sorted((folder / "splits").glob("*.csv")):
        with path.open(newline="", encoding="utf-8") as file:
            gone = any(row.get("id") not in names for row in csv.DictReader(file))
        if gone:
            path.unlink()
