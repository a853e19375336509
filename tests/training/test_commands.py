"""`isyarat train`: wrong use is explained before anything is written."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from isyarat.data.clip import ClipRecord
from isyarat.data.errors import IsyaratError
from isyarat.training.commands import train
from isyarat.training.run import Plan
from isyarat.training.settings import TrainSettings

HEADER = "path,label,role,signer,background\n"


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    """Four clips of two words, before two backgrounds; the files are not videos."""
    rows = []
    for gloss in ("APA", "SAYA"):
        for i, background in enumerate(("green", "green", "green", "beige")):
            name = f"{gloss}{i}.mp4"
            (tmp_path / name).write_text(name, encoding="utf-8")
            rows.append(f"{name},{gloss},words,A,{background}\n")
    path = tmp_path / "clips.csv"
    path.write_text(HEADER + "".join(rows), encoding="utf-8")
    return path


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Plan, TrainSettings, Path]]:
    """What would have been trained."""
    asked: list[tuple[Plan, TrainSettings, Path]] = []

    def note(plan: Plan, settings: TrainSettings, folder: Path, others: Sequence[ClipRecord]) -> dict[str, Any]:
        asked.append((plan, settings, folder))
        mistake = {"truth": "APA", "answer": "SAYA", "confidence": 0.61}
        return {"top1": {"k": 1, "n": 2}, "mistakes": [mistake]}

    monkeypatch.setattr("isyarat.training.run.train_run", note)
    return asked


def run(*arguments: object) -> Result:
    """Calls the command."""
    return CliRunner().invoke(train, [str(a) for a in arguments])


def test_a_split_by_clip(csv: Path, runs: list[tuple[Plan, TrainSettings, Path]], tmp_path: Path) -> None:
    result = run("nano", "--clips", csv, "-o", tmp_path / "run", "--steps", 7, "--seed", 3)
    assert result.exit_code == 0, result.output
    ((plan, settings, folder),) = runs
    assert (settings.steps, settings.seed, folder) == (7, 3, tmp_path / "run")
    assert plan.ship
    assert plan.test
    assert not {c.path for c in plan.train} & {c.path for c in plan.test}
    assert "1 of 2" in result.stdout
    assert "APA taken for SAYA (0.61)" in result.stdout
    assert "isyarat export litert" in result.stdout


def test_groups(csv: Path, runs: list[tuple[Plan, TrainSettings, Path]], tmp_path: Path) -> None:
    result = run(
        "nano", "--clips", csv, "-o", tmp_path, "--train-where", "background=green", "--test-where", "background=beige"
    )
    assert result.exit_code == 0, result.output
    ((plan, _, _),) = runs
    assert {c.background for c in plan.train} == {"green"}
    assert {c.background for c in plan.test} == {"beige"}
    assert not plan.ship


def test_one_group_alone_is_wrong_use(csv: Path, runs: list[tuple[Plan, TrainSettings, Path]]) -> None:
    result = run("nano", "--clips", csv, "--train-where", "background=green")
    assert result.exit_code == 2
    assert "go together" in result.output
    assert not runs


@pytest.mark.parametrize("arguments", [[], ["nano", "--seed", -1], ["nano", "--steps", 0], ["nano", "--loud"]])
def test_wrong_use(arguments: list[object], runs: list[tuple[Plan, TrainSettings, Path]]) -> None:
    assert run(*arguments).exit_code == 2
    assert not runs


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["giant"], r"'giant'.*nano"),
        (["nano", "--where", "role"], "no condition"),
        (["nano", "--test-share", "1.5"], "test share"),
        (["nano", "--clips", "nowhere.csv"], r"nowhere\.csv"),
    ],
)
def test_mistakes_are_named(
    csv: Path, runs: list[tuple[Plan, TrainSettings, Path]], arguments: list[str], message: str
) -> None:
    result = run(*arguments, *([] if "--clips" in arguments else ["--clips", csv]))
    assert isinstance(result.exception, IsyaratError)
    with pytest.raises(IsyaratError, match=message):
        raise result.exception
    assert not runs


@pytest.mark.parametrize("missing", ["jax", "flax", "optax", "orbax", "tokenizers"])
def test_a_missing_extra_is_named(csv: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    result = run("nano", "--clips", csv)
    assert isinstance(result.exception, IsyaratError)
    assert missing in str(result.exception)
    assert 'pip install ".[train]"' in str(result.exception)
