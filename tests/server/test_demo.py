"""The demo: everything that it promises lies in its folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from isyarat.data import synthetic
from isyarat.data.lexicon import NO_SIGN
from isyarat.data.video import Image
from isyarat.server import demo
from isyarat.server.demo import SCRIPTS, run_demo
from isyarat.server.translator import Translator

Script = Callable[..., Translator]


@pytest.fixture(autouse=True)
def draw_quickly(monkeypatch: pytest.MonkeyPatch, small: synthetic.Scene) -> None:
    """A small picture will do."""
    monkeypatch.setattr("isyarat.data.synthetic.Scene", lambda: small)


def test_files(script: Script, tmp_path: Path) -> None:
    result = run_demo(script("HALO", "APA_KABAR"), tmp_path / "new" / "demo", 0)
    assert result.performed == SCRIPTS[0] == ("HALO", "APA_KABAR")
    assert [path.name for path in result.files] == ["clip.mp4", "grids.png", "result.json"]
    assert all(path.stat().st_size for path in result.files)
    assert cv2.imread(str(result.files[1])) is not None
    stored = json.loads(result.files[2].read_text(encoding="utf-8"))
    assert stored == result.to_dict()
    assert stored["performed"] == ["HALO", "APA_KABAR"]
    assert [g["gloss"] for g in stored["glosses"]] == ["HALO", "APA_KABAR"]
    text = result.describe()
    assert "performed:  HALO APA_KABAR" in text
    assert stored["sentence"] in text
    assert "isyarat translate" in text


def test_it_shows_what_was_recognised_not_what_was_performed(script: Script, tmp_path: Path) -> None:
    result = run_demo(script("SAYA", "MAKAN"), tmp_path, 0)
    assert "isyarat recognised:              SAYA MAKAN" in result.describe()
    silent = run_demo(script(NO_SIGN, NO_SIGN), tmp_path, 0)
    assert "isyarat recognised:              nothing" in silent.describe()
    assert "(none)" in silent.describe()


def test_it_says_when_it_was_misread(script: Script, tmp_path: Path) -> None:
    assert "not what was performed" in run_demo(script("HALO", "SAYA"), tmp_path / "wrong", 0).describe()
    assert "not what was performed" not in run_demo(script(*SCRIPTS[0]), tmp_path / "right", 0).describe()


def test_a_refused_sign_keeps_its_own_caption(script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    captions: list[list[str]] = []

    def note(grids: list[Image], glosses: list[str]) -> Image:
        captions.append(list(glosses))
        return np.zeros((8, 8, 3), np.uint8)

    monkeypatch.setattr(demo, "caption_grids", note)
    run_demo(script(NO_SIGN, "APA_KABAR"), tmp_path, 0)
    assert captions == [["no sign", "APA_KABAR"]]


@pytest.mark.parametrize("seed", range(len(SCRIPTS)))
def test_every_script_can_be_performed(seed: int) -> None:
    assert set(SCRIPTS[seed]) <= set(synthetic.GLOSSES)


def test_the_shipped_bundle_understands_the_demo(shipped: Translator, tmp_path: Path) -> None:
    result = run_demo(shipped, tmp_path, 0)
    assert tuple(sign.gloss for sign in result.translation.signs) == result.performed
    assert result.translation.sentence
