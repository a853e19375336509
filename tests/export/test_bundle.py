"""The format: what is wrong with a bundle is said in a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from isyarat.data.errors import IsyaratError
from isyarat.export.bundle import Bundle, list_files, write_manifest


def edit(folder: Path, **changes: Any) -> None:
    """Changes entries of bundle.json; None deletes one."""
    path = folder / "bundle.json"
    values = json.loads(path.read_text(encoding="utf-8")) | changes
    path.write_text(json.dumps({k: v for k, v in values.items() if v is not None}), encoding="utf-8")


def test_open(bundle: Bundle) -> None:
    assert bundle.lexicon.glosses == ["APA", "APA_KABAR", "SAYA"]
    assert bundle.manifest.grid.spec.image_size == 112
    assert bundle.check_files() == []
    assert bundle.find_model().name == "model_int8.tflite"
    assert bundle.find_model("f32").name == "model_f32.tflite"
    with pytest.raises(IsyaratError, match=r"'fp7'.*f32, int8"):
        bundle.find_model("fp7")


def test_every_file_is_listed(bundle: Bundle) -> None:
    assert bundle.manifest.files == list_files(bundle.folder)
    assert set(bundle.manifest.files) == {
        "MODEL_CARD.md",
        "golden/golden.json",
        "golden/grid.png",
        "litert/model_f32.tflite",
        "litert/model_int8.tflite",
        "tokenizer.json",
    }


def test_writing_again_gives_the_same_bytes(copied: Path) -> None:
    before = (copied / "bundle.json").read_bytes()
    write_manifest(copied, Bundle.open(copied).manifest)
    assert (copied / "bundle.json").read_bytes() == before


def test_no_bundle(tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match=r"nowhere.*no bundle\.json"):
        Bundle.open(tmp_path / "nowhere")


@pytest.mark.parametrize("text", ["{", "\x00\x01", '{"format": 1'])
def test_damaged(copied: Path, text: str) -> None:
    (copied / "bundle.json").write_text(text, encoding="utf-8")
    with pytest.raises(IsyaratError, match="damaged"):
        Bundle.open(copied)


@pytest.mark.parametrize("number", [2, 0, "1", None])
def test_another_format(copied: Path, number: object) -> None:
    edit(copied, format=number)
    with pytest.raises(IsyaratError, match="format is not 1"):
        Bundle.open(copied)


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"temperature": 0}, "temperature"),
        ({"threshold": 1.5}, "threshold"),
        ({"prompt": None}, "prompt"),
        ({"surprise": 1}, "surprise"),
        ({"grid": {"image_size": 112}}, r"grid\.patch_size"),
    ],
)
def test_wrong_entries_are_named(copied: Path, changes: dict[str, Any], where: str) -> None:
    edit(copied, **changes)
    with pytest.raises(IsyaratError, match=rf"bundle\.json: {where}: .*export the bundle again"):
        Bundle.open(copied)


def test_a_list_is_no_bundle(copied: Path) -> None:
    (copied / "bundle.json").write_text("[]", encoding="utf-8")
    with pytest.raises(IsyaratError, match="format"):
        Bundle.open(copied)


def test_a_flipped_bit_is_found(copied: Path) -> None:
    path = copied / "litert" / "model_f32.tflite"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert Bundle.open(copied).check_files() == ["litert/model_f32.tflite: its content has changed"]


def test_missing_and_cut_off_files_are_found(copied: Path) -> None:
    (copied / "tokenizer.json").unlink()
    path = copied / "golden" / "grid.png"
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[:100])
    faults = Bundle.open(copied).check_files()
    assert faults == [f"golden/grid.png: 100 bytes instead of {size}", "tokenizer.json: missing"]
