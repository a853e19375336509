"""A folder of frames is a clip."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from isyarat.data import synthetic
from isyarat.data.commands import grid
from isyarat.data.errors import ClipError, IsyaratError
from isyarat.data.image_sequence import list_pictures, natural_key
from isyarat.data.video import VideoReader


def paint(folder: Path, names: list[str]) -> Path:
    """Pictures whose grey level is their place in `names`."""
    folder.mkdir(exist_ok=True)
    for index, name in enumerate(names):
        cv2.imwrite(str(folder / name), np.full((24, 32, 3), 10 * index, np.uint8))
    return folder


def test_natural_order() -> None:
    names = ["a10.png", "a2.png", "a02.png", "a1.png", "b.png", "3.png", "20.png", "A3.png"]
    wanted = ["3.png", "20.png", "a1.png", "a02.png", "a2.png", "A3.png", "a10.png", "b.png"]
    assert sorted(names, key=natural_key) == wanted


@pytest.mark.parametrize("ending", [".png", ".jpg", ".webp", ".bmp", ".JPEG"])
def test_frames_in_order_at_the_given_rate(tmp_path: Path, ending: str) -> None:
    reader = VideoReader(paint(tmp_path / "f", [f"img{i}{ending}" for i in range(12)]), fps=50)
    frames = list(reader)
    assert [f.time_s for f in frames] == pytest.approx([0.02 * i for i in range(12)])
    assert [round(float(f.image.mean()) / 10) for f in frames] == list(range(12))
    assert reader.duration_s == pytest.approx(0.24)
    assert reader.frame_count == 12
    assert reader.warnings == []


def test_without_a_rate_it_says_what_it_assumed(tmp_path: Path) -> None:
    reader = VideoReader(paint(tmp_path / "f", ["1.png", "2.png"]))
    assert [f.time_s for f in reader] == pytest.approx([0.0, 1 / 30])
    assert reader.warnings == ["a folder has no clock: 30 frames a second were assumed"]


def test_other_files_are_left_out(tmp_path: Path) -> None:
    folder = paint(tmp_path / "f", ["1.png", "2.png", ".hidden.png"])
    (folder / "notes.txt").write_text("Halo")
    (folder / "Thumbs.db").write_bytes(b"\0")
    assert [p.name for p in list_pictures(folder)] == ["1.png", "2.png"]


def test_picture_that_cannot_be_read_leaves_a_gap(tmp_path: Path) -> None:
    folder = paint(tmp_path / "f", ["1.png", "2.png", "3.png"])
    (folder / "2.png").write_bytes(b"\0" * 99)
    reader = VideoReader(folder, fps=10)
    assert [f.time_s for f in reader] == pytest.approx([0.0, 0.2])
    assert reader.warnings == ["1 of its 3 pictures cannot be read and were skipped"]


def test_nothing_can_be_read(tmp_path: Path) -> None:
    folder = paint(tmp_path / "f", ["1.png"])
    (folder / "1.png").write_bytes(b"\0" * 99)
    with pytest.raises(ClipError, match="none of its pictures can be read"):
        list(VideoReader(folder))


def test_folder_without_pictures(tmp_path: Path) -> None:
    with pytest.raises(ClipError, match="this is a folder without pictures, not a clip; name the clips in it"):
        VideoReader(tmp_path)


@pytest.mark.parametrize("fps", [0, -1, float("nan"), 5000])
def test_rate_that_is_none(tmp_path: Path, fps: float) -> None:
    with pytest.raises(IsyaratError, match="is no rate"):
        VideoReader(paint(tmp_path / "f", ["1.png"]), fps=fps)


def test_grid_of_a_folder(tmp_path: Path) -> None:
    """`isyarat grid frames/ --fps 25`."""
    folder = tmp_path / "frames"
    folder.mkdir()
    show = synthetic.perform(["HALO"], rest_s=0.4, scene=synthetic.Scene(width=160, height=120, fps=25.0))
    for index, (_, image) in enumerate(show.frames()):
        cv2.imwrite(str(folder / f"{index}.png"), image[..., ::-1])
    arguments = [str(folder), "-o", str(tmp_path / "g.png"), "--json"]
    result = CliRunner().invoke(grid, [*arguments, "--fps", "25"])
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    (truth,) = show.truth
    assert record["start_s"] == pytest.approx(truth.start_s, abs=0.3)
    assert record["end_s"] == pytest.approx(truth.end_s, abs=0.3)
    assumed = CliRunner().invoke(grid, arguments)
    assert "30 frames a second were assumed" in assumed.stderr
    assert json.loads(assumed.stdout)["end_s"] < record["end_s"]
