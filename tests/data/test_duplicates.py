"""Copies are found by what they show, however they were changed; other takes are not taken for them."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isyarat.data import duplicates, synthetic
from isyarat.data.duplicates import (
    Tracker,
    find_copies,
    flip_energy,
    flip_track,
    join_groups,
    link_equal,
    map_energy,
    match_tracks,
)
from isyarat.data.rendering import find_rendering
from isyarat.data.video import Image, VideoReader

from .builder.waver import draw_frames, write_frames

Tracks = dict[str, duplicates.Track]


def brighten(image: Image) -> Image:
    return np.clip(image.astype(float) * 1.35 + 8, 0, 255).astype(np.uint8)


COPIES = {
    "encoded": lambda frames: (frames, 40, 40),
    "scaled": lambda frames: ([cv2.resize(f, (54, 54), interpolation=cv2.INTER_AREA) for f in frames], 40, 23),
    "start trimmed": lambda frames: (frames[26:], 40, 23),
    "end trimmed": lambda frames: (frames[:68], 40, 23),
    "brightened": lambda frames: ([brighten(f) for f in frames], 40, 23),
    "half the rate": lambda frames: (frames[::2], 20, 23),
    "mirrored": lambda frames: ([f[:, ::-1] for f in frames], 40, 23),
}


def track_clip(path: Path) -> duplicates.Track:
    tracker = Tracker()
    keep = tracker.watch_rendering(find_rendering("pixels")).keep
    for frame in tracker.watch(VideoReader(path)):
        keep(frame.image, 64)
    return tracker.track()


@pytest.fixture(scope="module")
def tracks(tmp_path_factory: pytest.TempPathFactory) -> Tracks:
    """24 clips, and every kind of copy of the first three (at 40 frames a second, so that half of it is 20)."""
    folder = tmp_path_factory.mktemp("copies")
    made = {}
    for seed in range(24):
        frames = draw_frames(seed, fps=40)
        made[f"{seed}"] = track_clip(write_frames(folder / f"{seed}.mp4", frames, fps=40))
        if seed < 3:
            for kind, change in COPIES.items():
                images, fps, crf = change(frames)
                made[f"{seed} {kind}"] = track_clip(
                    write_frames(folder / f"{seed}-{kind}.mp4", images, fps=fps, crf=crf)
                )
    return made


def find(tracks: Tracks) -> set[frozenset[str]]:
    names = list(tracks)
    energies = np.stack([map_energy(tracks[name]) for name in names])
    return {frozenset((names[i], names[j])) for i, j, _ in find_copies(energies, lambda k: tracks[names[k]])}


@pytest.mark.parametrize("kind", list(COPIES))
def test_planted_copies_are_found(tracks: Tracks, kind: str) -> None:
    found = find(tracks)
    for seed in range(3):
        assert {str(seed), f"{seed} {kind}"} in found


def test_others_are_not(tracks: Tracks) -> None:
    assert not [pair for pair in find(tracks) if len({name.split()[0] for name in pair}) > 1]


def test_blocks_change_nothing(tracks: Tracks, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = find(tracks)
    monkeypatch.setattr(duplicates, "BLOCK", 7)
    assert find(tracks) == whole


def test_other_takes_of_the_synthetic_signer(tmp_path: Path) -> None:
    """The same person, sign and room, performed anew: near, but not the same; a re-encoded copy is."""
    made = []
    for seed in (1, 2):
        show = synthetic.perform(["SAYA"], rest_s=0.4, seed=seed)
        made.append(track_clip(synthetic.write_clip(tmp_path / f"{seed}.mp4", show)))
    copy = track_clip(
        synthetic.write_clip(tmp_path / "copy.mp4", synthetic.perform(["SAYA"], rest_s=0.4, seed=1), crf=40)
    )
    assert match_tracks(made[0], copy) > 0.97
    assert match_tracks(made[0], made[1]) < match_tracks(made[0], copy)


def test_alignment() -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(-100, 100, (60, 64)).astype(np.int8)
    assert match_tracks(first, first) == pytest.approx(1)
    assert match_tracks(first, first[20:]) == pytest.approx(1)
    assert match_tracks(first[5:45], first) == pytest.approx(1)
    assert abs(match_tracks(first, rng.integers(-100, 100, (60, 64)).astype(np.int8))) < 0.2
    assert match_tracks(first, first[:3]) == -1  # a moment in common is no copy
    assert match_tracks(first, first[:0]) == -1
    assert np.array_equal(flip_track(flip_track(first)), first)
    assert np.allclose(map_energy(flip_track(first)), flip_energy(map_energy(first)), atol=1e-5)
    assert not map_energy(first[:0]).any()


def test_clips_without_movement_are_no_copies_of_each_other() -> None:
    assert not list(find_copies(np.zeros((5, 64), np.float32), lambda number: np.zeros((0, 64), np.int8)))


@given(st.integers(1, 12), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20))
def test_groups(count: int, pairs: list[tuple[int, int]]) -> None:
    names = [f"{k:02d}" for k in range(count)]
    links = [(i % count, j % count) for i, j in pairs]
    groups = join_groups(names, links)
    assert all(groups[i] == groups[j] for i, j in links)
    assert all(group <= name and groups[names.index(group)] == group for name, group in zip(names, groups, strict=True))
    assert join_groups(names, []) == names


def test_links_of_equal_keys() -> None:
    assert link_equal(["a", "", "b", "a", "", "a"]) == [(0, 3), (0, 5)]
