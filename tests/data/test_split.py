"""Splits that cannot leak."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isyarat.data.clip import ClipRecord
from isyarat.data.errors import IsyaratError
from isyarat.data.split import hash_file, split_by_clip

# What a clip shows (its bytes), its gloss and its signer; equal first numbers are copies under other names.
CLIPS = st.lists(st.tuples(st.integers(0, 25), st.sampled_from("AB"), st.sampled_from("XY")), max_size=40)


def make_clips(folder: Path, described: list[tuple[int, str, str]]) -> list[ClipRecord]:
    clips = []
    for index, (content, gloss, signer) in enumerate(described):
        path = folder / f"{index}.mp4"
        path.write_bytes(content.to_bytes(2, "big"))
        clips.append(ClipRecord(path=path, label=gloss, signer=signer))
    return clips


@settings(max_examples=60, deadline=None)
@given(CLIPS, st.floats(0.01, 0.99), st.integers(0, 3))
def test_split(described: list[tuple[int, str, str]], share: float, seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clips = make_clips(Path(folder), described)
        train, test = split_by_clip(clips, test_share=share, seed=seed)
        assert sorted(c.path for c in train + test) == sorted(c.path for c in clips)
        assert {hash_file(c.path) for c in train}.isdisjoint(hash_file(c.path) for c in test)
        assert split_by_clip(clips, test_share=share, seed=seed) == (train, test)
        # A content belongs to the group of its first clip; each group trains on at least one.
        contents: dict[tuple[str, str], set[int]] = defaultdict(set)
        home: dict[int, tuple[str, str]] = {}
        for content, gloss, signer in described:
            contents[home.setdefault(content, (gloss, signer))].add(content)
        trained = {int.from_bytes(c.path.read_bytes(), "big") for c in train}
        for group in contents.values():
            assert group & trained
            if len(group) > 1:
                assert group - trained


def test_names_and_order_do_not_matter(tmp_path: Path) -> None:
    """The split follows what the clips show, so that renaming or sorting anew keeps it."""
    described = [(k, "A", "X") for k in range(10)]
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = split_by_clip(make_clips(tmp_path / "a", described), test_share=0.3)[1]
    second = split_by_clip(make_clips(tmp_path / "b", described[::-1]), test_share=0.3)[1]
    assert {hash_file(c.path) for c in first} == {hash_file(c.path) for c in second}
    assert len(first) == 3


def test_seeds_differ(tmp_path: Path) -> None:
    clips = make_clips(tmp_path, [(k, "A", "X") for k in range(20)])
    splits = {tuple(sorted(c.path.name for c in split_by_clip(clips, test_share=0.3, seed=s)[1])) for s in range(5)}
    assert len(splits) == 5


def test_backgrounds_are_groups(tmp_path: Path) -> None:
    clips = make_clips(tmp_path, [(k, "A", "X") for k in range(8)])
    clips = [c.model_copy(update={"background": "green" if k < 4 else "beige"}) for k, c in enumerate(clips)]
    _, test = split_by_clip(clips, test_share=0.25)
    assert sorted(c.background for c in test) == ["beige", "green"]


def test_no_share_holds_nothing_out(tmp_path: Path) -> None:
    clips = make_clips(tmp_path, [(1, "A", "X"), (2, "A", "X")])
    assert split_by_clip(clips, test_share=0) == (clips, [])


@pytest.mark.parametrize("share", [-0.1, 1, 1.5])
def test_share_that_makes_no_split(share: float) -> None:
    with pytest.raises(IsyaratError, match="makes no split"):
        split_by_clip([], test_share=share)


def test_missing_clip(tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match="no such file"):
        split_by_clip([ClipRecord(path=tmp_path / "none.mp4")], test_share=0.5)
