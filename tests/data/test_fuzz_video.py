"""Some hundred damaged files of every kind, by the script for tens of thousands; and that it sees what it must."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "fuzz_video.py"

pytestmark = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="memory is measured through /proc")


@pytest.fixture(scope="module")
def fuzzer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_video", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_damaged_files(tmp_path: Path) -> None:
    output = tmp_path / "figures.json"
    command = [sys.executable, str(SCRIPT), "--files", "400", "--no-bombs"]
    command += ["--work", str(tmp_path / "work"), "--output", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(output.read_text())
    assert figures["files"] == 400
    assert (figures["crashes"], figures["hangs"], figures["above_1_gb"], figures["other_faults"]) == (0, 0, 0, 0)
    assert figures["noisy"] == 0
    assert figures["frames_decoded"] > 1000
    assert all(counts["frames"] + counts["refused"] == 20 for counts in figures["kinds"].values())


def test_run_that_was_stopped_goes_on(tmp_path: Path, fuzzer: ModuleType) -> None:
    fuzzer.write_kinds(tmp_path)
    first = list(fuzzer.run(tmp_path, 30))
    journal = (tmp_path / "journal.jsonl").read_text()
    again = list(fuzzer.run(tmp_path, 40))
    assert again[:30] == first
    assert (tmp_path / "journal.jsonl").read_text().startswith(journal)
    assert [result["n"] for result in again] == list(range(40))


def test_damage_is_the_same_in_every_run(fuzzer: ModuleType) -> None:
    contents = [bytes(range(256)) * 20, b"abc" * 2000]
    assert [fuzzer.damage(contents, n) for n in range(50)] == [fuzzer.damage(contents, n) for n in range(50)]
    assert len({fuzzer.damage(contents, n)[1] for n in range(50)}) > 45


def test_crash_and_hang_are_seen(tmp_path: Path, fuzzer: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzer, "HANG_S", 2.0)
    fuzzer.write_kinds(tmp_path)
    worker = fuzzer.Worker(tmp_path)
    try:
        assert worker.read(0)["outcome"] in ("frames", "refused")
        os.kill(worker.process.pid, signal.SIGSEGV)
        crashed = worker.read(1)
        os.kill(worker.process.pid, signal.SIGSTOP)
        hung = worker.read(2)
        sound = worker.read(3)
    finally:
        worker.stop()
    assert crashed["outcome"].startswith("crash")
    assert hung["outcome"] == "hang"
    assert fuzzer.is_fault(crashed)
    assert fuzzer.is_fault(hung)
    assert not fuzzer.is_fault(sound)
    assert fuzzer.is_fault(sound | {"mb": 1025})
    assert fuzzer.is_fault(sound | {"outcome": "AssertionError: nan"})
