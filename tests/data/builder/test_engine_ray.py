"""The Ray engine: the same bytes, and a worker that dies loses nothing. (Two nodes: tests/benchmarks/build_ray.py.)"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from isyarat.data.builder import engine_ray
from isyarat.data.builder.build import build_dataset
from isyarat.data.builder.engine import LocalEngine
from isyarat.data.builder.engine_ray import RayEngine
from isyarat.data.builder.settings import BuildSettings
from isyarat.data.builder.shard import Row
from isyarat.data.builder.work import Progress, ShardTask
from isyarat.data.errors import IsyaratError

from .conftest import hash_tree


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(IsyaratError, match=r"isyarat\[cluster\]"):
        RayEngine(None, 1)


def test_no_cluster_there(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    with pytest.raises(IsyaratError, match="There is no Ray cluster at auto"):
        list(RayEngine("auto", 1).run([], lambda count: None))


def test_same_bytes_though_a_worker_dies(collection: Path, tmp_path: Path) -> None:
    ray = pytest.importorskip("ray")

    class KillingEngine(RayEngine):
        killed: int | None = None

        def run(self, tasks: Sequence[ShardTask], progress: Progress) -> Iterator[tuple[ShardTask, Row | None]]:
            for task, head in super().run(tasks, progress):
                if self.killed is None:
                    self.killed = find_worker()
                    os.kill(self.killed, signal.SIGKILL)
                yield task, head

    build_dataset(collection, tmp_path / "local", BuildSettings(per_clip=2), LocalEngine(1))
    engine = KillingEngine(None, 2)
    build_dataset(collection, tmp_path / "ray", BuildSettings(per_clip=2), engine)
    assert engine.killed
    assert not ray.is_initialized()
    assert hash_tree(tmp_path / "ray") == hash_tree(tmp_path / "local")


def find_worker() -> int:
    """The process of a worker of the cluster that this process started."""
    psutil = pytest.importorskip("psutil")
    names = [(p.pid, " ".join(p.cmdline())) for p in psutil.Process().children(recursive=True)]
    return next(pid for pid, name in names if name.startswith("ray::") and engine_ray.work.__name__ in name)
