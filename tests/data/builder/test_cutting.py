"""One clip to its grids: which sign, which variants, what is said about them."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from isyarat.data.builder.cutting import ClipGrids, cut_clip, name_key
from isyarat.data.builder.settings import BuildSettings, digest, digest_settings
from isyarat.data.clip import ClipRecord
from isyarat.data.grid_spec import GridSpec
from isyarat.data.motion_grid import split_grid
from isyarat.data.operations import draw_variant, parse_operations
from isyarat.data.rendering import find_rendering
from isyarat.data.sign import cut_signs
from isyarat.data.video import Image, VideoReader

from .waver import draw_frames, write_frames

SHA = "0123456789abcdef" * 4


def cut(path: Path, settings: BuildSettings | None = None, **fields: object) -> ClipGrids:
    record = ClipRecord(path=path, **{"label": "SAYA"} | fields)  # type: ignore[arg-type]
    return cut_clip("a", record, settings or BuildSettings(), SHA)


def read_picture(png: bytes) -> Image:
    image = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB), np.uint8)


def test_first_grid_is_what_translate_sees(tmp_path: Path) -> None:
    path = write_frames(tmp_path / "a.mp4", draw_frames(1))
    result = cut(path)
    ((png, note),) = result.samples
    (sign,) = cut_signs(VideoReader(path), GridSpec(), find_rendering("pixels"))
    assert np.array_equal(read_picture(png), sign.draw_grid(GridSpec()).image)
    assert json.loads(note)["operations"] == []
    assert json.loads(note)["gloss"] == "SAYA"
    assert (result.facts["signs"], result.facts["frames"]) == (1, 50)
    assert len(result.track) > 40


def test_variants_carry_what_made_them(tmp_path: Path) -> None:
    """Every grid can be drawn again from the clip and the operations beside it."""
    path = write_frames(tmp_path / "a.mp4", draw_frames(1))
    result = cut(path, BuildSettings(per_clip=12, seed=5), handedness="right", mirrored=True)
    assert len(result.samples) == 12
    (sign,) = cut_signs(VideoReader(path), GridSpec(), find_rendering("pixels"))
    mirrors = 0
    for png, text in result.samples:
        note = json.loads(text)
        again = draw_variant(sign, GridSpec(), parse_operations(note["operations"]))
        assert np.array_equal(read_picture(png), again.image)
        turned = any(operation["op"] == "mirror" for operation in note["operations"])
        assert (note["handedness"], note["mirrored"]) == (("left", False) if turned else ("right", True))
        mirrors += turned
    assert 0 < mirrors < 12
    other = cut(path, BuildSettings(per_clip=12, seed=6))
    assert other.samples[1][1] != result.samples[1][1]
    assert cut(path, BuildSettings(per_clip=3, seed=5), handedness="right", mirrored=True).samples == result.samples[:3]


def test_several_signs_give_the_longest_and_a_doubt(tmp_path: Path) -> None:
    short = draw_frames(2)
    short = short[:8] + short[8:40:2] + short[-10:]
    result = cut(write_frames(tmp_path / "a.mp4", [*short, *draw_frames(1)]))
    assert result.facts["signs"] == 2
    assert result.facts["start_s"] > 1.5
    assert "2 signs in it; the longest was taken" in result.facts["doubts"]


def test_marked_signs(tmp_path: Path) -> None:
    path = write_frames(tmp_path / "a.mp4", draw_frames(1))
    result = cut(path, start_s=0.5, end_s=1.5)
    assert (result.facts["start_s"], result.facts["end_s"]) == (0.5, 1.5)
    times = json.loads(result.samples[0][1])["times_s"]
    assert (times[0], times[-1]) == (0.5, 1.5)
    assert cut(path, start_s=1.0).facts["end_s"] == pytest.approx(2.45)
    assert "it ends at 2.45 s, before start_s = 9.00" in cut(path, start_s=9, end_s=10).facts["error"]


def test_clips_without_movement(tmp_path: Path) -> None:
    path = write_frames(tmp_path / "a.mp4", draw_frames(1)[:1] * 40)
    assert "no movement of a sign" in cut(path).facts["error"]
    assert cut(path).samples == []
    result = cut(path, label="", is_none=True)
    assert len(result.samples) == 1
    assert len(np.unique(split_grid(read_picture(result.samples[0][0]), GridSpec())[:, 5, 5], axis=0)) == 1


def test_doubts(tmp_path: Path) -> None:
    dark = [(image * 0.15).astype(np.uint8) for image in draw_frames(1)]
    assert "very dark" in cut(write_frames(tmp_path / "dark.mp4", dark)).facts["doubts"]
    late = cut(write_frames(tmp_path / "late.mp4", draw_frames(1)[12:]))
    assert "it begins within the sign" in late.facts["doubts"]
    unnamed = cut(write_frames(tmp_path / "unnamed.mp4", draw_frames(1)), label="")
    assert any("it has no gloss" in doubt for doubt in unnamed.facts["doubts"])
    none = cut(tmp_path / "unnamed.mp4", label="", is_none=True)
    assert not any("it has no gloss" in doubt for doubt in none.facts["doubts"])
    few = cut(write_frames(tmp_path / "few.mp4", draw_frames(1)[::8], fps=3))
    assert any("frames of the sign" in doubt for doubt in few.facts["doubts"]) or few.facts["error"]


def test_keys_of_members() -> None:
    assert name_key("clips/a b.mp4") != name_key("clips/a_b.mp4")
    assert name_key("clips/ibu.é.mp4").startswith("clips_ibu___mp4-")
    assert len(name_key("x" * 500)) < 80


def test_digests_change_with_what_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    first = digest_settings(BuildSettings())
    assert digest_settings(BuildSettings(per_clip=2)) != first
    monkeypatch.setattr("isyarat.data.builder.settings.list_tools", lambda: {"av": "0"})
    assert digest_settings(BuildSettings()) != first
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
