"""Precisions."""

from __future__ import annotations

from pathlib import Path

import pytest
from isyarat.data.errors import IsyaratError
from isyarat.export.quantise import TOLERANCES, quantise


def test_f32_is_a_copy(exported: Path, tmp_path: Path) -> None:
    source = exported / "litert" / "model_f32.tflite"
    quantise(source, "f32", tmp_path / "copy.tflite")
    assert (tmp_path / "copy.tflite").read_bytes() == source.read_bytes()


def test_int8_is_another_file(exported: Path, tmp_path: Path) -> None:
    quantise(exported / "litert" / "model_f32.tflite", "int8", tmp_path / "model.tflite")
    assert (tmp_path / "model.tflite").read_bytes() == (exported / "litert" / "model_int8.tflite").read_bytes()


def test_others_are_refused(exported: Path, tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match=rf"'int3'.*{', '.join(TOLERANCES)}"):
        quantise(exported / "litert" / "model_f32.tflite", "int3", tmp_path / "model.tflite")
    assert not list(tmp_path.iterdir())
