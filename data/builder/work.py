"""The unit of work: one shard, from a plan on disk to a file on disk, in whatever process and on whatever machine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2

from .. import video
from ..clip import ClipRecord, parse_record
from ..clip_file import check_file
from ..duplicates import Track
from ..errors import ClipError, IsyaratError
from ..split import hash_file
from .cutting import ClipGrids, cut_clip, name_key
from .settings import BuildSettings, digest
from .shard import Row, ShardWriter, is_intact, read_head, read_rows, read_samples, read_track

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class ShardTask:
    """What a worker is told; small, since it travels.

    Attributes:
        number: of the shard.
        plan: file with a line a clip: id, tab, record as JSON. Sorted.
        root: folder that paths of the records are relative to.
        shards: folder of the shards.
        old: names of shards of the last build that may hold the same clips.
        settings: of the build.
        settings_digest: of settings and tools; "" to take everything from the old shards, whatever made them.
        at: file in which the worker notes the clip it is at; "" for none.
        skip: ids of clips that killed their worker, with the reason.
    """

    number: int
    plan: str
    root: str
    shards: str
    old: tuple[str, ...]
    settings: BuildSettings
    settings_digest: str
    at: str = ""
    skip: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedClip:
    """A clip of the plan, looked at.

    Attributes:
        key: digest of everything that its grids depend on.
        error: why the file cannot be used.
    """

    name: str
    record: ClipRecord
    text: str
    sha256: str
    key: str
    error: str


@dataclass(frozen=True, slots=True)
class Former:
    """A clip of the last build."""

    shard: str
    row: Row


def build_shard(task: ShardTask, progress: Progress = lambda count: None) -> Row:
    """Builds the shard of a task unless it stands already; returns its head.

    Clips that the last build has under the same key are copied, bytes and all; the others are decoded.

    Raises:
        IsyaratError: a shard that must be copied from is damaged.
    """
    shards = Path(task.shards)
    formers = load_formers(shards, task.old)
    clips = plan_clips(task) if task.settings_digest else recall_clips(task, formers)
    name = f"{task.number:05d}-{digest([[clip.key for clip in clips], task.skip])[:16]}"
    head = read_head(shards, name)
    if head is not None and not any(row.get("retry") for row in read_rows(shards, name)):
        progress(len(clips))
        return head
    intact: dict[str, bool] = {}
    writer = ShardWriter(shards, name)
    try:
        for clip in clips:
            former = formers.get(clip.key)
            if former is not None and former.shard not in intact:
                found = read_head(shards, former.shard)
                intact[former.shard] = found is not None and is_intact(shards, found)
            if former is not None and intact[former.shard]:
                copy_clip(writer, shards, former)
            elif task.settings_digest:
                add_clip(writer, clip, task)
            else:
                raise IsyaratError(
                    f"{shards / former.shard if former else shards}: this shard is damaged; build the data set again "
                    "from its clips first."
                )
            progress(1)
        return writer.close()
    except BaseException:
        writer.discard()
        raise


def load_formers(shards: Path, names: tuple[str, ...]) -> dict[str, Former]:
    """Rows of the last build by their key."""
    return {
        row["key"]: Former(name, row)
        for name in names
        if read_head(shards, name) is not None
        for row in read_rows(shards, name)
        if not row.get("retry")
    }


def plan_clips(task: ShardTask) -> list[PlannedClip]:
    """Reads the plan and hashes the files."""
    clips = []
    skip = dict(task.skip)
    with Path(task.plan).open(encoding="utf-8") as file:
        for line in file:
            name, _, text = line.rstrip("\n").partition("\t")
            record = parse_record(text, Path(task.root))
            sha256, error = look_at(record)
            error = skip.get(name, error)
            key = digest([task.settings_digest, name, text, sha256, error])
            clips.append(PlannedClip(name, record, text, sha256, key, error))
    return clips


def recall_clips(task: ShardTask, formers: Mapping[str, Former]) -> list[PlannedClip]:
    """The clips of the plan as the last build has them; their files are not needed."""
    keys = {former.row["id"]: key for key, former in formers.items()}
    clips = []
    with Path(task.plan).open(encoding="utf-8") as file:
        for line in file:
            name, _, text = line.rstrip("\n").partition("\t")
            clips.append(PlannedClip(name, parse_record(text, Path(task.root)), text, "", keys[name], ""))
    return clips


def look_at(record: ClipRecord) -> tuple[str, str]:
    """(SHA-256, what is wrong with the file)."""
    try:
        check_file(record.path)
        sha256 = hash_file(record.path)
    except ClipError as error:
        return "", f"{error.reason}; {error.way_out}"
    except OSError as error:
        return "", f"it cannot be read ({error.strerror}); copy it again"
    if record.sha256 is not None and record.sha256 != sha256:
        return sha256, "the file is another one than its sha256 says; restore it, or correct the sha256"
    return sha256, ""


def copy_clip(writer: ShardWriter, shards: Path, former: Former) -> None:
    """Takes a clip over from an old shard."""
    row = {name: value for name, value in former.row.items() if name not in {"grids", "track"}}
    samples: list[tuple[bytes, bytes]] = read_samples(shards, former.shard, former.row)
    track: Track = read_track(shards, former.shard, former.row)
    writer.add_clip(row, name_key(row["id"]), samples, track)


def add_clip(writer: ShardWriter, clip: PlannedClip, task: ShardTask) -> None:
    """Decodes a clip and appends what it gave."""
    if task.at:
        Path(task.at).write_text(clip.name, encoding="utf-8")
    if clip.error:
        result = ClipGrids(facts={"error": clip.error})
    else:
        try:
            result = cut_clip(clip.name, clip.record, task.settings, clip.sha256)
        except Exception as error:  # a fault of ours in one clip of 154,000 must not cost the others
            # It may be the memory, or the disk: the next build tries again.
            reason = f"it could not be processed ({type(error).__name__}: {error}); build again, or report this"
            result = ClipGrids(facts={"error": reason, "retry": True})
    facts: Mapping[str, Any] = {"error": ""} | result.facts
    record = clip.record.to_row() | {"path": clip.record.path.as_posix()}
    if clip.record.path.is_relative_to(task.root):
        record["path"] = clip.record.path.relative_to(task.root).as_posix()
    row = {"id": clip.name, "key": clip.key, "sha256": clip.sha256, "record": record, **facts}
    writer.add_clip(row, name_key(clip.name), result.samples, result.track)


def place_clip(name: str, bits: int) -> int:
    """The shard of a clip: the first `bits` bits of the SHA-256 of its id, so that a new clip moves no other."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) >> (32 - bits)


def use_one_thread() -> None:
    """One core a worker: decoder and OpenCV would each take all cores, and get in each other's way."""
    video.MAX_THREADS = 1
    cv2.setNumThreads(1)


def read_plan_size(task: ShardTask) -> int:
    """Clips of a task."""
    with Path(task.plan).open("rb") as file:
        return sum(1 for _ in file)
