"""`isyarat data build --engine ray` on a cluster of two nodes, one of which is lost, against the local engine.

`python tests/benchmarks/build_ray.py [--clips 400]` starts both nodes on this machine (Ray's cluster_utils), builds,
takes the second node away in the middle, and compares the bytes. Written to results/build_ray.json.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import ray
from isyarat.data.builder.build import build_dataset
from isyarat.data.builder.engine import LocalEngine
from isyarat.data.builder.engine_ray import RayEngine
from isyarat.data.builder.settings import BuildSettings
from isyarat.data.builder.shard import Row
from isyarat.data.builder.work import Progress, ShardTask
from ray.cluster_utils import Cluster

RESULTS = Path(__file__).parent / "results" / "build_ray.json"
WAVER = Path(__file__).parents[1] / "data" / "builder" / "waver.py"


class LosingEngine(RayEngine):
    """Loses a node once some shards are there."""

    def __init__(self, cluster: Any, node: Any) -> None:
        super().__init__(cluster.address, 1)
        self.cluster, self.node = cluster, node
        self.lost_after = 0

    def run(self, tasks: Sequence[ShardTask], progress: Progress) -> Iterator[tuple[ShardTask, Row | None]]:
        for number, result in enumerate(super().run(tasks, progress), start=1):
            if number == len(tasks) // 4:
                self.lost_after = number
                # Without a warning, and beside the build, as a machine that loses its power.
                threading.Thread(target=self.cluster.remove_node, args=(self.node, False)).start()
            yield result


def read_tree(folder: Path) -> dict[str, bytes]:
    """Every file by its path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def main() -> None:
    """Measures and writes the file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--clips", type=int, default=400)
    clips = parser.parse_args().clips
    spec = importlib.util.spec_from_file_location("waver", WAVER)
    assert spec is not None
    assert spec.loader is not None
    waver = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(waver)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(clips):
            waver.write_waver(folder / "clips" / f"GLOSS{number % 20}" / f"{number:04d}.mp4", number)
        settings = BuildSettings(per_clip=3)
        started = time.perf_counter()
        build_dataset(folder / "clips", folder / "local", settings, LocalEngine(1))
        local_s = time.perf_counter() - started
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        node = cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        try:
            engine = LosingEngine(cluster, node)
            started = time.perf_counter()
            manifest = build_dataset(folder / "clips", folder / "ray", settings, engine)
            ray_s = time.perf_counter() - started
        finally:
            ray.shutdown()
            cluster.shutdown()
        same = read_tree(folder / "local") == read_tree(folder / "ray")
    result = {
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        "ray": ray.__version__, "nodes": 2, "node_lost_after_shards": engine.lost_after,
        "shards": len(manifest.shards), "clips": manifest.clips, "grids": manifest.grids, "errors": manifest.errors,
        "same_bytes_as_local": same, "local_s": round(local_s, 1), "ray_s": round(ray_s, 1),
    }  # fmt: skip
    print(json.dumps(result, indent=1))
    assert same
    assert engine.lost_after
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
