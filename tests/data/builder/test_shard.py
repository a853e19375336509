"""Shards: ordinary tars whose bytes depend on their content alone."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import numpy as np
from isyarat.data.builder.shard import Row, ShardWriter, is_intact, read_head, read_rows, read_samples, read_track


def write(folder: Path, name: str = "00000-a") -> Row:
    writer = ShardWriter(folder, name)
    writer.add_clip({"id": "one"}, "one-key", [(b"png1", b"{}"), (b"png22", b"{} ")], np.ones((3, 64), np.int8))
    writer.add_clip({"id": "broken", "error": "x"}, "b-key", [], np.zeros((0, 64), np.int8))
    writer.add_clip({"id": "two"}, "two-key", [(b"png3" * 400, b"[]")], np.full((2, 64), 7, np.int8))
    return writer.close()


def test_round_trip(tmp_path: Path) -> None:
    head = write(tmp_path)
    assert (head["clips"], head["grids"]) == (3, 3)
    assert read_head(tmp_path, "00000-a") == head
    assert is_intact(tmp_path, head)
    one, broken, two = read_rows(tmp_path, "00000-a")
    assert read_samples(tmp_path, "00000-a", one) == [(b"png1", b"{}"), (b"png22", b"{} ")]
    assert read_samples(tmp_path, "00000-a", broken) == []
    assert read_samples(tmp_path, "00000-a", two) == [(b"png3" * 400, b"[]")]
    assert read_track(tmp_path, "00000-a", one).shape == (3, 64)
    assert (read_track(tmp_path, "00000-a", two) == 7).all()


def test_any_tool_can_look_inside(tmp_path: Path) -> None:
    write(tmp_path)
    with tarfile.open(tmp_path / "00000-a.tar") as tar:
        assert tar.getnames() == [
            "one-key-0000.png", "one-key-0000.json", "one-key-0001.png", "one-key-0001.json", "two-key-0000.png",
            "two-key-0000.json",
        ]  # fmt: skip
        member = tar.extractfile("two-key-0000.json")
        assert isinstance(member, io.BufferedReader)
        assert json.loads(member.read()) == []


def test_bytes_depend_on_content_alone(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()
    write(tmp_path / "x")
    write(tmp_path / "y")
    for ending in ("tar", "npy", "jsonl"):
        assert (tmp_path / "x" / f"00000-a.{ending}").read_bytes() == (
            tmp_path / "y" / f"00000-a.{ending}"
        ).read_bytes()


def test_nothing_shows_before_it_is_complete(tmp_path: Path) -> None:
    writer = ShardWriter(tmp_path, "00000-a")
    writer.add_clip({"id": "one"}, "k", [(b"p", b"{}")], np.zeros((0, 64), np.int8))
    assert not (tmp_path / "00000-a.tar").exists()
    assert read_head(tmp_path, "00000-a") is None
    writer.discard()
    assert list(tmp_path.iterdir()) == []


def test_damage_is_noticed(tmp_path: Path) -> None:
    head = write(tmp_path)
    path = tmp_path / "00000-a.tar"
    data = path.read_bytes()
    path.write_bytes(data[:600] + b"x" + data[601:])
    assert read_head(tmp_path, "00000-a") == head  # the size is right …
    assert not is_intact(tmp_path, head)  # … the bytes are not
    path.write_bytes(data[:-1])
    assert read_head(tmp_path, "00000-a") is None
