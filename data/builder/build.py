"""A whole build: catalogue, plan, shards, tables, and last the manifest that makes them count.

The result depends on the clips and the settings alone: not on the engine, the number of workers, the order of the
catalogue's lines, what was built before, or how often the build was killed.
"""

from __future__ import annotations

import contextlib
import math
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tqdm import tqdm

from ..catalogue import name_clip, read_catalogue
from ..clip import ClipRecord, select_clips
from ..errors import IsyaratError
from .engine import Engine
from .finish import Problem, finish_dataset
from .manifest import NAME, DataSet, Manifest, ShardEntry, digest_signer
from .settings import BuildSettings, digest_settings, list_tools
from .shard import Row
from .work import ShardTask, place_clip

WORK = ".work"

# A clip that ends its worker this often, alone, is given up.
CRASHES = 2


@dataclass(slots=True)
class Plan:
    """What is to be built.

    Attributes:
        lines: (id, record as JSON) of every clip.
        root: folder that the paths of the records are relative to.
        source: name of the catalogue.
        problems: lines of the catalogue that are wrong.
        withdrawn: digests of signers who withdrew.
    """

    lines: list[tuple[str, str]]
    root: Path
    source: str
    problems: list[Problem] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)


def build_dataset(
    source: Path,
    folder: Path,
    settings: BuildSettings,
    engine: Engine,
    conditions: Mapping[str, set[str]] | None = None,
) -> Manifest:
    """Builds or updates the data set in `folder` from a catalogue; see `isyarat data build --help`.

    Raises:
        IsyaratError: the catalogue cannot be read or holds no clip, or `folder` is something else.
    """
    if source.is_dir() and folder.absolute().is_relative_to(source.absolute()):
        raise IsyaratError(f"{folder}: it lies among the clips; choose an --output outside of {source}.")
    with claim_folder(folder) as old:
        withdrawn = old.manifest.withdrawn if old else []
        plan = plan_clips(source, withdrawn, conditions or {})
        if not plan.lines:
            raise IsyaratError(f"{source}: no line of it gives a clip; run: isyarat data check {source}.")
        return run_plan(plan, folder, settings, digest_settings(settings), engine, old)


def plan_clips(source: Path, withdrawn: Sequence[str], conditions: Mapping[str, set[str]]) -> Plan:
    """Reads the catalogue."""
    root = (source if source.is_dir() else source.parent).absolute()
    plan = Plan([], root, source.name, withdrawn=list(withdrawn))
    ids: dict[str, str] = {}
    for entry in read_catalogue(source):
        if entry.record is None:
            plan.problems.append(Problem(entry.name, entry.where, entry.problem.lstrip(":, ")))
            continue
        record = entry.record.model_copy(update={"path": entry.record.path.absolute()})
        if digest_signer(record.signer) in withdrawn or not select_clips([record], conditions):
            continue
        name = name_clip(record, root)
        if "\t" in name or "\n" in name:
            plan.problems.append(Problem(entry.name, entry.where, "its name holds a tab or a line break; rename it"))
        elif name in ids:
            plan.problems.append(Problem(entry.name, entry.where, f"{ids[name]} has the same id {name!r}"))
        else:
            ids[name] = entry.where
            plan.lines.append((name, write_record(record, root)))
    return plan


def write_record(record: ClipRecord, root: Path) -> str:
    """A record as one line of JSON, its path relative to `root` where it lies below."""
    if record.path.is_relative_to(root):
        record = record.model_copy(update={"path": record.path.relative_to(root)})
    return record.model_dump_json(exclude_defaults=True)


def run_plan(
    plan: Plan, folder: Path, settings: BuildSettings, settings_digest: str, engine: Engine, old: DataSet | None
) -> Manifest:
    """Builds the shards of a plan, then everything else."""
    bits = choose_bits(len(plan.lines))
    total = len(plan.lines)
    template = ShardTask(0, "", str(plan.root), str(folder.absolute() / "shards"), (), settings, settings_digest)
    tasks = [
        replace(
            template, number=number, plan=str(path.absolute()), old=find_old(old, number, bits),
            at=str(path.absolute().with_suffix(".at")),
        )
        for number, path in write_plan(plan, folder / WORK, bits)
    ]  # fmt: skip
    plan.lines.clear()  # it is on disk now; memory must not grow with the number of clips
    with tqdm(total=total, desc="build", unit="clip", smoothing=0.1, disable=None) as bar:
        heads = sorted(run_tasks(tasks, engine, bar.update), key=lambda head: str(head["shard"]))
    tools = list_tools() if settings_digest or old is None else old.manifest.tools
    manifest = Manifest(
        source=plan.source, settings=settings, tools=tools, bits=bits, withdrawn=plan.withdrawn,
        shards=[ShardEntry.model_validate(head) for head in heads], clips=total, grids=0, errors=0, tables={},
    )  # fmt: skip
    manifest = finish_dataset(folder, manifest, plan.problems)
    sweep(folder, manifest)
    return manifest


def run_tasks(tasks: Sequence[ShardTask], engine: Engine, progress: Callable[[int], object]) -> Iterator[Row]:
    """Heads of all tasks. Those whose worker was lost are done again, one at a time, so that a clip that kills its
    worker can be told from those that were merely in the same pool."""

    def advance(count: int) -> None:
        progress(count)

    lost = []
    for task, head in engine.run(tasks, advance):
        if head is None:
            lost.append(task)
        else:
            yield head
    for task in lost:
        yield rescue_task(task, engine, advance)


def rescue_task(task: ShardTask, engine: Engine, progress: Callable[[int], None]) -> Row:
    """Runs one task until it is done; a clip at which the worker dies twice is skipped, as an error of that clip."""
    crashes: dict[str, int] = {}
    while True:
        ((_, head),) = engine.run([task], progress)
        if head is not None:
            return head
        at = Path(task.at)
        name = at.read_text(encoding="utf-8") if at.exists() else ""
        crashes[name] = crashes.get(name, 0) + 1
        if crashes[name] >= CRASHES:
            if not name or name in dict(task.skip):
                raise IsyaratError("The workers die before they reach a clip; free memory, or use --workers 1.")
            task = replace(
                task,
                skip=(*task.skip, (name, "decoding it ended the process; convert it to MP4 (H.264) or leave it out")),
            )


def choose_bits(clips: int) -> int:
    """About 1.3 sqrt(n) shards, a power of two: small ones for 154 clips (16, so that a killed build loses little),
    large ones for 154,000 (512)."""
    return max(0, round(math.log2(max(1.0, 1.3 * math.sqrt(clips)))))


def write_plan(plan: Plan, work: Path, bits: int) -> Iterator[tuple[int, Path]]:
    """Writes a file a shard that has clips; yields (number, file)."""
    shutil.rmtree(work / "plan", ignore_errors=True)
    (work / "plan").mkdir(parents=True)
    placed: dict[int, list[tuple[str, str]]] = {}
    for name, text in plan.lines:
        placed.setdefault(place_clip(name, bits), []).append((name, text))
    for number, lines in sorted(placed.items()):
        path = work / "plan" / f"{number:05d}.tsv"
        path.write_text("".join(f"{name}\t{text}\n" for name, text in sorted(lines)), encoding="utf-8")
        yield number, path


def find_old(old: DataSet | None, number: int, bits: int) -> tuple[str, ...]:
    """Shards of the last build whose ids begin with the same bits."""
    if old is None:
        return ()
    names = []
    for entry in old.manifest.shards:
        shared = min(bits, old.manifest.bits)
        if int(entry.shard[:5]) >> (old.manifest.bits - shared) == number >> (bits - shared):
            names.append(entry.shard)
    return tuple(names)


@contextlib.contextmanager
def claim_folder(folder: Path) -> Iterator[DataSet | None]:
    """Makes the folder, keeps other builds out of it, and gives the data set that is there.

    Raises:
        IsyaratError: it holds something else, or another build is at work.
    """
    is_ours = (folder / NAME).exists() or (folder / WORK).exists()
    if folder.exists() and not is_ours and any(folder.iterdir()):
        raise IsyaratError(f"{folder}: it is not empty and no data set; choose another --output.")
    (folder / "shards").mkdir(parents=True, exist_ok=True)
    (folder / WORK).mkdir(exist_ok=True)
    with (folder / WORK / "lock").open("w") as file:
        lock(file.fileno(), folder)
        try:
            yield DataSet(folder) if (folder / NAME).exists() else None
        finally:
            fresh = not (folder / NAME).exists()
            if not fresh or not any((folder / "shards").iterdir()):  # nothing to resume
                shutil.rmtree(folder / WORK)
                if fresh:  # an empty folder would be taken for somebody else's
                    (folder / "shards").rmdir()
                    with contextlib.suppress(OSError):
                        folder.rmdir()


def lock(descriptor: int, folder: Path) -> None:
    """Locks a file until it is closed or its process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows: two builds at once write the same bytes under the same names
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise IsyaratError(
            f"{folder}: another build is at work there; wait for it, or choose another --output."
        ) from None


def sweep(folder: Path, manifest: Manifest) -> None:
    """Deletes what the manifest does not name: shards of former builds, unfinished files of killed ones."""
    kept = {f"{entry.shard}.{ending}" for entry in manifest.shards for ending in ("tar", "npy", "jsonl")}
    kept |= set(manifest.tables.values())
    for place in (folder / "shards", folder / "tables"):
        for path in place.iterdir():
            if path.name not in kept:
                path.unlink()
    for path in folder.glob(".*.partial"):
        path.unlink()


def withdraw_signer(folder: Path, signer: str, engine: Engine) -> tuple[Manifest, list[Row]]:
    """Takes every clip of a signer out of the data set and builds it again from what is left; no clip is decoded.

    Returns:
        The new manifest, and the rows that were taken out.

    Raises:
        IsyaratError: the signer is not in it.
    """
    with claim_folder(folder) as data:
        if data is None:
            raise IsyaratError(f"{folder}: it is no data set; name the folder that isyarat data build made.")
        if not data.manifest.shards:
            raise IsyaratError(f"{folder}: it is empty, so nobody can be withdrawn.")
        gone, signers = [], set()
        withdrawn = sorted({*data.manifest.withdrawn, digest_signer(signer)})
        plan = Plan([], Path(os.sep), data.manifest.source, withdrawn=withdrawn)
        for row in data.rows():
            record = row["record"]
            signers.add(record.get("signer", "unknown"))
            if record.get("signer", "unknown") == signer:
                gone.append(row)
            else:
                plan.lines.append(
                    (row["id"], ClipRecord.model_validate(rename(record)).model_dump_json(exclude_defaults=True))
                )
        if not gone:
            raise IsyaratError(f"{folder}: there is no signer {signer!r}; there are: {', '.join(sorted(signers))}.")
        return run_plan(plan, folder, data.manifest.settings, "", engine, data), gone


def rename(record: Row) -> Row:
    """A stored record with the gloss under the name that records are read by."""
    return {("label" if name == "gloss" else name): value for name, value in record.items()}
