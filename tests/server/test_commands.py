"""`isyarat translate`, `sentence`, `evaluate` and `demo`, as a shell calls them."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from isyarat.data import synthetic
from isyarat.server.translator import Translator

Call = Callable[..., Any]
TwoSigns = tuple[Path, synthetic.Performance]


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch, script: Callable[..., Translator]) -> None:
    """No weights: every sign is SAYA."""
    monkeypatch.setattr("isyarat.server.commands.load_translator", lambda *_: script(*["SAYA"] * 20))


def test_translate(isyarat: Call, two_signs: TwoSigns) -> None:
    result = isyarat("translate", two_signs[0])
    assert result.status == 0
    assert result.out.startswith(f"{two_signs[0]}: Saya")
    assert result.out.count("SAYA") >= 2
    assert result.err == ""


def test_translate_as_json(isyarat: Call, two_signs: TwoSigns) -> None:
    result = isyarat("translate", two_signs[0], two_signs[0], "--json")
    records = [json.loads(line) for line in result.out.splitlines()]
    assert len(records) == 2
    assert [g["gloss"] for g in records[0]["glosses"]] == ["SAYA", "SAYA"]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("missing", "no such file"),
        ("folder", "folder"),
        ("text", "text file"),
        ("empty", "empty"),
        ("cut off", "cut off"),
        ("sound", "no video"),
    ],
)
def test_an_unreadable_clip_is_one_line_and_the_others_are_translated(
    isyarat: Call, two_signs: TwoSigns, tmp_path: Path, kind: str, reason: str
) -> None:
    bad = tmp_path / "bad.mp4"
    if kind == "folder":
        bad.mkdir()
    elif kind == "text":
        bad.write_text("Ini bukan video.\n" * 50, encoding="utf-8")
    elif kind == "empty":
        bad.touch()
    elif kind == "cut off":
        bad.write_bytes(two_signs[0].read_bytes()[:4000])
    elif kind == "sound":
        write_sound(bad)
    result = isyarat("translate", bad, two_signs[0], "--json")
    assert result.status == 1
    (line,) = result.err.splitlines()
    assert line.startswith(f"isyarat: {bad}: ")
    assert reason in line
    assert "Traceback" not in result.err
    (record,) = result.out.splitlines()
    assert json.loads(record)["clip"] == str(two_signs[0])


def write_sound(path: Path) -> None:
    """A second of silence without a picture."""
    import av
    import numpy as np

    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=8000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 8000), np.float32), format="fltp", layout="mono")
        frame.sample_rate = 8000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def test_nothing_signed_says_why(isyarat: Call, small: synthetic.Scene, tmp_path: Path) -> None:
    clip = synthetic.write_clip(tmp_path / "still.mp4", synthetic.idle(2.0, scene=small))
    result = isyarat("translate", clip)
    assert result.status == 0
    assert "no sign" in result.out
    assert "Nothing moves" in result.out


def test_a_name_that_is_no_text(isyarat: Call, two_signs: TwoSigns, tmp_path: Path) -> None:
    """Names on disk are bytes; they must not end the call."""
    import os
    import shutil

    name = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.mp4")
    shutil.copyfile(two_signs[0], name)
    for options in ([], ["--json"]):
        result = isyarat("translate", name, two_signs[0], *options)
        assert result.status == 0, result.err
        assert str(two_signs[0]) in result.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["translate"],
        ["translate", "a.mp4", "--loud"],
        ["sentence"],
        ["sentence", "SAYA", "--input", "-"],
        ["sentence", "--input", "nowhere.txt"],
        ["evaluate"],
        ["demo", "--seed", "many"],
        ["demo", "--seed", "-1"],
        ["dance"],
    ],
    ids=" ".join,
)
def test_wrong_use(isyarat: Call, arguments: list[str]) -> None:
    result = isyarat(*arguments)
    assert result.status == 2
    assert "Usage:" in result.err
    assert result.out == ""


def test_sentence(isyarat: Call) -> None:
    assert isyarat("sentence", "SAYA MAKAN").out == "Saya makan.\n"
    record = json.loads(isyarat("sentence", "SAYA MAKAN", "--json").out)
    assert record == {"glosses": ["SAYA", "MAKAN"], "sentence": "Saya makan.", "backend": "rules"}


def test_sentences_of_a_file(isyarat: Call, tmp_path: Path) -> None:
    source = tmp_path / "glosses.txt"
    source.write_text("SAYA MAKAN\n\nSELAMAT_PAGI\n", encoding="utf-8")
    result = isyarat("sentence", "--input", source, "--json")
    assert result.status == 0
    assert [json.loads(line)["glosses"] for line in result.out.splitlines()] == [["SAYA", "MAKAN"], ["SELAMAT_PAGI"]]


def test_sentences_of_standard_input(isyarat: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"SAYA MAKAN\nSAYA TIDUR\n"), encoding="utf-8"))
    result = isyarat("sentence", "--input", "-")
    assert result.out == "Saya makan.\nSaya tidur.\n"


def test_a_wrong_line_is_named_and_the_others_are_composed(isyarat: Call, tmp_path: Path) -> None:
    source = tmp_path / "glosses.txt"
    source.write_text("SAYA MAKAN\n)(*&\nSAYA TIDUR\n", encoding="utf-8")
    result = isyarat("sentence", "--input", source)
    assert result.status == 1
    assert result.out == "Saya makan.\nSaya tidur.\n"
    assert result.err.startswith("isyarat: line 2: ")


def test_a_file_that_is_no_text_is_named(isyarat: Call, tmp_path: Path) -> None:
    source = tmp_path / "glosses.txt"
    source.write_bytes(b"SAYA MAKAN\n\xff\xfe\x00\n")
    result = isyarat("sentence", "--input", source)
    assert result.status == 1
    assert "glosses.txt" in result.err
    assert "UTF-8" in result.err
    assert "Traceback" not in result.err


def test_another_grammar_is_named(isyarat: Call) -> None:
    result = isyarat("sentence", "SAYA", "--grammar", "poetry")
    assert result.status == 1
    assert "poetry" in result.err
    assert "rules" in result.err


@pytest.fixture
def csv(two_signs: TwoSigns, tmp_path: Path) -> Path:
    """One clip that can be read, one that cannot."""
    path = tmp_path / "clips.csv"
    path.write_text(f"path,label,role\n{two_signs[0]},SAYA,words\nnowhere.mp4,HALO,other\n", encoding="utf-8")
    return path


def test_evaluate(isyarat: Call, csv: Path, tmp_path: Path) -> None:
    report = tmp_path / "new" / "report.json"
    result = isyarat("evaluate", csv, "--json", report)
    assert result.status == 1, "a clip could not be read"
    assert "top-1: 0 of 1" in result.out
    assert "could not be read (not counted above): 1" in result.out
    assert [p["label"] for p in json.loads(report.read_text(encoding="utf-8"))["predictions"]] == ["SAYA", "HALO"]


def test_evaluate_a_part(isyarat: Call, csv: Path) -> None:
    assert "other" not in isyarat("evaluate", csv, "--where", "role=words").out
    result = isyarat("evaluate", csv, "--where", "role=nothing")
    assert result.status == 1
    assert "no clip meets the conditions" in result.err


def test_a_report_that_cannot_be_written_is_said_before_the_work(isyarat: Call, csv: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = isyarat("evaluate", csv, "--json", tmp_path / "file" / "report.json")
    assert result.status == 1
    assert "top-1" not in result.out
    assert result.err.startswith("isyarat: ")
    assert "Traceback" not in result.err


def test_demo(isyarat: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: synthetic.Scene) -> None:
    monkeypatch.setattr("isyarat.data.synthetic.Scene", lambda: small)
    result = isyarat("demo", "-o", tmp_path / "demo")
    assert result.status == 0
    assert "HALO APA_KABAR" in result.out
    assert (tmp_path / "demo" / "result.json").is_file()
    record = json.loads(isyarat("demo", "-o", tmp_path / "demo", "--json").out)
    assert record["performed"] == ["HALO", "APA_KABAR"]


def test_a_place_that_cannot_be_written_is_named(isyarat: Call, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = isyarat("demo", "-o", tmp_path / "file")
    assert result.status == 1
    assert result.err.startswith("isyarat: ")
    assert str(tmp_path / "file") in result.err
    assert "Traceback" not in result.err
