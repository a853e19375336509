"""The model files are there, are the right ones, and anything else is one clear sentence."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from isyarat.data.errors import IsyaratError
from isyarat.data.pose import models
from isyarat.data.pose.models import FOLDER, HAND_RECROP, SHA256, Model, find_model


@pytest.mark.parametrize("name", SHA256)
def test_every_file_is_the_tested_one(name: str) -> None:
    assert find_model(name).is_file()


def test_the_notice_names_every_file_and_its_checksum() -> None:
    notice = (FOLDER / "NOTICE").read_text(encoding="utf-8")
    for name, digest in SHA256.items():
        assert name in notice
        assert digest in notice
    assert "Apache License, Version 2.0" in notice
    assert {path.name for path in FOLDER.iterdir()} == {*SHA256, "NOTICE"}


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match=r"hand_recrop\.tflite: .* cannot be read .*; install isyarat again\.$"):
        find_model(HAND_RECROP, tmp_path)


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_file(tmp_path: Path, damage: str) -> None:
    path = tmp_path / HAND_RECROP
    shutil.copy(FOLDER / HAND_RECROP, path)
    content = bytearray(path.read_bytes())
    if damage == "cut":
        del content[-100:]
    else:
        content[5000] ^= 1
    path.write_bytes(content)
    with pytest.raises(IsyaratError, match=r"hand_recrop\.tflite: .* is damaged; install isyarat again\.$"):
        find_model(HAND_RECROP, tmp_path)


def test_a_file_that_the_runtime_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "other.tflite"
    path.write_bytes(b"not a model")
    monkeypatch.setattr(models, "find_model", lambda name: path)
    with pytest.raises(IsyaratError, match=r"other\.tflite: LiteRT cannot run .*; install isyarat again\.$"):
        Model("other.tflite")


def test_a_file_is_read_once_per_process(monkeypatch: pytest.MonkeyPatch) -> None:
    find_model(HAND_RECROP)
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail("it was read again"))
    find_model(HAND_RECROP)


def test_outputs_come_by_name() -> None:
    model = Model(HAND_RECROP)
    assert model.side == 256
    (crop,) = model.run(np.zeros((256, 256, 3), np.float32), "output_crop")
    assert crop.shape == (1, 1, 4)
