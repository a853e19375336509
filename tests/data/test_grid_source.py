"""Random access to a data set, with and without Grain."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from isyarat.data.builder.build import build_dataset
from isyarat.data.builder.engine import LocalEngine
from isyarat.data.builder.settings import BuildSettings
from isyarat.data.errors import IsyaratError
from isyarat.data.grid_source import GridSource

from .builder.waver import write_waver


@pytest.fixture(scope="module")
def grids(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    for k in range(6):
        write_waver(folder / "clips" / ("SAYA", "MAKAN")[k % 2] / f"{k}.mp4", k)
    build_dataset(folder / "clips", folder / "grids", BuildSettings(per_clip=2), LocalEngine(1))
    return folder / "grids"


def test_items(grids: Path) -> None:
    source = GridSource(grids)
    items = [source[k] for k in range(len(source))]
    assert len(items) == 12
    assert all(item["image"].shape == (224, 224, 3) and item["image"].dtype == np.uint8 for item in items)
    assert {(item["clip"], item["variant"]) for item in items} == {
        (f"{('SAYA', 'MAKAN')[k % 2]}/{k}.mp4", variant) for k in range(6) for variant in range(2)
    }
    assert all(item["clip"].startswith(item["gloss"]) for item in items)
    with pytest.raises(IndexError):
        source[12]


def test_one_side_of_a_split(grids: Path) -> None:
    source = GridSource(grids, {"SAYA/0.mp4", "MAKAN/3.mp4", "not there"})
    assert sorted((source[k]["clip"], source[k]["variant"]) for k in range(len(source))) == [
        ("MAKAN/3.mp4", 0), ("MAKAN/3.mp4", 1), ("SAYA/0.mp4", 0), ("SAYA/0.mp4", 1),
    ]  # fmt: skip


def test_goes_to_other_processes(grids: Path) -> None:
    source = GridSource(grids)
    first = source[3]  # a shard is mapped now
    again = pickle.loads(pickle.dumps(source))[3]
    assert np.array_equal(first["image"], again["image"])
    assert repr(source).endswith("12 grids)")


def test_many_threads_read_at_once(grids: Path) -> None:
    source = GridSource(grids)
    alone = [(source[k]["clip"], source[k]["image"].sum()) for k in range(12)]
    shared = GridSource(grids)
    with ThreadPoolExecutor(16) as pool:
        items = list(pool.map(shared.__getitem__, list(range(12)) * 40))
    assert [(item["clip"], item["image"].sum()) for item in items] == alone * 40


def test_grain_reads_it(grids: Path) -> None:
    grain = pytest.importorskip("grain")
    source = GridSource(grids)
    loaded = (
        grain.MapDataset.source(source).shuffle(seed=1).map(lambda item: (item["image"], item["clip"], item["variant"]))
    )
    batches = list(loaded.map(lambda item: item[0].astype(np.float32)).batch(4))
    assert [batch.shape for batch in batches] == [(4, 224, 224, 3)] * 3
    seen = [item[1:] for item in loaded]
    assert sorted(seen) == sorted((source[k]["clip"], source[k]["variant"]) for k in range(12))
    assert seen != [(source[k]["clip"], source[k]["variant"]) for k in range(12)]


def test_no_data_set(tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match="it is no data set"):
        GridSource(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(IsyaratError, match="it is damaged"):
        GridSource(tmp_path)
