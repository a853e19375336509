"""A build: complete, the same bytes however it came about, and nothing lost on the way."""

from __future__ import annotations

import csv
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from isyarat.data.builder import work
from isyarat.data.builder.build import build_dataset, choose_bits, find_old, withdraw_signer
from isyarat.data.builder.engine import LocalEngine
from isyarat.data.builder.manifest import DataSet
from isyarat.data.builder.settings import BuildSettings
from isyarat.data.builder.shard import Row
from isyarat.data.builder.work import Progress, ShardTask, build_shard, place_clip
from isyarat.data.errors import IsyaratError

from .conftest import hash_tree
from .waver import write_waver

ONE = LocalEngine(1)


@pytest.fixture(scope="module")
def built(collection: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The collection, three grids a clip; read only."""
    folder = tmp_path_factory.mktemp("built") / "grids"
    build_dataset(collection, folder, BuildSettings(per_clip=3), ONE)
    return folder


def copy_collection(collection: Path, folder: Path) -> Path:
    """A collection that may be changed."""
    shutil.copytree(collection.parent, folder)
    return folder / collection.name


def test_everything_is_there(built: Path) -> None:
    data = DataSet(built)
    assert (data.manifest.clips, data.manifest.grids, data.manifest.errors) == (27, 75, 3)
    assert {path.name for path in built.iterdir()} == {
        "README.md", "errors.csv", "manifest.json", "report.html", "schema.json", "shards", "tables",
    }  # fmt: skip
    rows = list(data.rows())
    assert len({row["id"] for row in rows}) == 27
    still = next(row for row in rows if "still" in row["id"])
    assert still["signs"] == 0
    assert len(still["grids"]) == 3  # a negative gives grids, too
    with (built / "errors.csv").open(encoding="utf-8") as file:
        errors = {row["path"]: row["reason"] for row in csv.DictReader(file)}
    assert set(errors) == {"clips/text.mp4", "clips/gone.mp4", "clips/00.mp4"}
    assert "text file" in errors["clips/text.mp4"]
    assert "no such file" in errors["clips/gone.mp4"]
    assert "is not a gloss" in errors["clips/00.mp4"]


def test_workers_and_order_change_nothing(built: Path, collection: Path, tmp_path: Path) -> None:
    lines = collection.read_text(encoding="utf-8").splitlines()
    source = copy_collection(collection, tmp_path / "c")
    source.write_text("\n".join([lines[0], *reversed(lines[1:-1]), lines[-1]]) + "\n", encoding="utf-8")
    build_dataset(source, tmp_path / "grids", BuildSettings(per_clip=3), LocalEngine(2))
    assert hash_tree(tmp_path / "grids") == hash_tree(built)


def test_only_what_changed_is_decoded(
    built: Path, collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clip more, one changed, one gone: two are decoded, and the result is that of a build from nothing."""
    source = copy_collection(collection, tmp_path / "c")
    shutil.copytree(built, tmp_path / "grids")
    write_waver(source.parent / "clips" / "new.mp4", 99)
    write_waver(source.parent / "clips" / "03.mp4", 77)
    text = source.read_text(encoding="utf-8").replace("clips/05.mp4,MAKAN,citra", "clips/new.mp4,HALO,ani")
    source.write_text(text, encoding="utf-8")
    decoded = []

    def watch(name: str, *arguments: object) -> object:
        decoded.append(name)
        return cut_clip(name, *arguments)  # type: ignore[arg-type]

    cut_clip = work.cut_clip
    monkeypatch.setattr(work, "cut_clip", watch)
    build_dataset(source, tmp_path / "grids", BuildSettings(per_clip=3), ONE)
    assert sorted(decoded) == ["clips/03.mp4", "clips/new.mp4"]
    build_dataset(source, tmp_path / "fresh", BuildSettings(per_clip=3), ONE)
    assert hash_tree(tmp_path / "grids") == hash_tree(tmp_path / "fresh")
    decoded.clear()
    build_dataset(source, tmp_path / "grids", BuildSettings(per_clip=3), ONE)
    assert decoded == []


@pytest.mark.parametrize("seed", range(4))
def test_killed_builds_resume_to_the_same_bytes(built: Path, collection: Path, tmp_path: Path, seed: int) -> None:
    """kill -9 at random points, three times over, then to the end; the folder is that of a build left in peace."""
    rng = np.random.default_rng(seed)
    command = [sys.executable, "-m", "isyarat", "data", "build", str(collection), "-o", str(tmp_path / "grids")]
    command += ["--per-clip", "3", "--workers", str(1 + seed % 2)]
    killed = 0
    for _ in range(3):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        started = time.monotonic()
        # A build takes about a second beyond its start: wait for the first trace of it, then a random while.
        while not (tmp_path / "grids" / ".work" / "plan").exists() and process.poll() is None:
            time.sleep(0.01)
            assert time.monotonic() - started < 60
        time.sleep(float(rng.uniform(0, 0.5)))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
    assert killed
    deadline = time.monotonic() + 60
    while True:  # workers of a killed build end by themselves, and hold no lock
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
        assert time.monotonic() < deadline, done.stderr
    assert hash_tree(tmp_path / "grids") == hash_tree(built)


def test_ctrl_c_ends_a_build_quietly(built: Path, collection: Path, tmp_path: Path) -> None:
    """All processes get the signal, as from a terminal: no traceback, status 1, and the build goes on later."""
    command = [sys.executable, "-m", "isyarat", "data", "build", str(collection), "-o", str(tmp_path / "grids")]
    command += ["--per-clip", "3", "--workers", "2"]
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, text=True, start_new_session=True, **pipes)
    while not (tmp_path / "grids" / ".work" / "plan").exists() and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Traceback" not in said
    subprocess.run(command, check=True, capture_output=True)
    assert hash_tree(tmp_path / "grids") == hash_tree(built)


def test_a_killed_worker_loses_nothing(built: Path, collection: Path, tmp_path: Path) -> None:
    """One of two workers dies by kill -9 in the middle; the build goes on."""

    class KillingEngine(LocalEngine):
        killed = 0

        def run(self, tasks: Sequence[ShardTask], progress: Progress) -> Iterator[tuple[ShardTask, Row | None]]:
            for task, head in super().run(tasks, progress):
                if not self.killed:
                    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
                    workers = [int(c) for c in children if b"spawn_main" in Path(f"/proc/{c}/cmdline").read_bytes()]
                    os.kill(workers[0], signal.SIGKILL)
                    self.killed = workers[0]
                yield task, head

    if not Path("/proc/self/task").exists():
        pytest.skip("needs /proc")
    engine = KillingEngine(2)
    build_dataset(collection, tmp_path / "grids", BuildSettings(per_clip=3), engine)
    assert engine.killed
    assert hash_tree(tmp_path / "grids") == hash_tree(built)


def test_a_clip_that_kills_its_worker_is_an_error_of_that_clip(collection: Path, tmp_path: Path) -> None:
    """An engine whose worker dies whenever it comes to one clip."""

    class FragileEngine(LocalEngine):
        def run(self, tasks: Sequence[ShardTask], progress: Progress) -> Iterator[tuple[ShardTask, Row | None]]:
            for task in tasks:
                names = [line.partition("\t")[0] for line in Path(task.plan).read_text(encoding="utf-8").splitlines()]
                if "clips/07.mp4" in names and "clips/07.mp4" not in dict(task.skip):
                    Path(task.at).write_text("clips/07.mp4", encoding="utf-8")
                    yield task, None
                else:
                    yield task, build_shard(task, progress)

    manifest = build_dataset(collection, tmp_path / "grids", BuildSettings(), FragileEngine(1))
    assert (manifest.clips, manifest.grids, manifest.errors) == (27, 24, 4)
    (row,) = (row for row in DataSet(tmp_path / "grids").rows() if row["error"] and "07" in row["id"])
    assert "ended the process" in row["error"]


def test_a_fault_of_ours_costs_one_clip_and_is_tried_again(
    collection: Path, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(name: str, *arguments: object) -> object:
        if name == "clips/07.mp4":
            raise MemoryError("no more")
        return cut_clip(name, *arguments)  # type: ignore[arg-type]

    cut_clip = work.cut_clip
    monkeypatch.setattr(work, "cut_clip", fail)
    manifest = build_dataset(collection, tmp_path / "grids", BuildSettings(per_clip=3), ONE)
    assert (manifest.clips, manifest.grids, manifest.errors) == (27, 72, 4)
    assert "(MemoryError: no more)" in (tmp_path / "grids" / "errors.csv").read_text()
    monkeypatch.setattr(work, "cut_clip", cut_clip)
    build_dataset(collection, tmp_path / "grids", BuildSettings(per_clip=3), ONE)
    assert hash_tree(tmp_path / "grids") == hash_tree(built)


def test_withdrawal(built: Path, collection: Path, tmp_path: Path) -> None:
    """Nothing of the signer is left, without a clip at hand, and the bytes are those of a build without the signer."""
    folder = tmp_path / "grids"
    shutil.copytree(built, folder)
    (folder / "splits").mkdir()
    (folder / "splits" / "clip.csv").write_text("path,label,id,part\nclips/01.mp4,MAKAN,clips/01.mp4,test\n")
    manifest, gone = withdraw_signer(folder, "budi", ONE)
    assert len(gone) == 8
    assert manifest.grids == 51
    for path in folder.rglob("*"):
        assert path.is_dir() or b"budi" not in path.read_bytes(), path
    assert not (folder / "splits" / "clip.csv").exists()
    source = copy_collection(collection, tmp_path / "c")
    lines = source.read_text(encoding="utf-8").splitlines()
    source.write_text("\n".join(line for line in lines if ",budi," not in line) + "\n", encoding="utf-8")
    build_dataset(source, tmp_path / "fresh", BuildSettings(per_clip=3), ONE)
    fresh, left = hash_tree(tmp_path / "fresh"), hash_tree(folder)
    different = {name for name in fresh | left if fresh.get(name) != left.get(name)}
    # The errors of the source are not carried over, and the manifest remembers that somebody withdrew.
    assert different == {"manifest.json", "README.md", "report.html", "errors.csv"}
    with pytest.raises(IsyaratError, match="there is no signer 'budi'; there are: ani, citra"):
        withdraw_signer(folder, "budi", ONE)
    # Built again from the full catalogue, the signer stays out.
    manifest = build_dataset(collection, folder, BuildSettings(per_clip=3), ONE)
    assert manifest.clips == 19
    assert not any(b"budi" in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_the_last_signer_withdraws(collection: Path, tmp_path: Path) -> None:
    settings = BuildSettings()
    build_dataset(collection, tmp_path / "grids", settings, ONE, {"signer": {"budi"}})
    manifest, _ = withdraw_signer(tmp_path / "grids", "budi", LocalEngine(2))
    assert (manifest.clips, manifest.grids) == (0, 0)
    assert list((tmp_path / "grids" / "shards").iterdir()) == []


def test_damaged_shards_are_not_copied_from(built: Path, collection: Path, tmp_path: Path) -> None:
    folder = tmp_path / "grids"
    shutil.copytree(built, folder)
    entry = next(e for e in DataSet(folder).manifest.shards if e.clips > 2)
    path = folder / "shards" / f"{entry.shard}.tar"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(IsyaratError, match="this shard is damaged"):
        for signer in ("ani", "budi", "citra"):
            withdraw_signer(folder, signer, ONE)
    path.unlink()
    build_dataset(collection, folder, BuildSettings(per_clip=3), ONE)
    assert hash_tree(folder) == hash_tree(built)


def test_two_builds_in_one_folder(collection: Path, tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    (tmp_path / "grids" / ".work").mkdir(parents=True)
    with (tmp_path / "grids" / ".work" / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(IsyaratError, match="another build is at work"):
            build_dataset(collection, tmp_path / "grids", BuildSettings(), ONE)


def test_what_is_refused(collection: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(IsyaratError, match="not empty and no data set"):
        build_dataset(collection, tmp_path, BuildSettings(), ONE)
    with pytest.raises(IsyaratError, match="lies among the clips"):
        build_dataset(collection.parent, collection.parent / "out", BuildSettings(), ONE)
    with pytest.raises(IsyaratError, match="no line of it gives a clip"):
        build_dataset(collection, tmp_path / "grids", BuildSettings(), ONE, {"signer": {"nobody"}})
    assert not (tmp_path / "grids").exists()


def test_another_file_under_the_same_name_is_refused(tmp_path: Path) -> None:
    write_waver(tmp_path / "a.mp4", 1)
    (tmp_path / "clips.csv").write_text(f"path,label,sha256\na.mp4,SAYA,{'0' * 64}\n")
    manifest = build_dataset(tmp_path / "clips.csv", tmp_path / "out" / "grids", BuildSettings(), ONE)
    assert (manifest.grids, manifest.errors) == (0, 1)
    assert "another one than its sha256 says" in (tmp_path / "out" / "grids" / "errors.csv").read_text()


@pytest.mark.parametrize(("clips", "shards"), [(1, 1), (10, 4), (154, 16), (10_000, 128), (154_000, 512)])
def test_number_of_shards(clips: int, shards: int) -> None:
    assert 2 ** choose_bits(clips) == shards


def test_clips_stay_in_the_family_of_their_shard(built: Path) -> None:
    """When the number of shards grows or shrinks, a clip is looked for where it was."""
    data = DataSet(built)
    homes = {row["id"]: shard for shard, row in data.placed_rows()}
    for bits in (0, 1, data.manifest.bits, data.manifest.bits + 3):
        for name, shard in homes.items():
            assert shard in find_old(data, place_clip(name, bits), bits)
