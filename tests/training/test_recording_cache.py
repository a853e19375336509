"""Recordings on disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from isyarat.data.grid_spec import GridSpec
from isyarat.training.recording_cache import RecordingCache


@pytest.fixture
def cache(tmp_path: Path) -> RecordingCache:
    return RecordingCache(tmp_path / "recordings", GridSpec(24, 8), "pose")


def test_made_once(cache: RecordingCache) -> None:
    made: list[str] = []

    def make(job: str) -> str:
        made.append(job)
        return job.upper()

    assert [cache.find("a", "clip", make) for _ in range(3)] == ["CLIP"] * 3
    assert made == ["clip"]
    assert not list(cache.folder.glob("*.part"))


def test_other_keys_renderings_and_grids_have_their_own(cache: RecordingCache) -> None:
    others = [
        cache,
        RecordingCache(cache.folder, cache.spec, "pixels"),
        RecordingCache(cache.folder, GridSpec(48, 16), "pose"),
    ]
    answers = [c.find(key, i, str) for i, (c, key) in enumerate((c, key) for c in others for key in "ab")]
    assert answers == ["0", "1", "2", "3", "4", "5"]


def test_a_damaged_file_is_made_again(cache: RecordingCache) -> None:
    cache.find("a", 1, str)
    (path,) = cache.folder.iterdir()
    path.write_bytes(b"")
    assert cache.find("a", 2, str) == "2"
    assert cache.find("a", 3, str) == "2"
