"""Clip records and their CSV form."""

from __future__ import annotations

from pathlib import Path

import pytest
from isyarat.data.clip import ClipRecord, parse_conditions, read_clips, select_clips
from isyarat.data.errors import IsyaratError
from pydantic import ValidationError


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_text(text, encoding=encoding)
    return path


def test_reads_a_csv(tmp_path: Path) -> None:
    path = write(
        tmp_path / "clips.csv",
        "path,role,label,signer,background,mirrored,fps\n"
        "words/a.mp4,words,terima kasih,A,green,true,29.97\n"
        "idle/b.mp4,no_signing,,B,,,\n",
    )
    first, second = read_clips(path)
    assert first.path == tmp_path / "words" / "a.mp4"
    assert first.gloss == "TERIMA_KASIH"
    assert first.mirrored
    assert first.describe("fps") == "29.97"  # columns beyond the schema are kept
    assert second.gloss == ""
    assert (second.background, second.system, second.handedness, second.licence) == (
        "",
        "bisindo",
        "unknown",
        "none stated",
    )


def test_column_gloss_and_byte_order_mark(tmp_path: Path) -> None:
    path = write(tmp_path / "clips.csv", "path,gloss\na.mp4,APA_KABAR\n", "utf-8-sig")
    assert [clip.gloss for clip in read_clips(path)] == ["APA_KABAR"]


@pytest.mark.parametrize(
    ("written", "gloss"),
    [("halo", "HALO"), (" terima  kasih ", "TERIMA_KASIH"), ("KERETA-API", "KERETA-API"), ("angka_1", "ANGKA_1")],
)
def test_glosses_are_normalised(written: str, gloss: str) -> None:
    assert ClipRecord(path=Path("a"), label=written).gloss == gloss


@pytest.mark.parametrize("written", ["_", "A__B", "apa?", "../A", "A_"])
def test_what_is_no_gloss(written: str) -> None:
    with pytest.raises(ValidationError):
        ClipRecord(path=Path("a"), label=written)


@pytest.mark.parametrize(
    ("lines", "number", "column"),
    [
        (["a.mp4,halo,bisindo", "b.mp4,apa?,bisindo"], 3, "label"),
        (["a.mp4,halo,asl"], 2, "system"),
        (["a.mp4,halo,sibi", "b.mp4,halo,bisindo", ",halo,bisindo"], 4, "path"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, lines: list[str], number: int, column: str) -> None:
    path = write(tmp_path / "clips.csv", "\n".join(["path,label,system", *lines]) + "\n")
    with pytest.raises(IsyaratError, match=rf"clips\.csv, line {number}, {column}: .*; correct that line\.$"):
        read_clips(path)


def test_errors_name_the_line_after_quoted_line_breaks_and_blank_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "clips.csv", 'path,label,source\na.mp4,halo,"two\nlines"\n\nb.mp4,apa?,x\n')
    with pytest.raises(IsyaratError, match="line 5, label"):
        read_clips(path)


def test_row_with_too_many_values(tmp_path: Path) -> None:
    path = write(tmp_path / "clips.csv", "path,label\na.mp4,halo,what,is,this\n")
    with pytest.raises(IsyaratError, match=r"line 2: .*more values than"):
        read_clips(path)


@pytest.mark.parametrize(
    ("text", "has"), [("", "none"), ("file,label\n", "file, label"), ("path,role\n", "path, role")]
)
def test_missing_columns(tmp_path: Path, text: str, has: str) -> None:
    with pytest.raises(IsyaratError, match=f"columns path and label are needed, it has: {has}"):
        read_clips(write(tmp_path / "clips.csv", text))


def test_files_that_are_no_csv(tmp_path: Path) -> None:
    with pytest.raises(IsyaratError, match="there is no such file"):
        read_clips(tmp_path / "none.csv")
    with pytest.raises(IsyaratError, match="there is no clip in it"):
        read_clips(tmp_path)
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00path")
    with pytest.raises(IsyaratError, match="cannot be read as a CSV"):
        read_clips(tmp_path / "bytes.csv")


def test_selection(tmp_path: Path) -> None:
    clips = [
        ClipRecord(path=Path("1"), role="words", signer="A"),
        ClipRecord(path=Path("2"), role="words", signer="B"),
        ClipRecord(path=Path("3"), role="idle", signer="A"),
    ]
    chosen = select_clips(clips, parse_conditions(["role=words", "signer=A,C"]))
    assert [clip.path.name for clip in chosen] == ["1"]
    assert select_clips(clips, {}) == clips
    assert select_clips(clips, {"nothing": {"x"}}) == []


def test_conditions() -> None:
    assert parse_conditions(["a=1,2", "a=3", "b="]) == {"a": {"1", "2", "3"}, "b": {""}}
    for wrong in ("role", "=words"):
        with pytest.raises(IsyaratError, match="write it as FIELD=VALUE"):
            parse_conditions([wrong])


def test_records_are_frozen() -> None:
    record = ClipRecord(path=Path("a"))
    with pytest.raises(ValidationError):
        record.signer = "B"  # type: ignore[misc]
