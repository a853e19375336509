"""Settings: every mistake in the file is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from isyarat.data.errors import IsyaratError
from isyarat.training.settings import CONFIGS, load_settings

NANO = (CONFIGS / "nano.toml").read_text(encoding="utf-8")


def write(folder: Path, text: str) -> str:
    """A configuration file of one's own."""
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_nano() -> None:
    settings = load_settings("nano")
    assert settings.model == "nano"
    assert settings.rendering == "pose"
    assert 0 < settings.negatives < 0.5


def test_overrides_win(tmp_path: Path) -> None:
    path = write(tmp_path, NANO)
    assert load_settings(path) == load_settings("nano")
    assert load_settings(path, {"steps": 7}).steps == 7
    assert load_settings(path, {"learning_rate": 1}).learning_rate == 1, "a whole number is a number"


def test_no_such_configuration() -> None:
    with pytest.raises(IsyaratError, match=r"'giant'.*nano"):
        load_settings("giant")
    with pytest.raises(IsyaratError, match=r"'nowhere\.toml'.*nano"):
        load_settings("nowhere.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (NANO + "\nstep = 3\n", r"own\.toml: unknown settings step; there are .*steps"),
        (NANO.replace("clip_norm", "# clip_norm").replace("seed", "# seed"), "missing settings clip_norm, seed"),
        (NANO.replace('"nano"', "3"), "model = 3 has the wrong type"),
        (NANO.replace("batch = 32", "batch = 1.5"), r"batch = 1\.5 has the wrong type"),
        (NANO.replace("batch = 32", "batch = true"), "batch = True has the wrong type"),
        (NANO + "\n= 3", "no valid TOML"),
    ],
    ids=["unknown", "missing", "text", "whole", "truth", "toml"],
)
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(IsyaratError, match=message):
        load_settings(write(tmp_path, text))
