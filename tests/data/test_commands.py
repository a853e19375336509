"""`isyarat grid` and `isyarat data synth`, as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest
from click.testing import CliRunner, Result
from isyarat.cli import isyarat, main
from isyarat.data import synthetic


def call(*arguments: object) -> Result:
    """Runs the command line in process."""
    return CliRunner().invoke(isyarat, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def two_signs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clip of SAYA, a rest, MAKAN."""
    path = tmp_path_factory.mktemp("clips") / "two.mp4"
    synthetic.write_clip(path, synthetic.perform(["SAYA", "MAKAN"]))
    return path


def test_grid_of_each_sign(two_signs: Path, tmp_path: Path) -> None:
    result = call("grid", two_signs, "-o", tmp_path / "g.png", "--json")
    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in result.output.splitlines()]
    assert [Path(row["grid"]).name for row in rows] == ["g-1.png", "g-2.png"]
    assert rows[0]["end_s"] < rows[1]["start_s"]
    for row in rows:
        assert cv2.imread(row["grid"]).shape == (224, 224, 3)
        assert len(row["times_s"]) == 9
        assert row["times_s"] == sorted(row["times_s"])


def test_grid_for_paligemma(two_signs: Path, tmp_path: Path) -> None:
    result = call("grid", two_signs, "-o", tmp_path / "g.png", "--image-size", 448, "--patch-size", 14)
    assert result.exit_code == 0
    assert cv2.imread(str(tmp_path / "g-1.png")).shape == (448, 448, 3)


def test_grid_of_nothing(tmp_path: Path) -> None:
    clip = tmp_path / "idle.mp4"
    synthetic.write_clip(clip, synthetic.idle(2.0, behaviour="still"))
    result = call("grid", clip, "-o", tmp_path / "g.png")
    assert result.exit_code == 1
    assert "no movement" in str(result.exception)
    assert not (tmp_path / "g.png").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--image-size", "225"], "multiple of patch_size"),
        (["--rendering", "oil"], "There is no rendering"),
        (["-o", "grid.bmp"], "end it in .png"),
    ],
)
def test_grid_wrong_options(two_signs: Path, options: list[str], words: str) -> None:
    result = call("grid", two_signs, *options)
    assert result.exit_code == 1
    assert words in str(result.exception)


def test_errors_are_one_line_and_status_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["isyarat", "grid", str(tmp_path / "missing.mp4")])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 1
    output = capsys.readouterr()
    assert output.err.count("\n") == 1
    assert "missing.mp4" in output.err
    assert "Traceback" not in output.err


def test_synth_prints_the_truth(tmp_path: Path) -> None:
    result = call("data", "synth", "saya makan", "-o", tmp_path / "a.mp4")
    assert result.exit_code == 0, result.output
    assert [line.split()[-1] for line in result.stdout.splitlines()] == ["SAYA", "MAKAN"]
    assert (tmp_path / "a.mp4").stat().st_size > 1000


def test_synth_idle_and_wrong_use(tmp_path: Path) -> None:
    assert call("data", "synth", "--idle", "empty", "--seconds", 0.5, "-o", tmp_path / "e.mp4").exit_code == 0
    assert call("data", "synth").exit_code == 2
    assert call("data", "synth", "SAYA", "--idle", "still").exit_code == 2
    assert call("data", "synth", "SAYA", "--seconds", -1).exit_code == 2
    unknown = call("data", "synth", "KAPAL", "-o", tmp_path / "k.mp4")
    assert unknown.exit_code == 1
    assert not (tmp_path / "k.mp4").exists()
