"""`isyarat data build`, `check`, `stats`, `split`, `withdraw` and `schema`, as a user calls them."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from isyarat.cli import isyarat
from isyarat.data.clip import parse_conditions, read_clips, select_clips
from isyarat.data.folds import RULES

from .waver import draw_frames, write_frames


def call(*arguments: object) -> Result:
    """Runs the command line in process."""
    return CliRunner().invoke(isyarat, ["data", *(str(argument) for argument in arguments)])


@pytest.fixture(scope="module")
def grids(collection: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set with a planted copy of clip 04: re-encoded, smaller, trimmed, brighter, under another signer."""
    folder = tmp_path_factory.mktemp("commands")
    shutil.copytree(collection.parent, folder / "c")
    copy = [image[::, ::] for image in draw_frames(4, size=80)[4:-3]]
    write_frames(folder / "c" / "clips" / "copy.mp4", [(image * 0.8 + 40).astype("uint8") for image in copy], crf=36)
    with (folder / "c" / "clips.csv").open("a", encoding="utf-8") as file:
        file.write("clips/copy.mp4,SAYA,citra,grey,,,\n")
    result = call("build", folder / "c" / "clips.csv", "-o", folder / "grids", "--workers", 1, "--json")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert {name: facts[name] for name in ("clips", "grids", "errors", "shards")} == {
        "clips": 28, "grids": 26, "errors": 3, "shards": 8,
    }  # fmt: skip
    return folder / "grids"


def test_the_planted_copy_is_found(grids: Path) -> None:
    (table,) = (grids / "tables").glob("groups-*.jsonl")
    (group,) = (json.loads(line) for line in table.read_text(encoding="utf-8").splitlines())
    assert group["clips"] == ["clips/04.mp4", "clips/copy.mp4"]
    assert group["why"][0][2] == "same movement"


@pytest.mark.parametrize("rule", RULES)
def test_splits_are_clean_catalogues(grids: Path, tmp_path: Path, rule: str) -> None:
    path = tmp_path / f"{rule}.csv"
    result = call("split", grids, "--by", rule, "--folds", 3, "--clips", grids.parent / "c", "-o", path, "--json")
    assert result.exit_code == 0, result.output
    folds = json.loads(result.stdout)["folds"]
    assert len(folds) == {"clip": 1, "signer": 1, "leave-one-signer-out": 3, "background": 2, "folds": 3}[rule]
    assert all(fold["train"] + fold["test"] + fold["left_out"] == 26 and fold["test"] for fold in folds)
    checked = call("check", grids, "--split", path, *(["--by-signer"] if "signer" in rule else []))
    assert (checked.exit_code, checked.stdout) == (0, f"{grids}: whole, and its splits do not leak\n")
    # What `isyarat train --clips CSV --train-where part=train` does with it:
    clips = read_clips(path)
    column = "part" if len(folds) == 1 else folds[0]["fold"].replace(" ", "_")
    chosen = select_clips(clips, parse_conditions([f"{column}=test"]))
    assert len(chosen) == folds[0]["test"]
    assert all(clip.path.is_file() for clip in clips)


def test_a_split_of_somebody_else_that_leaks(grids: Path, tmp_path: Path) -> None:
    """Copies in training, as in a public landmark set; clips on both sides; signers on both sides."""
    path = tmp_path / "theirs.csv"
    path.write_text("path,part\nclips/04.mp4,train\nclips/copy.mp4,test\nclips/01.mp4,test\nclips/01.mp4,train\n")
    result = call("check", grids, "--split", path)
    assert result.exit_code == 1
    assert "2 test clips leak into training" in result.stdout
    assert "clips/copy.mp4: it shows the same as clips/04.mp4" in result.stdout
    assert "clips/01.mp4: the same clip" in result.stdout
    path.write_text("id,part\nclips/00.mp4,train\nclips/03.mp4,test\n")
    assert call("check", grids, "--split", path).exit_code == 0
    assert "the same signer, ani" in call("check", grids, "--split", path, "--by-signer").stdout
    for text, words in (("id,side\na,left\n", "says train or test"), ("id,part\nzzz,train\n", "none of its clips")):
        path.write_text(text)
        assert words in str(call("check", grids, "--split", path).exception)


def test_splits_of_the_folder_are_checked_and_withdrawn(grids: Path, tmp_path: Path) -> None:
    folder = tmp_path / "grids"
    shutil.copytree(grids, folder)
    assert call("split", folder, "--by", "leave-one-signer-out").exit_code == 0
    path = folder / "splits" / "leave-one-signer-out.csv"
    rows = list(csv.reader(path.open(encoding="utf-8")))
    assert rows[0][7:] == ["signer_ani", "signer_budi", "signer_citra", "why"]
    rows[1][7] = "test" if rows[1][7] == "train" else "train"
    csv.writer(path.open("w", encoding="utf-8", newline="")).writerows(rows)
    assert "leave-one-signer-out.csv, signer_ani" in call("check", folder).stdout
    result = call("withdraw", "budi", folder, "--workers", 1)
    assert result.exit_code == 0, result.output
    assert "8 clips of budi taken out, 20 left" in result.stdout
    assert f"{path}: deleted" in result.stdout
    assert "  clips/01.mp4" in result.stdout
    assert call("check", folder).exit_code == 0


def test_withdrawal_of_the_clips_themselves(grids: Path, tmp_path: Path) -> None:
    shutil.copytree(grids, tmp_path / "grids")
    shutil.copytree(grids.parent / "c", tmp_path / "c")
    result = call("withdraw", "citra", tmp_path / "grids", "--delete-clips", tmp_path / "c", "--workers", 1)
    assert "9 clips deleted" in result.stdout
    assert not (tmp_path / "c" / "clips" / "copy.mp4").exists()
    assert (tmp_path / "c" / "clips" / "00.mp4").exists()


@pytest.mark.parametrize("damage", ["flip", "cut", "lose", "index"])
def test_damage_is_found(grids: Path, tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "grids"
    shutil.copytree(grids, folder)
    path = sorted((folder / "shards").glob("*.tar"))[0]
    data = bytearray(path.read_bytes())
    if damage == "flip":
        data[len(data) // 3] ^= 4
        path.write_bytes(data)
    elif damage == "cut":
        path.write_bytes(data[:-100])
    elif damage == "lose":
        path.with_suffix(".jsonl").unlink()
    else:
        next((folder / "tables").glob("index-*")).unlink()
    result = call("check", folder)
    assert result.exit_code == 1
    assert (path.name if damage != "index" else "a table is missing") in result.stdout


def test_check_of_a_catalogue(collection: Path) -> None:
    result = call("check", collection)
    assert result.exit_code == 1
    assert "line 28 (clips/gone.mp4): there is no such file" in result.stdout
    assert "line 29 (clips/00.mp4): label: 'apa?' is not a gloss" in result.stdout
    assert "2 lines are wrong, 26 are right." in result.stdout
    faults = json.loads(call("check", collection, "--json").stdout)["faults"]
    assert len(faults) == 3
    assert call("check", collection, "--split", "x.csv").exit_code == 2
    assert "no such file" in str(call("check", collection.parent / "none.csv").exception)


def test_stats(grids: Path) -> None:
    facts = json.loads(call("stats", grids, "--json").stdout)
    assert (facts["clips"], facts["glosses"], facts["signers"]) == (26, 4, {"ani": 9, "budi": 8, "citra": 9})
    assert facts["consent"] == {"research": 24, "not stated": 2}
    assert facts["handedness"] == {"right": 24, "unknown": 2}
    assert 0.8 < facts["sign_s"]["median"] < 2.2
    assert "glosses of one signer: none" in call("stats", grids).stdout
    assert "it is no data set" in str(call("stats", grids.parent).exception)


def test_schema() -> None:
    assert json.loads(call("schema").stdout)["title"] == "isyarat clip record"


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (["--image-size", 225], 1, "multiple of patch_size"),
        (["--rendering", "oil"], 1, "There is no rendering"),
        (["--address", "auto"], 2, "--address is for --engine ray"),
        (["--where", "signer"], 1, "write it as FIELD=VALUE"),
        (["--per-clip", 0], 2, "0 is not in the range"),
    ],
)
def test_wrong_options(collection: Path, tmp_path: Path, options: list[object], status: int, words: str) -> None:
    result = call("build", collection, "-o", tmp_path / "grids", *options)
    assert result.exit_code == status
    assert words in result.output + str(result.exception)
    assert not (tmp_path / "grids").exists()
